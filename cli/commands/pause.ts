/** `holdfast pause` and `resume`: hold a source's events back without refusing any. */
import { toIso } from '#core/time.ts';
import { pause, resume } from '#operator/events/pauses.ts';
import { EXIT } from '../cli-error.ts';
import type { RunCommand } from '../run.ts';

export function addPause(program: RunCommand): void {
  program
    .command('pause')
    .argument('<source>')
    .description('Stop running the handlers of a source. Its events are still verified, recorded and acknowledged')
    .option('--why <text>', 'the reason, shown to everybody who looks')
    .option('--yes', 'do not ask')
    .examples(['holdfast pause stripe --why "ledger is being migrated"', 'events wait until resume'])
    .does(async (run, name: string, { why, yes }: { why?: string; yes?: boolean }) => {
      const source = run.source(name);
      const reason = await run.reason(why);
      await run.confirm(`Pause ${source.id} in ${run.environment}?`, yes);
      const { kind, note } = await pause(run, source, reason);
      run.out.result({ source: source.id, paused: true, ...note, since: toIso(note.since) }, () => [
        kind === 'paused'
          ? `${source.id} is paused; its events wait`
          : `${source.id} was paused already, ${run.out.ago(note.since)}, by ${note.by}: ${note.why}`,
      ]);
      run.out.next(run.command(`resume ${source.id}`), 'runs the waiting events, oldest first');
    });

  program
    .command('resume')
    .argument('<source>')
    .description('End the pause of a source')
    .examples(['holdfast resume stripe', 'the sweeper sends its waiting events to the handlers, oldest first'])
    .does(async (run, name: string) => {
      const { source, configured, kind, note } = await resume(run, name);
      run.out.result({ source, paused: false, was_paused: kind === 'resumed' }, () => [
        note
          ? `${source} runs again; it was paused ${run.out.ago(note.since)} by ${note.by}`
          : `${source} was not paused`,
      ]);
      if (configured) run.out.next(run.command(`events ls --source ${source} --status on-hold`), 'what still waits');
      return EXIT.ok;
    });
}
