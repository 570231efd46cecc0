/** One session: the time between taking an endpoint's lease and giving it back. What all its parts share. */
import { ask } from '#core/ask.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ItemPage, Placed, SenderSession } from '#core/outbound/ports.ts';
import { isShut } from '#core/outbound/protocol/decide.ts';
import { type Batch, renewLease } from '#core/outbound/protocol/delivery-writes.ts';
import type { EndpointId, JobId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { RowItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { runtimeKey } from '#core/outbound/protocol/keys.ts';
import type { DrainPorts, DrainRules, Invocation } from './drain-ports.ts';
import type { ConfigOf, EndpointConfig, GuardOn } from './endpoint-config.ts';
import type { Health } from './health.ts';

/**
 * Why nothing new begins. `held`: a hold was decided. `waiting`: an ordered head is not due. `time`: the lease or the
 * invocation is too short. `broken`: a dependency or we ourselves failed: the wake-up must come back.
 */
export type Stop = 'robbed' | 'closed' | 'held' | 'waiting' | 'time' | 'broken';

export interface SessionTools {
  readonly ports: DrainPorts;
  readonly rules: DrainRules;
  readonly configOf: ConfigOf;
  readonly guardOn: GuardOn;
}
/** `unreadable`: it is there, and cannot be had now. Undefined: it is gone. */
export type Body = Uint8Array | 'unreadable' | undefined;

export interface LargeBodies {
  /** Of those that are on their way or have arrived: ten sessions share the memory of one process. */
  bytes: number;
  readonly coming: Set<MessageId>;
  /** Whose row is taken with the next page. */
  readonly arrived: Map<MessageId, { readonly body: Body; readonly size: number }>;
}
export type FirstPage = ItemPage<Placed<RowItem>>;

export interface Session extends SessionTools {
  readonly ep: EndpointId;
  readonly me: string;
  readonly invocation: Invocation;
  /** Behind a shut gate, or where nothing is sent: only to end what is too old. */
  readonly toEnd: boolean;
  readonly startedAt: EpochMs;
  readonly http: SenderSession;
  /** By message: one request for a delivery, or one fetch of its body, at a time. */
  readonly inAir: Map<string, Promise<void>>;
  readonly large: LargeBodies;
  config: EndpointConfig;
  /** As last seen. */
  runtime: RuntimeItem;
  leaseUntil: EpochMs;
  lookedAt: EpochMs;
  health: Health;
  stop?: Stop | undefined;
  /** Whether it said how late its oldest row was. */
  measured?: true;
  /** Of an ordered endpoint: when its head is due. */
  waitUntil?: EpochMs | undefined;
  died: number;
  pages: number;
  /** The rows as they were just before the lease was taken: pointers, which may be stale as those of any page. */
  first?: FirstPage | undefined;
  /** The last page had nothing due, and nothing was in the air that could put a row: when the next one is due. */
  saw?: { readonly nextAt: EpochMs | undefined } | undefined;
  fullPages: number;
  /** Behind a shut gate: how far its retries and replays were looked through, and when the next of them is too old. */
  later: { readonly cursor: string | undefined; readonly nextAt: EpochMs };
  /** Rows of replay jobs that are done, since it last asked for more. */
  readonly replays: Map<JobId, number>;
  /** Of a batched endpoint, once they were read: its open batches, by member. */
  batches?: Map<string, Batch>;
  /** Kinds of operational events it has told. */
  readonly told: Set<string>;
}

/** The first reason counts, but for `broken`: then the wake-up must come back, whatever else. */
export function stopFor(session: Session, why: Stop): void {
  if (session.stop === undefined || why === 'broken') session.stop = why;
}

const TRIES = 3;
const PAUSE_MS = 150;
/** A write or read of a session: tried again while it fails and the lease is valid. The last error stops the session. */
export async function persist<T>(session: Session, call: () => Promise<T>): Promise<T> {
  const { clock, timer, telemetry } = session.ports;
  for (let attempt = 1; ; attempt++) {
    const asked = await ask({ telemetry, stage: 'session', fields: { endpoint: session.ep, attempt } }, call);
    if (asked.ok) return asked.value;
    if (attempt >= TRIES || clock.now() >= session.leaseUntil) throw asked.error;
    await timer.sleep(PAUSE_MS * attempt);
  }
}

/** D7: whose lease, and which gate, now; and more time where a third of the lease is gone. */
export async function look(session: Session): Promise<void> {
  const { ports, rules, ep, me, toEnd } = session;
  const { timings } = rules;
  const runtime = await persist(session, () => ports.store.get(runtimeKey(ep), 'consistent'));
  const now = ports.clock.now();
  session.lookedAt = now;
  if (runtime?.owner !== me) {
    ports.telemetry.count('SessionsRobbed');
    return stopFor(session, 'robbed');
  }
  session.runtime = runtime;
  await readConfigAgain(session);
  if (isShut(runtime) !== toEnd) return stopFor(session, 'closed');
  if (session.leaseUntil - now > timings.leaseMs - timings.leaseMs / 3) return;
  const leaseUntil = now + timings.leaseMs;
  const renewed = await persist(session, () => ports.store.update(renewLease(ep, me, leaseUntil)));
  if (renewed.kind === 'applied') session.leaseUntil = leaseUntil;
  else stopFor(session, 'robbed');
}

/** A changed address, or a secret that is gone, holds for what waits, too; kept for seconds, so most looks read nothing. */
async function readConfigAgain(session: Session): Promise<void> {
  const { configOf, runtime } = session;
  if (runtime.gate !== 'open') return;
  const config = await configOf(runtime).catch(() => undefined);
  // Deleted a moment ago: the next look sees the gate.
  if (config !== undefined && config.endpoint.deletedAt === undefined) session.config = config;
}

/** Whether a request may begin now: lease and invocation both outlive its deadline. */
export function hasTime({ ports, rules, config, leaseUntil, invocation }: Session): boolean {
  const { timings } = rules;
  const now = ports.clock.now();
  const until = now + config.endpoint.timeoutMs + timings.marginMs;
  return until <= leaseUntil && until <= invocation.deadline && now - invocation.startedAt < timings.sessionMs;
}
