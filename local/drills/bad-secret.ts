import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Drill } from './drill.ts';

const ALARM = 'ingest-signature-failures-default';

export const badSecret: Drill = {
  title: 'bad-secret',
  about: 'The secret of a source is rotated at the provider and not here (docs/runbooks/ingest-signature-failures.md).',
  async play(stage) {
    const { transcript } = stage;
    const fresh = randomBytes(32).toString('hex');
    transcript.step('The provider rotates its secret. Everything it sends is refused.');
    for (let n = 1; n <= 3; n += 1) await stage.send(`before-${n}`, {});
    const firstRefusal = await stage.send('refused-0', {}, fresh);
    if (firstRefusal !== 401) stage.fail(`a request with another secret was answered ${firstRefusal}, not 401`);
    let sending = true;
    let sent = 1;
    const provider = (async () => {
      for (; sending; sent += 1) {
        await stage.send(`refused-${sent}`, {}, fresh);
        await wait(800);
      }
    })();
    transcript.step('The page.');
    const page = await stage.page(ALARM, 200);
    if (!/source default|Source default/.test(page.text) || !page.text.includes('mismatch'))
      stage.fail('the page does not name the source and the cause');

    transcript.step('Following the page: what was refused, and whose secret it is, and how old.');
    const refused = await stage.run('refused ls --source default');
    if (!refused.includes('The secret here is not the one')) stage.fail('refused ls does not say what is likely wrong');
    await stage.run('sources ls');
    transcript.step("The new secret, from the provider's dashboard. The old one stays valid for a day.");
    await stage.run('sources rotate default --grace 24h --yes', { stdin: `${fresh}\n` });
    const accepted = await stage.until(45, async () =>
      (await stage.send(`after-${sent}`, {}, fresh)) === 200 ? true : undefined,
    );
    if (!accepted) stage.fail('requests with the new secret are still refused');
    sending = false;
    await provider;
    if ((await stage.send('old', {})) !== 200) stage.fail('the previous secret is not valid any more');
    transcript.block('200 for a request signed with the new secret; 200 for one signed with the previous one');
    transcript.step('Back to OK.');
    await stage.ok(240, ALARM);
  },
};
