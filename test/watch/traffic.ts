/**
 * Six minutes of what a gateway meets: live events, a poison event, twelve refused requests, a paused source and a bulk
 * replay of 200. And the list of the alarms that are due for it, written before it.
 */
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE_MS } from '#core/time.ts';
import type { DueAlarm, PossibleAlarm } from './judge-alarms.ts';
import type { WatchedStart } from './watched-start.ts';

export const WATCH_MS = 6 * MINUTE_MS;
const LIVE_MS = 10_000;
const BULK = 200;
export const BULK_LIMIT_MS = 90_000;
export const POISON = 'evt_poison';

const POISONED = { from: 'the poison event', overAt: 'the closing of its death' } as const;

/** Nothing else may ring. Seconds allow for minutes of ten seconds on the local AWS, and for a machine that does much else. */
export const DUE: readonly DueAlarm[] = [
  {
    ...POISONED,
    alarm: 'process-new-dead-letters',
    why: 'an event died at its first attempt: the handler says that it can never take it',
    ...{ within: 45, okWithin: 45 },
  },
  {
    ...POISONED,
    alarm: 'process-dead-letters-waiting',
    why: 'its message lies in the dead-letter queue, until the sweeper takes it out after the closing',
    ...{ within: 45, okWithin: 120 },
  },
  {
    ...POISONED,
    alarm: 'process-dead-letters-open',
    why: 'its record is dead, and the sweeper counts it once a minute, until a person closed it',
    ...{ within: 90, okWithin: 150 },
  },
];

/** Only where other gateways run on the same cores, as beside the drills. */
export const POSSIBLE_BESIDE_OTHERS: readonly PossibleAlarm[] = [
  { alarm: 'process-slow', why: 'the time of an event is the time of a machine that runs seven gateways on two cores' },
];

/** What was seen of it. */
export interface Traffic {
  /** By name, epoch milliseconds. */
  readonly moments: Readonly<Record<string, number>>;
  /** How long the command of the bulk replay took, and what it printed. */
  readonly bulk: { readonly ms: number; readonly printed: string };
  readonly refused: readonly number[];
}

/** Sends it; ends when its last event is sent. Each piece begins at its second. */
export async function sendTraffic(watched: WatchedStart): Promise<Traffic> {
  const begun = Date.now();
  const at = (seconds: number): Promise<void> => wait(Math.max(0, begun + seconds * 1_000 - Date.now()));
  const moments: Record<string, number> = {};
  const ended = new AbortController();
  const live = sendLive(watched, ended.signal);
  const [, , , bulk, refused] = await Promise.all([
    live,
    (async () => {
      await at(20);
      moments[POISONED.from] = Date.now();
      await sendPoison(watched);
      await at(130);
      await watched.done('dlq', 'close', `evt_stripe.${POISON}`, '--why', 'it was a test', '--yes');
      moments[POISONED.overAt] = Date.now();
    })(),
    (async () => {
      await at(30);
      await watched.done('pause', 'github', '--why', 'its ledger is moved', '--yes');
      await watched.done('send', 'github', '--count', '3');
      await at(150);
      await watched.done('resume', 'github');
    })(),
    (async () => {
      await at(60);
      const since = new Date().toISOString();
      await watched.done('send', 'stripe', '--count', String(BULK));
      const until = new Date().toISOString();
      await at(170);
      const filter = ['--source', 'stripe', '--status', 'completed', '--since', since, '--until', until];
      const startedAt = Date.now();
      const printed = await watched.done('replay', ...filter, '--limit', String(BULK), '--why', 'once more', '--yes');
      return { ms: Date.now() - startedAt, printed };
    })(),
    (async () => {
      // A minute after the two hundred: twelve of so many would ring, and here they are twelve of twenty.
      await at(240);
      return await Promise.all(Array.from({ length: 12 }, () => sendForged(watched)));
    })(),
    (async () => {
      await at(300);
      ended.abort();
    })(),
  ]);
  return { moments, bulk, refused };
}

async function sendLive(watched: WatchedStart, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await watched.done('send', 'stripe');
    await wait(LIVE_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function sendPoison(watched: WatchedStart): Promise<void> {
  const file = join(tmpdir(), `holdfast-poison-${process.pid}-${Date.now()}.json`);
  await writeFile(file, JSON.stringify({ id: POISON, type: 'payment_intent.succeeded', data: { object: {} } }));
  try {
    await watched.done('send', 'stripe', '--body-file', file);
  } finally {
    await rm(file);
  }
}

/** The status that a request with a wrong signature gets. */
async function sendForged(watched: WatchedStart): Promise<number> {
  const signature = `t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}`;
  const headers = { 'stripe-signature': signature };
  return (await fetch(watched.urlOf('stripe'), { method: 'POST', headers, body: '{"id":"evt_forged"}' })).status;
}
