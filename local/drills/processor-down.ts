import type { Drill } from './drill.ts';

const ALARM = 'probe-missing-or-slow';

export const processorDown: Drill = {
  title: 'processor-down',
  about:
    'Somebody has disabled the event source mapping: events are accepted and nothing runs. The probe is what notices (docs/runbooks/probe.md).',
  async play(stage) {
    const { transcript } = stage;
    transcript.step('The probe gets through.');
    const probed = await stage.until(150, async () =>
      (await stage.run('events ls --source holdfast-probe --since 10m --json', { quiet: true })).includes('"completed"')
        ? true
        : undefined,
    );
    if (!probed) stage.fail('no event of the probe was completed within 150 s');
    await stage.ok(150, ALARM);
    transcript.step('The event source mapping is disabled. Three events come in and are answered 200.');
    await stage.disableProcessor();
    const names = ['waiting-1', 'waiting-2', 'waiting-3'];
    for (const name of names) {
      const status = await stage.send(name, {});
      if (status !== 200) stage.fail(`${name} was answered ${status}`);
    }
    const disabledAt = Date.now();
    transcript.step('The page.');
    const page = await stage.page(ALARM, 240);
    transcript.step(
      `${Math.round((page.at - disabledAt) / 1_000)} s after the mapping was disabled. Following the runbook:`,
    );
    const doctor = await stage.run('doctor', { codes: [1] });
    if (!/WRONG +processor/.test(doctor)) stage.fail('doctor does not see that the processor is stopped');
    await stage.run('events ls --source holdfast-probe --since 10m');
    transcript.step('The fix, as doctor says.');
    await stage.run('processor start');
    await stage.completedOnce(names, 90);
    transcript.step('Back to OK.');
    await stage.ok(240, ALARM);
  },
};
