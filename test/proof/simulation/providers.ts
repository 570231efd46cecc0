/** The simulated providers: how each signs, names, waits and retries, in code of its own. */
import { createHash, createHmac } from 'node:crypto';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { github } from '#providers/github.ts';
import { shopify } from '#providers/shopify.ts';
import { slack } from '#providers/slack.ts';
import { stripe } from '#providers/stripe.ts';
import { xero } from '#providers/xero.ts';
import { type HandlerPlan, typeOf } from './event-kinds.ts';

export const SECRET = 'secret_of_the_simulated_providers';

/** One event as its provider knows it. */
export interface ProviderEvent {
  readonly source: string;
  readonly id: string;
  readonly createdAt: number;
  readonly plan: HandlerPlan;
  readonly filler: string;
  /** More events in the same request; only where the provider sends batches. */
  readonly others: readonly { readonly id: string; readonly plan: HandlerPlan }[];
}
export interface Request {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Provider {
  readonly source: string;
  readonly spec: ProviderSpec;
  /** The provider gives up waiting for an answer after this. */
  readonly patienceMs: number;
  /** Waits before the second, third … delivery; after the last it gives up. */
  readonly waitsMs: readonly number[];
  /** Up to this long after an event, a person or a fault at the provider delivers it again. */
  readonly lateMs: number;
  readonly batches: boolean;
  /** `variant`: another body under the same id. `now`: its own clock, for signatures that carry the time. */
  request(event: ProviderEvent, now: number, variant: number): Request;
}

const hmac = (encoding: 'hex' | 'base64', ...parts: (string | Buffer)[]): string => {
  const mac = createHmac('sha256', SECRET);
  for (const part of parts) mac.update(part);
  return mac.digest(encoding);
};
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const seconds = (ms: number): string => String(Math.floor(ms / 1_000));
const JSON_TYPE = { 'content-type': 'application/json' };

const exponential = (firstMs: number, capMs: number, totalMs: number): number[] => {
  const waits: number[] = [];
  for (let wait = firstMs, sum = wait; sum <= totalMs; wait = Math.min(capMs, wait * 2), sum += wait) waits.push(wait);
  return waits;
};

/** Up to three days with growing waits; the single waits are not published. */
const stripeLike: Provider = {
  source: 'stripe',
  spec: stripe,
  patienceMs: 10 * SECOND_MS,
  waitsMs: exponential(5 * MINUTE_MS, 12 * HOUR_MS, 72 * HOUR_MS),
  lateMs: 72 * HOUR_MS,
  batches: false,
  request({ id, createdAt, plan, filler }, now, variant) {
    const created = Math.floor(createdAt / 1_000);
    const body = json({ id, type: typeOf(plan.kind, variant), created, plan, filler, variant });
    return {
      body,
      headers: { ...JSON_TYPE, 'stripe-signature': `t=${seconds(now)},v1=${hmac('hex', seconds(now), '.', body)}` },
    };
  },
};

/** Eight times in four hours. */
const shopifyLike: Provider = {
  source: 'shopify',
  spec: shopify,
  patienceMs: 5 * SECOND_MS,
  waitsMs: exponential(56 * SECOND_MS, 4 * HOUR_MS, 4 * HOUR_MS).slice(0, 8),
  lateMs: 4 * HOUR_MS,
  batches: false,
  request({ id, createdAt, plan, filler }, _now, variant) {
    const body = json({ plan, filler, variant });
    const headers = {
      ...JSON_TYPE,
      'x-shopify-webhook-id': id,
      'x-shopify-topic': typeOf(plan.kind, variant),
      'x-shopify-triggered-at': new Date(createdAt).toISOString(),
      'x-shopify-hmac-sha256': hmac('base64', body),
    };
    return { body, headers };
  },
};

/** Never by itself; a person's script redelivers within three days. */
const githubLike: Provider = {
  source: 'github',
  spec: github,
  patienceMs: 10 * SECOND_MS,
  waitsMs: [],
  lateMs: 72 * HOUR_MS,
  batches: false,
  request({ id, plan, filler }, _now, variant) {
    const [event = '', action] = typeOf(plan.kind, variant).split('.');
    const body = json({ action, plan, filler, variant });
    const headers = {
      ...JSON_TYPE,
      'x-github-delivery': id,
      'x-github-event': event,
      'x-hub-signature-256': `sha256=${hmac('hex', body)}`,
    };
    return { body, headers };
  },
};

/** Three times: at once, after one minute, after five. */
const slackLike: Provider = {
  source: 'slack',
  spec: slack,
  patienceMs: 3 * SECOND_MS,
  waitsMs: [100, MINUTE_MS, 5 * MINUTE_MS],
  lateMs: HOUR_MS,
  batches: false,
  request({ id, createdAt, plan, filler }, now, variant) {
    const event_time = Math.floor(createdAt / 1_000);
    const body = json({
      event_id: id,
      type: 'event_callback',
      event: { type: typeOf(plan.kind, variant) },
      event_time,
      plan,
      filler,
      variant,
    });
    const headers = {
      ...JSON_TYPE,
      'x-slack-request-timestamp': seconds(now),
      'x-slack-signature': `v0=${hmac('hex', 'v0:', seconds(now), ':', body)}`,
    };
    return { body, headers };
  },
};

/** Many events in one request; growing waits for a day. */
const xeroLike: Provider = {
  source: 'xero',
  spec: xero,
  patienceMs: 5 * SECOND_MS,
  waitsMs: exponential(2 * MINUTE_MS, 6 * HOUR_MS, 24 * HOUR_MS),
  lateMs: 24 * HOUR_MS,
  batches: true,
  request(event) {
    const eventDateUtc = new Date(event.createdAt).toISOString();
    const events = [event, ...event.others].map(({ id, plan }) => {
      const [eventCategory, eventType] = typeOf(plan.kind).split('.');
      return { tenantId: TENANT, resourceId: id, eventCategory, eventType, eventDateUtc, plan };
    });
    const body = json({ events });
    return { body, headers: { ...JSON_TYPE, 'x-xero-signature': hmac('base64', body) } };
  },
};

export const PROVIDERS: readonly Provider[] = [stripeLike, shopifyLike, githubLike, slackLike, xeroLike];

const TENANT = 'tenant-1';
const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const joined = (parts: readonly string[]): string => parts.map(part => `${part.length}:${part}`).join(',');

/** Keys under which an event, or each event of a batch, must be recorded; `bytes`: what a handler of it must see. */
export function expectedKeys(
  provider: Provider,
  event: ProviderEvent,
  request: Request,
): { request: string; items: readonly { key: string; plan: HandlerPlan; bytes: Buffer }[] } {
  if (!provider.batches) return { request: event.id, items: [] };
  const { events } = JSON.parse(request.body.toString()) as { events: Record<string, string>[] };
  const items = events.map((item, at) => {
    const parts = ['tenantId', 'resourceId', 'eventCategory', 'eventType', 'eventDateUtc'].map(
      name => item[name] ?? '',
    );
    const key = joined(parts);
    return { key, plan: (at === 0 ? event : event.others[at - 1])?.plan ?? event.plan, bytes: json(item) };
  });
  return { request: sha256(joined([...items.map(({ key }) => key), ''])), items };
}
