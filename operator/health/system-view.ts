/** What the state of an environment is, read once for `status` and `doctor`. */

import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { CONCERNS_CONTROL, type Concern, decodeConcerns, isKept } from '#core/inbound/protocol/concerns.ts';
import type { PauseNote } from '#core/inbound/protocol/pauses.ts';
import { type ReplayJob, readOpenJobs, readReplayJob } from '#core/inbound/replay/replay-job.ts';
import { readSweeper, type SweeperRecord } from '#core/inbound/sweep/sweeper-record.ts';
import { type AuditState, readAudit } from '#core/inbound/watch/audit-records.ts';
import type { QueueNumbers } from '#core/ports.ts';
import { sideBySide } from '#core/side-by-side.ts';
import { HOUR_MS } from '#core/time.ts';
import { type DeliverySummary, readDeliverySummary } from '#operator/customers/deliveries.ts';
import { once, type Received, type SharedReads, sharedReads } from '#operator/events/shared-reads.ts';
import { readUnfinished, type Unfinished } from '#operator/events/unfinished.ts';
import { explainError } from '#operator/explain-error.ts';
import type { AlarmView, Mute } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import { countRefused, listRefused, type RefusedCount } from '#operator/refused/refused.ts';
import { listMutes, MUTE_RIGHTS } from './mutes.ts';
import { readProcessor } from './processor.ts';
import { readSweeperView, type SweeperView } from './sweeper.ts';
import { isThrottled, readThrottles } from './throttles.ts';

const WINDOWS = { '5m': 300_000, '1h': HOUR_MS } as const;

/** Undefined parts could not be read: `unread` says which and why. What can be read is never held back by what cannot. */
export interface SystemView {
  readonly received:
    | Readonly<Record<keyof typeof WINDOWS, { readonly count: number; readonly capped: boolean }>>
    | undefined;
  readonly main: QueueNumbers | undefined;
  readonly dead: QueueNumbers | undefined;
  readonly openDeadLetters: number | undefined;
  /** Of very many: when the sweeper counted them. Absent: now. */
  readonly deadLettersAt?: EpochMs;
  /** There are more than `openDeadLetters`. */
  readonly deadLettersCapped?: true;
  readonly unfinished: Unfinished | undefined;
  /** Kept of the last hour, by source and cause. */
  readonly refused: readonly RefusedCount[] | undefined;
  /** What people were told once, and handlers that fail now. */
  readonly concerns: readonly Concern[] | undefined;
  readonly pauses: Readonly<Record<string, PauseNote>> | undefined;
  readonly jobs: readonly ReplayJob[] | undefined;
  /** Of webhooks to customers; undefined where nothing is sent, too. */
  readonly customers: DeliverySummary | undefined;
  readonly alarms: readonly AlarmView[] | undefined;
  /** Alarms whose messages are held back, now or soon. */
  readonly mutes: readonly Mute[] | undefined;
  /** Which limits of DynamoDB are met, in words; undefined where no alarm on a throttled table rings, too. */
  readonly throttles?: readonly string[] | undefined;
  readonly sweeper: SweeperView | undefined;
  /** Whether messages are taken from the queue at all. */
  readonly processor: { readonly state: string; readonly running: boolean } | undefined;
  /** How far the nightly check of all records has come. */
  readonly audit: AuditState | 'never' | undefined;
  /** When the gateway stack was last deployed; undefined where nobody says. */
  readonly deployedAt: number | undefined;
  readonly unread: readonly Unread[];
}

interface Unread {
  readonly part: string;
  readonly why: string;
  /** Nothing is wrong for it: a person may lack a right that only this part needs. */
  readonly isNotice: boolean;
  /** What lets it be read. */
  readonly fix?: string;
}

/** `already`: what a screen reads for its other parts, too. */
export async function readSystem(operator: Operator, already?: SharedReads): Promise<SystemView> {
  const { gauge, control, alarms, deployedAt } = await operator.gateway();
  const { lastHour, pausesNow, deathsPage } = already ?? (await sharedReads(operator));
  const now = operator.clock.now();
  const unread: Unread[] = [];
  const read = <T>(
    part: string,
    work: () => Promise<T>,
    as: Pick<Unread, 'isNotice' | 'fix'> = { isNotice: false },
  ): Promise<T | undefined> =>
    work().catch((error: unknown) => {
      unread.push({ part, why: explainError(error).message.split('\n')[0] ?? '', ...as });
      return undefined;
    });
  const sweeperRecord = once(() => readSweeper(control));
  const sends = operator.deployment.config.outbound !== undefined;
  const { deaths, ...parts } = await together({
    main: read('queue', () => gauge.main()),
    dead: read('dead-letter queue', () => gauge.dead()),
    pauses: read('pauses', pausesNow),
    alarms: read('alarms', () => alarms()),
    mutes: read('mutes', () => listMutes(operator), { isNotice: true, fix: `grant ${MUTE_RIGHTS}` }),
    sweeper: read('sweeper', () => readSweeperView(control, deployedAt, sweeperRecord)),
    processor: read('processor', () => readProcessor(operator)),
    audit: read('audit', () => readAudit(control)),
    received: read('received', async () => {
      const all = await lastHour();
      return { '5m': countSince(now - WINDOWS['5m'], all), '1h': countSince(now - WINDOWS['1h'], all) };
    }),
    unfinished: read('unfinished', () => readUnfinished(operator, lastHour)),
    refused: read('refused', async () =>
      countRefused(await listRefused(operator, { sources: operator.sourceIds, since: now - WINDOWS['1h'] })),
    ),
    concerns: read('concerns', async () =>
      Object.values(decodeConcerns((await control.read(CONCERNS_CONTROL))?.value)).filter(
        // A handler that failed at one event may be right.
        it => isKept(it, now) && (it.kind !== 'handler_fails' || (it.events ?? 0) > 1),
      ),
    ),
    deaths: read('dead letters', () => countDeadLetters(operator, sweeperRecord, deathsPage)),
    jobs: read('replay jobs', async () => {
      const found = await Promise.all((await readOpenJobs(control)).map(id => readReplayJob(id, control)));
      return found.flatMap(it => (it?.job.state === 'running' ? [it.job] : []));
    }),
    customers: sends ? read('customers', () => readDeliverySummary(operator)) : undefined,
  });
  const counted = {
    openDeadLetters: deaths?.open,
    ...given({ deadLettersAt: deaths?.at, deadLettersCapped: deaths?.capped }),
  };
  const rings = parts.alarms?.some(isThrottled);
  const throttles = rings ? await read('throttles', () => readThrottles(operator)) : undefined;
  return { ...parts, ...counted, throttles, deployedAt, unread };
}

/** Waits for all of them at once. */
async function together<T extends object>(parts: T): Promise<{ [Name in keyof T]: Awaited<T[Name]> }> {
  const all = Object.entries(parts).map(async ([name, part]) => [name, await part]);
  return Object.fromEntries(await Promise.all(all));
}

/** Counted by the index up to here, as the first screen is read again and again; of more the sweeper keeps a count. */
const COUNTED_DEATHS = 300;
/** Sources, one after the other. */
const LOOKED_AT = 4;

interface DeathCount {
  readonly open: number;
  readonly at?: EpochMs;
  readonly capped?: true;
}

async function countDeadLetters(
  operator: Operator,
  sweeperRecord: () => Promise<SweeperRecord>,
  deathsPage: SharedReads['deathsPage'],
): Promise<DeathCount> {
  const last = (await sweeperRecord()).deaths;
  const counted = last && { open: last.open, at: last.at, ...(last.complete ? {} : { capped: true as const }) };
  // Where there were very many and one source has more than a page of them, nothing is counted anew.
  if (counted !== undefined && counted.open > COUNTED_DEATHS)
    for (const source of operator.sourceIds.slice(0, LOOKED_AT))
      if ((await deathsPage(source)).cursor !== undefined) return counted;
  let open = 0;
  let more = false;
  await sideBySide(operator.sourceIds, async source => {
    let cursor: string | undefined;
    do {
      const page = await deathsPage(source, cursor);
      open += page.items.length;
      cursor = page.cursor;
    } while (cursor !== undefined && open < COUNTED_DEATHS);
    more ||= cursor !== undefined;
  });
  if (!more) return { open };
  // It may be older than what is there now.
  return counted === undefined || counted.open < open ? { open, capped: true } : counted;
}

function countSince(since: EpochMs, { entries, finished }: Received): { count: number; capped: boolean } {
  const times = entries.map(({ timelineAt }) => Number(timelineAt.slice(0, 13)));
  const count = times.filter(at => at >= since).length;
  // The newest were read: those of a shorter time are there whole unless all that were read are of it.
  return { count, capped: !finished && count === entries.length };
}
