/**
 * The synthetic probe: one signed event through the public URL, watched until it is completed. What it measures is what a
 * provider and a handler see together. A probe that fails reports nothing: the absence is the alarm.
 */

import { DependencyError } from '#core/errors.ts';
import { type EpochMs, type EventPk, isEventKey, type SourceId, toEventPk } from '#core/glossary.ts';
import type { EventStore } from '#core/inbound/ports.ts';
import type { Clock, Crypto, Ids, Secrets, Sender, Telemetry, Timer } from '#core/ports.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { toIso } from '#core/time.ts';
import { signRequest } from '#core/verification/sign-request.ts';

export interface ProbePorts {
  readonly sender: Sender;
  readonly secrets: Pick<Secrets, 'get' | 'refresh'>;
  readonly store: Pick<EventStore, 'get'>;
  readonly crypto: Pick<Crypto, 'hash' | 'hmac'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timer: Pick<Timer, 'sleep'>;
  readonly telemetry: Telemetry;
}

export interface ProbeRules {
  /** The probe's own source. */
  readonly source: { readonly id: SourceId; readonly spec: ProviderSpec };
  /** The public URL of the source. */
  readonly url: string;
  /** How long the event may take to be completed. */
  readonly limitMs: number;
}

const ANSWER_LIMIT_MS = 10_000;
const POLL_MS = 50;

/**
 * One probe:
 *  1. get the probe's secret;
 *  2. send a signed event to the public URL;
 *  3. look at its record until it is completed;
 *  4. report the time from the send to there. Anything else is logged, and nothing is reported.
 */
export async function probe(ports: ProbePorts, rules: ProbeRules): Promise<void> {
  const failed = (cause: string, fields: Readonly<Record<string, unknown>> = {}): void =>
    ports.telemetry.log('error', { stage: 'probe', cause, ...fields });
  const { source } = rules;
  try {
    const secret = await ports.secrets.get(source.id);
    if (secret.kind !== 'secret') return failed(secret.kind === 'unset' ? 'secret_not_set' : 'secret_unreadable');
    const startedAt = ports.clock.now();
    const { pk, status } = await send(secret.secret.current, startedAt, ports, rules);
    if (status < 200 || status > 299) {
      // Perhaps the secret was changed since it was read: the next probe has the new one.
      if (status === 401) await ports.secrets.refresh(source.id);
      return failed('refused', { status, pk });
    }
    const seen = await waitForEnd(pk, startedAt + rules.limitMs, ports);
    if (seen !== 'completed') return failed('not_completed', { pk, status: seen, after_ms: rules.limitMs });
    ports.telemetry.measure('ProbeLatency', ports.clock.now() - startedAt);
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    failed('dependency', { dependency: error.dependency, error: error.message });
  }
}

async function send(
  secret: string,
  now: EpochMs,
  ports: ProbePorts,
  { source, url }: ProbeRules,
): Promise<{ pk: EventPk; status: number }> {
  const key = ports.ids.uuid();
  if (!isEventKey(key)) throw new RangeError(`"${key}" is not an event key`);
  const text = JSON.stringify({ event_id: key, event_type: 'probe', created_at: toIso(now) });
  const body = new TextEncoder().encode(text);
  const headers = { 'content-type': 'application/json' };
  const signed = signRequest(source.spec, { body, headers, secret, nowMs: now, crypto: ports.crypto });
  const status = await ports.sender.post(url, signed.headers, body, ANSWER_LIMIT_MS);
  return { pk: toEventPk(source.id, key), status };
}

/** The status it was seen in last: `completed`, or whatever it is when the time is over. */
async function waitForEnd(pk: EventPk, until: EpochMs, ports: ProbePorts): Promise<string> {
  for (;;) {
    const item = await ports.store.get(pk);
    if (item?.status === 'completed') return 'completed';
    if (ports.clock.now() >= until) return item?.status ?? 'no record';
    await ports.timer.sleep(POLL_MS);
  }
}
