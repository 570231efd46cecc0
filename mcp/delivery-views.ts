/** Endpoints, deliveries and attempts as an agent gets them, of an operator's and of a customer's server. */
import { answerWords, dayWords, endpointWords, holdWords, stateWord } from '#core/words.ts';
import {
  type Caller,
  type Delivery,
  type DeliveryAttempt,
  type Endpoint,
  healthOf,
  listDeliveries,
} from '#operator/customers/deliveries.ts';
import { handle, outside } from './outside.ts';

const FEW = 20;

/** Of a URL only where it leads: paths and queries of webhooks are secrets of their receivers. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

/** Custom headers are not shown, with or without their values. */
export function endpointView(of: Endpoint) {
  const { state } = of;
  return {
    id: handle(of.id),
    // A customer does not see the producer's own name of it.
    uid: outside(of.uid ?? null),
    origin: outside(originOf(of.url ?? '')),
    types: outside(of.types.join(', ') || '*'),
    state,
    // A reason that somebody gave is in it.
    in_words: outside(`${stateWord(state)}: ${endpointWords(of, iso => iso)}`),
  };
}

export type Delivered = Omit<Delivery, 'generation'>;

export function deliveryView(of: Delivered) {
  const { status, attempt_count: attempts, created_at, last_attempt: last, next_retry_at } = of;
  return {
    message: handle(of.message),
    endpoint: handle(of.endpoint),
    type: outside(of.type),
    status,
    in_words: stateWord(status),
    attempts,
    published_at: created_at,
    last_answer: last === null ? null : answerWords(last.status, last.class),
    on_hold: of.held ? { why: holdWords(of.held_why), until: of.held_until } : null,
    next_try_at: next_retry_at,
  };
}

/** Without the request, whose address and headers may be secret, and without the body of the answer. */
export function attemptView({ kind, attempt, at, class: of, code, in_words, detail, timings_ms }: DeliveryAttempt) {
  const answer = answerWords(code, of);
  return {
    ...{ kind, attempt, at, answer, ms: timings_ms['total'] ?? null },
    in_words: outside(in_words),
    detail: outside(detail),
  };
}

/** How an endpoint is, and its last deliveries. */
export async function oneEndpoint(caller: Caller, app: string, ep: string) {
  const [health, last, dead] = await Promise.all([
    healthOf(caller, app, ep),
    listDeliveries(caller, { app, ep }, { limit: FEW }),
    listDeliveries(caller, { app, ep }, { limit: FEW, status: 'dead' }),
  ]);
  const { state, waiting, dead: deadCount, dead_more: deadMore, died, last_day: day } = health;
  const view = (list: readonly Delivered[]) => list.map(deliveryView);
  return {
    state,
    in_words: outside(`${stateWord(state)}: ${endpointWords(health, iso => iso)}`),
    waiting,
    ...{ dead_now: deadCount, dead_more: deadMore, died_ever: died },
    last_day: day === undefined ? null : dayWords(day),
    last_deliveries: view(last),
    dead_deliveries: view(dead),
  };
}
