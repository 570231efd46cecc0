import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Drill } from './drill.ts';
import type { DrillStage } from './drill-stage.ts';

const ALARM = 'ingest-signature-failures-default';

export const badSecret: Drill = {
  title: 'bad-secret',
  about: 'The secret of a source is rotated at the provider and not here (docs/runbooks/wrong-secret.md).',
  async play(stage) {
    const { transcript } = stage;
    const fresh = randomBytes(32).toString('hex');
    transcript.step('The provider rotates its secret. Everything it sends is refused.');
    for (let n = 1; n <= 3; n += 1) await stage.send(`before-${n}`, {});
    const firstRefusal = await stage.send('refused-0', {}, fresh);
    if (firstRefusal !== 401) stage.fail(`a request with another secret was answered ${firstRefusal}, not 401`);
    const provider = keepRefused(stage, fresh);
    try {
      transcript.step('The page.');
      const page = await stage.page(ALARM, 200);
      if (!/source default|Source default/.test(page.text) || !page.text.includes('mismatch'))
        stage.fail('the page does not name the source and the cause');

      transcript.step('Following the page: what was refused, and whose secret it is, and how old.');
      const refused = await stage.run('refused ls --source default');
      if (!refused.includes('The secret here is not the one'))
        stage.fail('refused ls does not say what is likely wrong');
      await stage.run('sources ls');
      transcript.step("The new secret, from the provider's dashboard. The old one stays valid for a day.");
      await stage.run('sources rotate default --grace 24h --yes', { stdin: `${fresh}\n` });
      let sent = 0;
      const accepted = await stage.until(45, async () =>
        (await stage.send(`after-${sent++}`, {}, fresh)) === 200 ? true : undefined,
      );
      if (!accepted) stage.fail('requests with the new secret are still refused');
    } finally {
      // What made the drill fail is what is told, not what this one meets when the local AWS ends.
      await provider.stop();
    }
    if ((await stage.send('old', {})) !== 200) stage.fail('the previous secret is not valid any more');
    transcript.block('200 for a request signed with the new secret; 200 for one signed with the previous one');
    transcript.step('Back to OK.');
    await stage.ok(240, ALARM);
  },
};

/** The provider goes on sending, whatever it is answered. */
function keepRefused(stage: DrillStage, secret: string): { stop(): Promise<void> } {
  let sending = true;
  const ended = (async () => {
    for (let sent = 1; sending; sent += 1) {
      await stage.send(`refused-${sent}`, {}, secret).catch(() => undefined);
      await wait(800);
    }
  })();
  return {
    stop: () => {
      sending = false;
      return ended;
    },
  };
}
