/** The event log from a place that is remembered under a name: what `events tail` and `listen` read. */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import { cursorFile, FollowLog } from '#operator/health/follow-log.ts';
import { filterOf } from './filter-options.ts';
import type { Run } from './run.ts';

interface FollowOptions {
  readonly source?: string;
  readonly since?: string;
  readonly name: string;
}

interface OpenLog {
  readonly log: FollowLog;
  readonly sources: readonly SourceId[];
  /** Where a person said to begin; empty: where the last run stopped. */
  readonly from: { readonly since?: EpochMs };
}

export async function openLog(
  run: Run,
  { source, since: asked, name }: FollowOptions,
  more: { readonly endings?: false } = {},
): Promise<OpenLog> {
  const { sources, since } = filterOf(run, { source, since: asked ?? '1s' });
  const from = asked === undefined ? {} : { since };
  const { store, clock, timer } = await run.gateway();
  const log = new FollowLog({
    store,
    clock,
    timer,
    sources,
    memory: cursorFile(run.environment, name),
    ...from,
    ...more,
    onOutage: message => run.out.note(`Cannot read the event log, trying again: ${message}`),
  });
  return { log, sources, from };
}
