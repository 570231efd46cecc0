/** The log of attempts: what people see of one request. Best effort: the record says what matters. */
import { askOrSkip } from '#core/ask.ts';
import type { OutgoingRequest } from '#core/outbound/ports.ts';
import type { AttemptItem } from '#core/outbound/protocol/items.ts';
import { attemptKey } from '#core/outbound/protocol/keys.ts';
import { deliveryExpiry, retentionOf } from '#core/outbound/protocol/timings.ts';
import { exchanged } from './exchanged.ts';
import type { Seen, Sending } from './sending.ts';
import type { Session } from './session-state.ts';

export async function logAttempt(
  session: Session,
  request: OutgoingRequest,
  { delivery, n, record }: Sending,
  seen: Seen,
): Promise<void> {
  const { ports, rules, config, health } = session;
  const { answer, verdict, onTrial, spared, startedAt } = seen;
  const sent = { url: request.url, headers: request.headers, own: config.endpoint.headers };
  const item: AttemptItem = {
    kind: verdict.fault === 'throttle' ? 'throttled' : onTrial ? 'trial' : 'delivery',
    ...{ at: startedAt, gen: delivery.gen, n },
    ...exchanged(ports.codec, sent, answer, verdict.class),
    fault: verdict.fault,
    ...(spared ? { spared: 'egress' } : {}),
    othersOk: (health.oks ?? 0) - (record?.oksBefore ?? seen.known.oks ?? 0),
    expiresAt: deliveryExpiry(delivery.createdAt, startedAt, retentionOf(delivery, rules.retentionMs)),
  };
  const key = attemptKey(delivery.ep, delivery.msg, delivery.gen, n, startedAt);
  const asker = { telemetry: ports.telemetry, stage: 'attempt_record', fields: { endpoint: delivery.ep } };
  await askOrSkip(asker, () => ports.store.put({ kind: 'put', key, item }));
}
