import { randomUUID } from 'node:crypto';
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { EventPk } from '#core/glossary.ts';
import { pkOf, type UnsignedRequest } from './gateway-under-test.ts';

/** One event of a load run, and what must become of it. */
export interface StormEvent extends UnsignedRequest {
  readonly pk: EventPk;
  readonly kind: string;
  /** Row of the payments table that counts its effect. */
  readonly paymentId: string;
  readonly endsAs: 'completed' | 'dead_letter';
  /** Attempts it needs when nobody interrupts them. */
  readonly attempts: number;
}

/** A payment or a drill for the shipped handlers of the source `default`, of a kind drawn at random. */
export function stormEvent(random: SeededRandom): StormEvent {
  const draw = random.next();
  if (draw < 0.4) return payment();
  if (draw < 0.7) return drill('complete', {});
  if (draw < 0.85) return drill('sleep', { ms: 200 + random.int(800) });
  if (draw < 0.95) return drill('throw', { failTimes: 1 });
  return drill('die', {});
}

function payment(): StormEvent {
  const key = randomUUID();
  const paymentId = `pi_${key}`;
  const object = { id: paymentId, amount: 1_999, currency: 'eur' };
  return { ...request(key, 'payment_intent.succeeded', { object }), ...ending(key, 'payment', paymentId) };
}

function drill(behave: string, options: Readonly<Record<string, number>>): StormEvent {
  const key = randomUUID();
  return {
    ...request(key, `drill.${behave}`, { behave, ...options }),
    ...ending(key, behave, `drill:evt_default.${key}`),
  };
}

function request(key: string, type: string, data: unknown): UnsignedRequest {
  const body = JSON.stringify({ event_id: key, event_type: type, created_at: new Date().toISOString(), data });
  return { body, headers: { 'content-type': 'application/json' } };
}

function ending(key: string, kind: string, paymentId: string) {
  return {
    pk: pkOf('default', key),
    kind,
    paymentId,
    endsAs: kind === 'die' ? ('dead_letter' as const) : ('completed' as const),
    attempts: kind === 'throw' ? 2 : 1,
  };
}
