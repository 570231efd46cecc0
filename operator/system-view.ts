/** What the state of an environment is, read once for `status` and `doctor`. */

import { readPauses } from '#core/inbound/protocol/pause-source.ts';
import type { PauseNote } from '#core/inbound/protocol/pauses.ts';
import { type ReplayJob, readOpenJobs, readReplayJob } from '#core/inbound/replay/replay-job.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import type { QueueNumbers } from '#core/ports.ts';
import type { AlarmView } from './gateway.ts';
import { isNotice } from './is-notice.ts';
import type { Operator } from './operator.ts';
import { countRefused, listRefused, type RefusedCount } from './refused.ts';
import { readUnfinished, type Unfinished } from './unfinished.ts';

const COUNT_LIMIT = 10_000;
const WINDOWS = { '5m': 300_000, '1h': 3_600_000 } as const;

export interface SystemView {
  readonly received: Readonly<Record<keyof typeof WINDOWS, { readonly count: number; readonly capped: boolean }>>;
  readonly main: QueueNumbers;
  readonly dead: QueueNumbers;
  readonly openDeadLetters: number;
  readonly unfinished: Unfinished;
  /** Kept of the last hour, by source and cause. */
  readonly refused: readonly RefusedCount[];
  readonly pauses: Readonly<Record<string, PauseNote>>;
  readonly jobs: readonly ReplayJob[];
  readonly alarms: readonly AlarmView[];
  /** The last run of the sweeper is over by then at the latest; still to come where one may be at work. */
  readonly sweptUntil: number | undefined;
  /** When the gateway stack was last deployed; undefined where nobody says. */
  readonly deployedAt: number | undefined;
}

export async function readSystem(operator: Operator): Promise<SystemView> {
  const { store, gauge, control, alarms, deployedAt } = await operator.gateway();
  const now = operator.clock.now();
  const [main, dead, pauses, views, lease, hour, recent, unfinished, refused] = await Promise.all([
    gauge.main(),
    gauge.dead(),
    readPauses(control),
    alarms(),
    control.read('sweeper-lease'),
    countReceived(operator, now - WINDOWS['1h']),
    countReceived(operator, now - WINDOWS['5m']),
    readUnfinished(operator),
    listRefused(operator, { sources: operator.sourceIds, since: now - WINDOWS['1h'] }),
  ]);
  let openDeadLetters = 0;
  for (const source of operator.sourceIds) {
    let cursor: string | undefined;
    do {
      const page = await store.attention(source, cursor);
      openDeadLetters += page.items.length;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  const jobs = await Promise.all((await readOpenJobs(control)).map(id => readReplayJob(id, control)));
  return {
    received: { '5m': recent, '1h': hour },
    main,
    dead,
    openDeadLetters,
    unfinished,
    refused: countRefused(refused),
    pauses,
    jobs: jobs.flatMap(found => (found?.job.state === 'running' ? [found.job] : [])),
    alarms: views,
    sweptUntil: lease === undefined ? undefined : Number(lease.value),
    deployedAt,
  };
}

async function countReceived(operator: Operator, since: number): Promise<{ count: number; capped: boolean }> {
  const { store } = await operator.gateway();
  const reader = new TimelineReader(
    { sources: operator.sourceIds, since, until: operator.clock.now() + 1 },
    'newest',
    undefined,
    store,
  );
  const entries = await reader.next(COUNT_LIMIT, () => true);
  return { count: entries.length, capped: !reader.finished };
}

const SWEEPER_LATE_MS = 3 * 60_000;

/** True when the sweeper has not come for three minutes; a gateway that was deployed just now has not been waited for. */
export function isSweeperLate({ sweptUntil, deployedAt }: SystemView, now: number): boolean {
  return now - (sweptUntil ?? deployedAt ?? 0) > SWEEPER_LATE_MS;
}

/** What needs a person, in words; empty when all is well. */
export function needsOf(view: SystemView, now: number): readonly string[] {
  const alarms = view.alarms.filter(alarm => alarm.state === 'ALARM' && !isNotice(alarm));
  const { openDeadLetters: dead } = view;
  const sweeper = view.sweptUntil === undefined ? 'the sweeper never ran' : 'the sweeper has not run for three minutes';
  return [
    ...alarms.map(alarm => `alarm ${alarm.name}`),
    ...(dead > 0 ? [`${dead} dead letter${dead === 1 ? '' : 's'}`] : []),
    ...Object.keys(view.pauses).map(source => `${source} is paused`),
    ...(isSweeperLate(view, now) ? [sweeper] : []),
  ];
}
