/** `holdfast alarms test`: see that an alarm reaches whom it should. */
import { toIso } from '#core/time.ts';
import { planAlarmTest, ringAlarm, waitForEnd } from '#operator/health/test-alarm.ts';
import { span } from '#operator/span.ts';
import { EXIT, type ExitCode } from '../cli-error.ts';
import type { Run, RunCommand } from '../run.ts';

interface TestOptions {
  readonly wait: boolean;
  readonly yes?: boolean;
}

export function addAlarms(program: RunCommand): void {
  const alarms = program.command('alarms').description('Alarms: see that one reaches whom it should');
  alarms
    .command('test')
    .argument('<alarm>', 'its name, or a severity: page, ticket, notice')
    .description('Let an alarm ring, so that its targets are told, and wait until CloudWatch sets it back')
    .option('--no-wait', 'do not wait for its end')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast alarms test page --env prod', 'wakes whoever gets pages'],
      ['holdfast alarms test process-queue-deep --env prod', 'that alarm'],
    )
    .does(test);
}

async function test(run: Run, asked: string, { wait, yes }: TestOptions): Promise<ExitCode> {
  const planned = await planAlarmTest(run, asked);
  const { name, severity, told } = planned;
  run.out.note(
    `${name} (${severity}) goes into alarm, with the reason "A test by ${run.by}". ${told} CloudWatch sets it back when it judges it again, and the same are told of its end.`,
  );
  await run.confirm(`Ring ${name} in ${run.environment}?`, yes);
  const rang = await ringAlarm(run, planned);
  const progress = run.out.progress('Waiting for its end,');
  const isOver = (): boolean => {
    progress.update(Math.round((run.clock.now() - rang) / 1_000), undefined, 'seconds in alarm');
    return run.io.interrupted.aborted;
  };
  const ended = wait ? await waitForEnd(run, planned, isOver) : undefined;
  progress.end();
  run.out.result(
    { alarm: name, severity, told, rang_at: toIso(rang), ended_at: ended === undefined ? null : toIso(ended) },
    () => [
      ended === undefined
        ? `${name} is in alarm since ${toIso(rang)}`
        : `${name} rang, and went back after ${span((ended - rang) / 1_000)}: two messages, its beginning and its end`,
    ],
  );
  run.out.next(
    run.command(ended === undefined ? 'status' : 'doctor'),
    ended === undefined ? 'whether it is over' : 'if nothing came: which target has no secret',
  );
  return wait && ended === undefined && !run.io.interrupted.aborted ? EXIT.partial : EXIT.ok;
}
