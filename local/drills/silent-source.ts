import type { Drill } from './drill.ts';

const SOURCE = 'github';
const ALARM = `ingest-silent-source-${SOURCE}`;

export const silentSource: Drill = {
  title: 'silent-source',
  about: 'A provider has disabled the webhook, and nobody there says so (docs/runbooks/silent-source.md).',
  async play(stage) {
    const { transcript } = stage;
    transcript.step('The last event of the source, then nothing.');
    await stage.run(`send ${SOURCE} --wait 30`);
    transcript.step('The page, after the longest normal silence.');
    const page = await stage.page(ALARM, 150);
    if (!page.text.includes(`Source ${SOURCE}`)) stage.fail('the page does not name the source');
    transcript.step('Following the runbook: when did it send last, and does the front door answer?');
    await stage.run(`events ls --source ${SOURCE} --since 24h`);
    await stage.run('doctor', { codes: [0, 1] });
    transcript.step('The webhook is enabled again at the provider. Its next event:');
    await stage.run(`send ${SOURCE} --wait 30`);
    transcript.step('Back to OK.');
    await stage.ok(60, ALARM);
  },
};
