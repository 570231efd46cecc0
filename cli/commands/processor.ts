/** `holdfast processor`: whether messages are taken from the queue at all; the brake for every source at once. */
import { switchProcessor } from '#operator/health/processor.ts';
import type { RunCommand } from '../run.ts';

export function addProcessor(program: RunCommand): void {
  const processor = program
    .command('processor')
    .description('Stop and start the handlers of all sources; `status` says whether they run');

  processor
    .command('stop')
    .description('Take no more messages. Events are still accepted, and wait in the queue for up to four days')
    .option('--yes', 'do not ask')
    .examples(['holdfast processor stop --env prod', 'no handler runs any more; to stop one source, use pause'])
    .does(async (run, { yes }: { yes?: boolean }) => {
      await run.confirm(`Stop the processor of every source in ${run.environment}?`, yes);
      await switchProcessor(run, false);
      run.out.result({ running: false }, () => ['The processor stops within seconds; events wait in the queue']);
      run.out.next(run.command('processor start'), 'takes them again');
    });

  processor
    .command('start')
    .description('Take messages again')
    .examples(['holdfast processor start --env prod', 'the messages that waited are processed, oldest first'])
    .does(async run => {
      await switchProcessor(run, true);
      run.out.result({ running: true }, () => ['The processor takes messages again, within a minute']);
      run.out.next(run.command('status'), 'how the queue drains');
    });
}
