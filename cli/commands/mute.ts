/** `holdfast mute` and `unmute`: hold the messages of alarms back for a while. */
import { given } from '#core/given.ts';
import { toIso } from '#core/time.ts';
import type { Mute } from '#operator/gateway.ts';
import { beginMute, endMutes, listMutes, muteText, planMute } from '#operator/health/mutes.ts';
import type { RunCommand } from '../run.ts';

interface MuteOptions {
  readonly why?: string;
  readonly from?: string;
  readonly alarm?: readonly string[];
  readonly yes?: boolean;
}

export function addMute(program: RunCommand): void {
  const mute = program
    .command('mute')
    .argument('<how-long>', '30m, 2h, 7d at most')
    .description('Hold the messages of alarms back for a while. Alarms still change their state, and status shows them')
    .option('--why <text>', 'the reason, shown to everybody who looks')
    .option('--from <when>', 'when it begins, a full minute: 2026-11-28T02:00Z (default: the next)')
    .option('--alarm <names...>', 'only these alarms (default: all of the environment)')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast mute 2h --why "restore rehearsal" --env prod', 'what is still wrong then, is told then'],
      ['holdfast mute 4h --from 2026-11-28T02:00Z --why "database upgrade"', 'a maintenance window'],
    );
  mute.does(async (run, span: string, { why, from, alarm, yes }: MuteOptions) => {
    const wish = { span, why: await run.reason(why), ...given({ from, alarms: alarm }) };
    const planned = await planMute(run, wish);
    await run.confirm(`In ${run.environment}, ${muteText(planned, run.clock.now())}?`, yes);
    const mute = await beginMute(run, planned, wish);
    run.out.result(muteJson(mute, run.clock.now()), () => [muteText(mute, run.clock.now())]);
    run.out.next(run.command(`unmute ${mute.id}`), 'ends it before its time');
  });

  mute
    .command('ls')
    .description('List what is muted, and what will be')
    .examples(['holdfast mute ls', 'who muted what, why and until when'])
    .does(async run => {
      const now = run.clock.now();
      const mutes = await listMutes(run);
      run.out.result({ mutes: mutes.map(it => muteJson(it, now)) }, () =>
        mutes.length === 0 ? ['nothing is muted'] : mutes.map(it => `${it.id}  ${muteText(it, now)}`),
      );
    });

  program
    .command('unmute')
    .argument('[mute]', 'its id (default: all)')
    .description('End a mute before its time. What it held back and is still true is told at once')
    .examples(['holdfast unmute', 'ends every mute of the environment'])
    .does(async (run, id: string | undefined) => {
      const ended = await endMutes(run, id);
      const now = run.clock.now();
      run.out.result({ ended: ended.map(it => muteJson(it, now)) }, () =>
        ended.length === 0 ? ['nothing was muted'] : ended.map(it => `${it.id} is over: ${it.why}, by ${it.by}`),
      );
    });
}

/** As in `status --json`, too. */
export function muteJson({ id, by, why, from, until, alarms }: Mute, now: number): unknown {
  return { id, active: from <= now, from: toIso(from), until: toIso(until), by, why, alarms };
}
