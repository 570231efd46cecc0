/**
 * What a failed request leaves behind. A charged one counts, and waits for its schedule. One that is not charged waits for
 * the endpoint's hold or, where there is none, by itself: no row is ever sent twice without a wait.
 */
import { given } from '#core/given.ts';
import type { Outcome } from '#core/outbound/protocol/delivery-writes.ts';
import type { LastAttempt, RecordItem } from '#core/outbound/protocol/items.ts';
import type { Random } from '#core/ports.ts';
import { MINUTE_MS } from '#core/time.ts';
import { hideEchoes } from './exchanged.ts';
import { countHead, type Head, headLimitMs } from './head-of-line.ts';
import { writeFailure, writeWait } from './record-outcome.ts';
import { attemptsOf, jittered, nextAttemptAt } from './schedule.ts';
import type { Seen, Sending } from './sending.ts';
import { persist, type Session, stopFor } from './session-state.ts';
import { tell } from './tell.ts';

const SNIPPET_BYTES = 256;
const FAILING_AT = 4;
/** Waits of what is not the endpoint's fault: doubled each time, up to the longest. */
const OWN_WAIT_MS = 30_000;
const LONGEST_OWN_WAIT_MS = 15 * MINUTE_MS;

/** The wait after the `waits`-th failure in a row that was nobody's but ours: 30 s, doubled up to 15 min. */
export const ownWait = (waits: number, random: Random): number =>
  jittered(Math.min(OWN_WAIT_MS * 2 ** Math.min(waits - 1, 20), LONGEST_OWN_WAIT_MS), random);

/** True where it was the delivery's last. */
export async function settleFailure(session: Session, sending: Sending, seen: Seen): Promise<boolean> {
  const { endpoint } = session.config;
  // 1. Charged, or a wait of its own: a hold of the endpoint, or a wait for its pace, is wait enough.
  let over = false;
  if (seen.charged) over = await charge(session, sending, seen);
  else if (session.health.holdUntil === undefined) await spare(session, sending, seen);
  // 2. Whatever it was not charged for: nothing passes the head.
  if (endpoint.ordered && (!seen.charged || session.waitUntil !== undefined)) stopFor(session, 'waiting');
  return over;
}

async function charge(session: Session, sending: Sending, seen: Seen): Promise<boolean> {
  const { rules, ports, config } = session;
  const { verdict, now, pace } = seen;
  const { delivery, n } = sending;
  const waits = (await persist(session, () => config.waits())) ?? rules.waits;
  const head = headOf(session, sending, seen);
  const leftMs = head === undefined ? Number.POSITIVE_INFINITY : headLimitMs(config.endpoint) - head.headMs;
  const last = n >= attemptsOf(waits, sending.message.maxAttempts) || leftMs <= 0;
  const next = nextAttemptAt(waits, pace.n, { now, random: pace.random, notBefore: verdict.retryAfterMs });
  // The head is asked once more when its time is up, and not hours later.
  const nextAt = last ? undefined : Math.min(next, now + leftMs);
  const outcome = { ...outcomeOf(session, sending, seen), ...given({ head }) };
  if (!(await writeFailure(session, sending, nextAt, outcome))) return last;
  if (last) {
    session.died += 1;
    ports.telemetry.count('DeadDeliveries');
    await tell(session, 'delivery.dead', { message: delivery.msg });
  }
  if (n === FAILING_AT) await tell(session, 'message.failing', { message: delivery.msg });
  return last;
}

/** What an answer that is about the head adds to its time; silence adds nothing. */
function headOf(session: Session, { record, delivery }: Sending, { verdict, now, known }: Seen): Head | undefined {
  const { ordered } = session.config.endpoint;
  if (!ordered || delivery.gen !== 1 || verdict.fault === 'endpoint') return undefined;
  return countHead(record, { now, silentSince: known.silentSince });
}

async function spare(session: Session, sending: Sending, seen: Seen): Promise<void> {
  const { rules, config } = session;
  const { verdict, now, spared, pace } = seen;
  const waits = pace.waits + 1;
  const byItself = spared || verdict.fault === 'ours';
  const schedule = byItself ? undefined : ((await persist(session, () => config.waits())) ?? rules.waits);
  const nextAt =
    schedule === undefined
      ? Math.round(now + ownWait(waits, pace.random))
      : nextAttemptAt(schedule, pace.n, { now, random: pace.random, notBefore: verdict.retryAfterMs });
  await writeWait(session, sending, { nextAt, waits }, outcomeOf(session, sending, seen));
}

/** What a record keeps of an attempt. */
export function outcomeOf(
  session: Session,
  { record }: { readonly record: RecordItem | undefined },
  seen: Seen,
): Outcome {
  const { answer, verdict, now, startedAt, known } = seen;
  const failed = verdict.fault !== 'none';
  const { headers: own } = session.config.endpoint;
  const said = answer.kind === 'answered' && answer.body.length > 0 ? hideEchoes(textOf(answer.body), own) : undefined;
  const snippet = said?.slice(0, SNIPPET_BYTES);
  return {
    now,
    retentionMs: session.rules.retentionMs,
    last: lastOf(seen),
    ...given({ snippet }),
    ...(record?.firstAt === undefined ? { firstAt: startedAt } : {}),
    ...(failed && record?.oksBefore === undefined ? { oksBefore: known.oks ?? 0 } : {}),
  };
}

function lastOf({ answer, verdict, startedAt, now, kid }: Seen): LastAttempt {
  return {
    at: startedAt,
    ms: now - startedAt,
    class: verdict.class,
    ...(answer.kind === 'answered' ? { code: answer.status, bytes: answer.bytes } : {}),
    ...given({ kid }),
  };
}

/** The start of an answer as text, without control characters: it is shown in terminals and pages. */
function textOf(body: Uint8Array): string {
  // An echo at the end of what is shown is read whole.
  const text = new TextDecoder().decode(body.subarray(0, 8 * SNIPPET_BYTES));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass.
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');
}
