/** A day of a shop, for screenshots: four sources, a bad deploy in the night, and what a person sees of it. */

import { nodeCodec } from '#adapters/codec/node-codec.ts';
import type { EventKey } from '#core/glossary.ts';
import { shapeOf } from '#core/inbound/drift/shape.ts';
import { encodeShape } from '#core/inbound/drift/stored-shape.ts';
import { refusedKey } from '#core/inbound/protocol/event-item.ts';
import { MINUTE_MS } from '#core/time.ts';
import { sampleEvent } from '#operator/sources/sample-event.ts';
import type { ConsoleGateway } from '#test/kit/console-gateway.ts';

const TYPES = {
  stripe: [
    'payment_intent.succeeded',
    'charge.succeeded',
    'invoice.paid',
    'customer.subscription.updated',
    'charge.refunded',
  ],
  github: ['push', 'pull_request.opened', 'issues.labeled', 'workflow_run.completed'],
  shopify: ['orders/create', 'orders/paid', 'fulfillments/create', 'products/update'],
  slack: ['event_callback.message', 'event_callback.reaction_added'],
} as const;
const SHARE = [
  'stripe',
  'stripe',
  'stripe',
  'stripe',
  'shopify',
  'shopify',
  'shopify',
  'github',
  'github',
  'slack',
] as const;
const ERRORS = [
  [
    'stripe',
    'payment_intent.succeeded',
    'permanent',
    n => `permanent: column "tax_rate" does not exist, charge ch_3P${n}xQ7, row ${n * 17}`,
  ],
  [
    'shopify',
    'orders/create',
    'handler_error',
    n => `handler_error: ledger answered 503 to order ${450_000 + n} after 9${n % 10}00 ms`,
  ],
  ['stripe', 'invoice.paid', 'timeout', n => `timeout: no end of the attempt after 30000 ms, invoice in_1P${n}`],
  ['github', 'push', 'permanent', n => `permanent: no repository with id ${900_100 + n}`],
] as const satisfies readonly (readonly [string, string, string, (n: number) => string])[];

/** Small, and the same on each call: screenshots that did not change do not change. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function hex(random: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
}

export interface DemoOptions {
  readonly events: number;
  readonly dead: number;
  /** Until when, epoch ms. */
  readonly now: number;
  /** Over how long, ms. */
  readonly overMs: number;
}

export function fillDemo(gateway: ConsoleGateway, { events, dead, now, overMs }: DemoOptions): void {
  const random = randomOf(7);
  const bodies = new Map(
    Object.keys(TYPES).map(source => [source, Buffer.from(sampleEvent(source, new Date(now - 60_000)).body)] as const),
  );
  for (let n = 0; n < events; n++) {
    const source = SHARE[Math.floor(random() * SHARE.length)] ?? 'stripe';
    const types = TYPES[source];
    const type = types[Math.floor(random() ** 1.6 * types.length)] ?? types[0];
    const at = now - Math.floor((n / events) ** 1.1 * overMs) - 2_000;
    const late = random() > 0.97;
    gateway.add({
      source,
      key: keyOf(source, random),
      type,
      status: random() > 0.96 ? 'ignored' : 'completed',
      receivedAt: at,
      tookMs: late ? 14_300 : 28 + Math.floor(random() * 60),
      attempts: late ? 2 : 1,
      body: bodies.get(source),
      headers: { 'content-type': 'application/json', 'user-agent': `${source}-webhooks/1.0` },
      ...(late ? { more: { recentAttempts: [{ n: 1, at: at + 22, ms: 36, cause: 'handler_error' }] } } : {}),
    });
  }
  for (let n = 0; n < dead; n++) {
    const [source, type, cause, errorOf] = ERRORS[Math.min(3, Math.floor(random() ** 2.2 * 4))] ?? ERRORS[0];
    const at = now - Math.floor(600_000 + random() * 1_800_000);
    const attempts = cause === 'permanent' ? 1 : 8;
    gateway.add({
      source,
      key: keyOf(source, random),
      type,
      status: 'dead_letter',
      receivedAt: at,
      tookMs: attempts === 1 ? 61 : 412_000,
      attempts,
      cause,
      lastError: errorOf(n),
      body: bodies.get(source),
      headers: { 'content-type': 'application/json', 'user-agent': `${source}-webhooks/1.0` },
      more: { recentAttempts: attemptsOf(at, attempts, cause) },
    });
  }
}

/** Requests that were refused, shapes that changed, an alarm's numbers: what the other screens show. */
export function fillAround(gateway: ConsoleGateway, now: number): void {
  const body = sampleEvent('stripe', new Date(now)).body;
  const causes = [...Array.from({ length: 5 }, () => 'mismatch'), 'stale', 'missing'];
  gateway.refused = causes.map((cause, n) => ({
    ...refusedKey('stripe', cause, n),
    cause,
    ...(cause === 'stale' ? { hint: 'the timestamp is 2,714 s old' } : {}),
    refusedAt: now - 40_000 - n * 47_000,
    size: body.length,
    headers: { 'content-type': 'application/json', 'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)' },
    bytes: nodeCodec.deflate(Buffer.from(body)),
    expiresAt: Math.floor(now / 1_000) + 200_000,
  }));
  const types = ['charge.succeeded', 'customer.subscription.updated', 'invoice.paid', 'payment_intent.succeeded'];
  gateway.set('shapes#stripe', types.join('\n'));
  for (const [n, type] of types.entries()) {
    const shape = shapeOf(JSON.parse(sampleEvent('stripe', new Date(now), type).body));
    const change = { at: now - 5_400_000, added: ['data.object.tax_rate'], removed: [] };
    const changes = n === 2 ? [{ ...change, changed: ['data.object.amount: number, now also string'], paths: 2 }] : [];
    gateway.set(`shape#stripe#${type}`, encodeShape({ shape, learnUntil: now - 9_000_000, changes }));
  }
  const minutes = Array.from({ length: 180 }, (_, n) => now - (180 - n) * MINUTE_MS);
  const value = (n: number): number => (n < 153 ? 0 : Math.round(312 * Math.min(1, (n - 152) / 22)));
  const judged = { from: now - 180 * MINUTE_MS, periodMs: 60_000, threshold: 0, comparison: 'GreaterThanThreshold' };
  gateway.graphs = {
    [`holdfast-${gateway.environment}-process-dead-letters-waiting`]: {
      ...{ ...judged, periods: 1, needed: 1, missing: 'notBreaching' },
      points: minutes.map((at, n) => ({ at, value: value(n) })),
    },
  };
}

function attemptsOf(at: number, attempts: number, cause: string) {
  if (attempts === 1) return [{ n: 1, at: at + 31, ms: 30, cause }];
  return [6, 7, 8].map((n, k) => ({ n, at: at + [96_000, 213_000, 411_950][k]!, ms: 34 + k * 8, cause }));
}

function keyOf(source: string, random: () => number): EventKey {
  const text = {
    stripe: `evt_1P${hex(random, 22)}`,
    shopify: `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-9${hex(random, 3)}-${hex(random, 12)}`,
  }[source];
  return (text ?? `${hex(random, 8)}-cc78-11e3-${hex(random, 4)}-${hex(random, 12)}`) as EventKey;
}
