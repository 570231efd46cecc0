/** `holdfast processor`: whether messages are taken from the queue at all; the brake for every source at once. */
import type { Command } from 'commander';
import { switchProcessor } from '#operator/health/processor.ts';
import { type CommandSet, withExamples } from '../run.ts';

export function addProcessor(program: Command, set: CommandSet): void {
  const processor = program
    .command('processor')
    .description('Stop and start the handlers of all sources; `status` says whether they run');

  withExamples(
    processor
      .command('stop')
      .description('Take no more messages. Events are still accepted, and wait in the queue for up to four days')
      .option('--yes', 'do not ask'),
    ['holdfast processor stop --env prod', 'no handler runs any more; to stop one source, use pause'],
  ).action(
    set.action(async (run, { yes }: { yes?: boolean }) => {
      await run.confirm(`Stop the processor of every source in ${run.environment}?`, yes);
      await switchProcessor(run, false);
      run.out.result({ running: false }, () => ['The processor stops within seconds; events wait in the queue']);
      run.out.next(run.command('processor start'), 'takes them again');
    }),
  );

  withExamples(processor.command('start').description('Take messages again'), [
    'holdfast processor start --env prod',
    'the messages that waited are processed, oldest first',
  ]).action(
    set.action(async run => {
      await switchProcessor(run, true);
      run.out.result({ running: true }, () => ['The processor takes messages again, within a minute']);
      run.out.next(run.command('status'), 'how the queue drains');
    }),
  );
}
