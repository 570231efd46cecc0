/**
 * The actor of one endpoint: it takes the lease, sends what is due, gives the lease back, and looks once more. Whatever it
 * does not finish, its wake-up, its rows or tend bring back. Every await here is a point where the process may die.
 */
import { ask } from '#core/ask.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ItemResult, WakeUp } from '#core/outbound/ports.ts';
import { isOpen, isShut } from '#core/outbound/protocol/decide.ts';
import {
  clearWake,
  releaseCrashed,
  releaseLease,
  takeLease,
  tombstoneOf,
} from '#core/outbound/protocol/delivery-writes.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { RuntimeItem } from '#core/outbound/protocol/items.ts';
import { aheadRange, dueAtOf, recordKey, rowsRange, runtimeKey, wakeAtOf } from '#core/outbound/protocol/keys.ts';
import { DAY_MS } from '#core/time.ts';
import { noLargeBodies } from './bodies/large-bodies.ts';
import type { Invocation } from './drain-ports.ts';
import { drainRows } from './drain-rows.ts';
import type { EndpointConfig } from './endpoint-config.ts';
import { atRelease, healthOf } from './health.ts';
import { type FirstPage, persist, type Session, type SessionTools } from './session-state.ts';

/** `ack`: the wake-up is done. `give_back`: it must come again, hidden for a while. */
export type WakeUpEnd = 'ack' | 'give_back';

const TAKES = 3;
/** What was looked through behind a shut gate is looked through again after this: a retention may have been shortened. */
const LOOKED_MS = DAY_MS;

/** One wake-up, from its receipt to its end. */
export async function handleWakeUp(tools: SessionTools, wakeUp: WakeUp, invocation: Invocation): Promise<WakeUpEnd> {
  const asker = { telemetry: tools.ports.telemetry, stage: 'session', fields: { endpoint: wakeUp.ep } };
  for (;;) {
    const run = await ask(asker, () => runOnce(tools, wakeUp, invocation));
    if (!run.ok) return 'give_back';
    if (run.value !== 'again') return run.value;
  }
}

async function runOnce(tools: SessionTools, wakeUp: WakeUp, invocation: Invocation): Promise<WakeUpEnd | 'again'> {
  // 1. The lease, if there is anything to take it for.
  const taken = await take(tools, wakeUp, invocation);
  if (taken === 'ack' || taken === 'give_back') return taken;
  // 2. Whatever kills its process must not do it forever.
  if (taken.runtime.crashes >= tools.rules.timings.crashLimit) return restCrashed(taken);
  // 3. The rows.
  try {
    await drainRows(taken);
  } finally {
    taken.http.close();
  }
  // 4. The lease goes back, and one more look.
  return release(taken);
}

/** D1, a first page, and W3. */
async function take(tools: SessionTools, wakeUp: WakeUp, invocation: Invocation): Promise<Session | WakeUpEnd> {
  const { ports, rules } = tools;
  const { store, clock, ids, slow } = ports;
  const { timings } = rules;
  const ep = wakeUp.ep as EndpointId;
  let runtime = await store.get(runtimeKey(ep), 'consistent');
  let first: FirstPage | undefined;
  for (let attempt = 1; attempt <= TAKES; attempt++) {
    const now = clock.now();
    if (runtime === undefined) return 'ack';
    const toEnd = isShut(runtime) && wakeUp.mode === 'end';
    if (isShut(runtime) && !toEnd) {
      if (wakeAtOf(runtime) !== undefined) await store.update(clearWake(ep));
      return 'ack';
    }
    if (runtime.owner !== undefined && (runtime.leaseUntil ?? 0) >= now) return 'ack';
    if ((runtime.holdUntil ?? 0) > now + timings.slackMs && !toEnd) return 'ack';
    if (runtime.lane === 'slow' && rules.lane === 'fast') {
      await slow.send([wakeUp]);
      return 'ack';
    }
    if (runtime.gate === 'open' && runtime.owner === undefined) {
      // Whoever puts a row sends a wake-up of its own: where nothing is due, the lease is not worth its two writes. But the
      // lease of a dead session is taken, so that it is given back.
      first ??= await store.query({ ...rowsRange(ep), limit: timings.pageRows });
      if (!hasWork(first, wakeAtOf(runtime), now)) return 'ack';
    }
    const me = ids.uuid();
    const leaseUntil = now + timings.leaseMs;
    const taken: ItemResult<RuntimeItem> = await store.update(takeLease(runtime, { me, now, leaseUntil, toEnd }));
    // An own repeated write, whose first answer was lost, is refused with our own name on the lease.
    if (taken.kind === 'applied' || taken.item?.owner === me) {
      const lease = { ep, me, leaseUntil, toEnd, invocation, runtime: taken.item as RuntimeItem };
      return await startSession(tools, { ...lease, lookedAt: now, first });
    }
    runtime = taken.item;
  }
  return 'give_back';
}

/** Something is due, or `wakeAt` must be written anew: it is over, or later than the next row. */
function hasWork({ items: [row] }: FirstPage, wakeAt: EpochMs | undefined, now: EpochMs): boolean {
  if (wakeAt !== undefined && wakeAt <= now) return true;
  return row !== undefined && (dueAtOf(row) <= now || dueAtOf(row) < (wakeAt ?? Number.POSITIVE_INFINITY));
}

type Lease = Pick<Session, 'ep' | 'me' | 'leaseUntil' | 'lookedAt' | 'toEnd' | 'invocation' | 'runtime' | 'first'>;

async function startSession(tools: SessionTools, lease: Lease): Promise<Session | WakeUpEnd> {
  const { ports } = tools;
  const { ep, runtime } = lease;
  const now = ports.clock.now();
  // What is no dependency's failure: secrets that cannot be opened.
  let error: string | undefined;
  const asker = { telemetry: ports.telemetry, stage: 'session', fields: { endpoint: ep } };
  const read = await ask(asker, () => tools.configOf(runtime)).catch((thrown: unknown) => {
    error = thrown instanceof Error ? thrown.message : 'unknown';
    return undefined;
  });
  const config = (read?.ok ? read.value : undefined) ?? configOfDeleted(runtime, now);
  if (config === undefined) {
    if (error !== undefined) ports.telemetry.count('OwnFault');
    const message = 'an endpoint has no configuration that can be read';
    ports.telemetry.log('error', { message, endpoint: ep, ...given({ error }) });
    await giveUp(tools, lease);
    return 'give_back';
  }
  const health = healthOf(runtime);
  // Deleted since the lease was taken: the gate is looked at before the first row.
  const lookedAt = config.endpoint.deletedAt === undefined ? lease.lookedAt : 0;
  return {
    ...tools,
    ...lease,
    lookedAt,
    startedAt: now,
    http: ports.sender.open(Math.max(1, config.endpoint.maxConcurrency)),
    inAir: new Map(),
    large: noLargeBodies(),
    config,
    health,
    died: 0,
    pages: 0,
    fullPages: 0,
    later: { cursor: undefined, nextAt: now + LOOKED_MS },
    replays: new Map(),
    told: new Set(),
  };
}

/** The tombstone may go before the last row does. */
function configOfDeleted({ gate, ep, app }: RuntimeItem, now: number): EndpointConfig | undefined {
  if (gate !== 'deleted') return undefined;
  const endpoint = tombstoneOf({ id: ep, app, mode: 'live', version: 0, createdAt: 0 }, now);
  return { endpoint, keys: [], waits: async () => undefined, readAt: now, version: 0 };
}

/** W10 without having done anything: the wait that was set stays. */
async function giveUp({ ports }: SessionTools, { ep, me, runtime }: Lease): Promise<void> {
  const state = {
    ...healthOf(runtime),
    holdUntil: runtime.holdUntil,
    holdWhy: runtime.holdWhy,
    holdSince: runtime.holdSince,
  };
  await ports.store.update(releaseLease(ep, me, { state, died: 0, wakeAt: wakeAtOf(runtime), now: ports.clock.now() }));
}

/** D2: three owners in a row never came back. */
async function restCrashed(session: Session): Promise<WakeUpEnd> {
  const { ports, rules, ep, me, runtime } = session;
  session.http.close();
  const now = ports.clock.now();
  await ports.store.update(releaseCrashed(ep, me, now, now + rules.timings.crashHoldMs));
  ports.telemetry.log('error', {
    message: 'three sessions of an endpoint never ended: it rests',
    endpoint: ep,
    crashes: runtime.crashes,
  });
  return 'ack';
}

/** W10, D9, D10. Its errors give the wake-up back: the lease lasts until it ends, and nobody else will look. */
async function release(session: Session): Promise<WakeUpEnd | 'again'> {
  const { ports, rules, ep, me, invocation } = session;
  const { timings } = rules;
  // 1. When to look again: the end of the hold, the head's time, or the next row that is due later. A hold has its wake
  // behind a shut gate, too: somebody may have opened that since it was seen, and then nobody else would look.
  const wakeAt = session.health.holdUntil ?? (isShut(session.runtime) ? undefined : await nextLook(session));
  const heldTo = session.waitUntil ?? session.health.heldTo;
  const state = atRelease({ ...session.health, heldTo }, session.fullPages);
  const end = { state, died: session.died, wakeAt, now: ports.clock.now() };
  const learnt = session.toEnd ? (['endLaterAt'] as const) : undefined;
  const released = await persist(session, () => ports.store.update(releaseLease(ep, me, end, learnt)));
  if (session.stop === 'broken') return 'give_back';
  // 2. Look once more, by the item that came back: rows may have come while we held the lease.
  const back = released.item;
  const now = ports.clock.now();
  if (back === undefined) return 'ack';
  const others = back.owner !== undefined && (back.leaseUntil ?? 0) >= now;
  const onHold = (back.holdUntil ?? 0) > now + timings.slackMs;
  if (!isShut(back) && !others && !onHold && (await somethingIsDue(session, back))) {
    const enough = session.stop !== 'time' && now - invocation.startedAt < timings.sessionMs / 2;
    if (enough) return 'again';
    await ports.slow.send([{ v: 1, ep }]);
    return 'ack';
  }
  // 3. A short wait gets its wake-up now; a longer one is tend's.
  const next = wakeAtOf(back);
  if (next !== undefined && !isShut(back) && next - now <= timings.delayedWakeUpMs) {
    await ports.slow.send([{ v: 1, ep }], Math.max(0, Math.ceil((next - now) / 1_000)));
  }
  return 'ack';
}

async function nextLook(session: Session): Promise<number | undefined> {
  const { ports, ep, waitUntil } = session;
  if (session.saw !== undefined) return session.saw.nextAt;
  const page = await persist(session, () => ports.store.query({ ...aheadRange(ep, ports.clock.now()), limit: 1 }));
  const row = page.items[0];
  const times = [waitUntil, row && dueAtOf(row)].filter(at => at !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/**
 * D9: something is due, or the next due row comes earlier than the wait that is set. Reads the table, never an index: the
 * first row of the partition is a due one, if there is any, and else the next.
 */
async function somethingIsDue(session: Session, back: RuntimeItem): Promise<boolean> {
  const { ports, ep } = session;
  const { store, clock } = ports;
  const now = clock.now();
  const wakeAt = wakeAtOf(back) ?? Number.POSITIVE_INFINITY;
  const page = await persist(session, () => store.query({ ...rowsRange(ep), limit: 1 }));
  const first = page.items[0];
  if (first === undefined) return false;
  if (dueAtOf(first) <= now) {
    if (!session.config.endpoint.ordered) return true;
    const { msg, createdAt } = first;
    const record = await persist(session, () => store.get(recordKey({ ep, msg, createdAt }), 'consistent'));
    const dueAt = record !== undefined && record.gen === first.gen && isOpen(record) ? (record.nextAt ?? 0) : 0;
    return dueAt <= now || dueAt < wakeAt;
  }
  return dueAtOf(first) < wakeAt || back.gate === 'deleted';
}
