import type { Drill } from './drill.ts';

/** Upper bounds, for a machine that does much else: each wait ends as soon as its state is there. */
const DEATH_SECONDS = 120;
const PAGE_SECONDS = 90;

export const deadLetter: Drill = {
  title: 'dead-letter',
  about: 'A poison event at night: the page, the runbook (docs/runbooks/dead-letters.md), the fix, the replay.',
  async play(stage) {
    const { transcript } = stage;
    const row = `account-${stage.runId}`;
    transcript.step(
      'Three events come in; the handler cannot apply two of them: the account they name is not there yet.',
    );
    for (const name of ['good', 'poison-1']) await stage.send(name, name === 'good' ? {} : { needs: row });
    const firstSentAt = Date.now();
    await stage.died('poison-1', DEATH_SECONDS);
    transcript.step('The page.');
    const page = await stage.page('process-new-dead-letters', PAGE_SECONDS);
    for (const part of [
      `evt_default.${stage.key('poison-1')}`,
      'source default',
      'cause effect_refused',
      'events get',
      'replay',
    ])
      if (!page.text.includes(part)) stage.fail(`the page does not say "${part}"`);

    transcript.step('A second one dies while the first is still open: it pages again.');
    const quiet = await stage.until(60, async () =>
      (await stage.stateOf('process-new-dead-letters')) === 'OK' ? true : undefined,
    );
    if (!quiet) stage.fail('the alarm of new deaths stays in ALARM: a second death would say nothing');
    await stage.send('poison-2', { needs: row });
    await stage.died('poison-2', DEATH_SECONDS);
    await stage.page('process-new-dead-letters', PAGE_SECONDS, page.at);

    const pagedAt = Date.now();
    transcript.step('Following the runbook: what died, and why.');
    await stage.run('dlq ls');
    await stage.run(`events get evt_default.${stage.key('poison-1')}`);
    transcript.step(
      'The fix. Here the missing row is put in place; in life it is a handler that is fixed and deployed.',
    );
    await stage.putRow(row);
    transcript.step('Run them again: first count them, then do it.');
    const filter = '--source default --cause effect_refused --since 24h';
    await stage.run(`replay ${filter} --dry-run`);
    await stage.run(`replay ${filter} --why "the account is there now" --yes`);
    await stage.completedOnce(['good', 'poison-1', 'poison-2'], 60);
    transcript.step('All alarms back to OK.');
    await stage.ok(120, 'process-new-dead-letters', 'process-dead-letters-waiting', 'process-dead-letters-open');
    const seconds = Math.round((Date.now() - pagedAt) / 1_000);
    if (seconds > 180) stage.fail(`it took ${seconds} s from the page to OK; three minutes are allowed`);
    transcript.step(
      `From the page to all alarms OK: ${seconds} s. From the first event: ${Math.round((Date.now() - firstSentAt) / 1_000)} s.`,
    );
    await stage.run('dlq ls');
  },
};
