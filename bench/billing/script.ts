/** The fixed script of events, and what each of its kinds is billed. */

import { nodeCodec } from '#adapters/codec/node-codec.ts';
import {
  done,
  type HandlerContext,
  type HandlerRegistry,
  PermanentError,
  retryAfter,
  type WebhookEvent,
} from '#core/handler/handler-contract.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { ProviderEvent } from '#test/kit/events/event-builder.ts';
import { providerEvent } from '#test/kit/events/provider-events.ts';
import { BilledGateway, EFFECTS } from './billed-gateway.ts';
import { type BilledCall, type Counts, difference } from './counters.ts';

export const SCRIPT = {
  ok: 1_000,
  effect: 99,
  unclaimed: 99,
  ignored: 99,
  duplicates: 50,
  retries: 20,
  deadLetters: 5,
  replays: 1,
  crashes: 1,
};
export type Script = Readonly<Record<keyof typeof SCRIPT, number>>;
export const EVENT_KINDS = [
  'ok',
  'effect',
  'unclaimed',
  'unclaimedEffect',
  'ignored',
  'duplicate',
  'retry',
  'deadLetter',
  'replay',
  'crash',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface ScriptResult {
  readonly batchSize: number;
  readonly bodyBytes: number;
  /**
   * Of one event of each kind. `effect`, `retry`, `crash`: what it adds to an ok event. `unclaimed`, `unclaimedEffect`: an ok
   * event of a handler with `onlyTransacts`, without and with an effect row. `ignored`: an event without a handler.
   */
  readonly perEvent: Readonly<Record<EventKind, Counts>>;
  /** Bytes stored for one ok event: table and index entries with their overhead. */
  readonly storedBytes: { readonly events: number; readonly payloads: number };
  /** Means over the ok events: what a body becomes on its way. */
  readonly bytes: { readonly deflated: number; readonly payloadItem: number; readonly message: number };
  /** Units of the whole script, by these counts and as the in-memory database charges them. */
  readonly billed: { readonly writes: number; readonly reads: number };
  readonly charged: { readonly writes: number; readonly reads: number };
  /** Calls to AWS for one ok event alone in its batch, in order. */
  readonly happyPath: readonly BilledCall[];
}

interface Behaviour {
  /** There is none. */
  noHandler: boolean;
  onlyTransacts: boolean;
  failures: number;
  dies: boolean;
  transacts: boolean;
}

const WELL: Behaviour = { noHandler: false, onlyTransacts: false, failures: 0, dies: false, transacts: false };

/** Runs the script with a batch size, 1 to 10. Throws when an event does not end as its kind says. */
export async function runScript(batchSize: number, script: Script = SCRIPT): Promise<ScriptResult> {
  const behaviour: Behaviour = { ...WELL };
  const world = new BilledGateway({ batchSize, handlers: handlersOf(behaviour) });
  let number = 0;
  const next = (): ProviderEvent => providerEvent(number++, world.clock.now());
  const nextFew = (count: number): ProviderEvent[] => Array.from({ length: count }, next);
  const deliverAll = async (events: readonly ProviderEvent[]): Promise<void> => {
    for (const event of events) {
      const status = await world.deliver(event);
      if (status !== 200) throw new Error(`${event.provider} ${event.id} was answered ${status}, not 200`);
    }
  };
  const billed = async (work: () => Promise<void>): Promise<Counts> => {
    const before = structuredClone(world.meter.counts);
    await work();
    return difference(structuredClone(world.meter.counts), before);
  };
  const settle = async (): Promise<void> => {
    await world.drain();
    await world.clock.advanceBy(60_000);
    await world.drain();
  };

  // Pause flags and secrets are read once per environment: not what an event costs.
  await deliverAll(nextFew(10));
  await settle();
  const warm = world.storedBytes();

  const callsBeforeOk = world.meter.calls.length;
  const events = nextFew(script.ok);
  const ok = await billed(async () => {
    await deliverAll(events);
    await world.drain();
  });
  const stored = world.storedBytes();
  const okCalls = world.meter.calls.slice(callsBeforeOk);
  const perOk = difference(ok, ok, script.ok, 0);

  const callsBefore = world.meter.calls.length;
  await deliverAll([next()]);
  await world.drain();
  const happyPath = world.meter.calls.slice(callsBefore);

  /** One of so many new events while handlers behave so. */
  const oneOf = async (count: number, so: Partial<Behaviour>, end = () => world.drain()): Promise<Counts> => {
    Object.assign(behaviour, so);
    const all = await billed(async () => {
      await deliverAll(nextFew(count));
      await end();
    });
    Object.assign(behaviour, WELL);
    return difference(all, all, count, 0);
  };
  const effect = await oneOf(script.effect, { transacts: true });
  const unclaimedEffect = await oneOf(script.unclaimed, { transacts: true, onlyTransacts: true });
  const unclaimed = await oneOf(script.unclaimed, { onlyTransacts: true });
  const ignored = await oneOf(script.ignored, { noHandler: true });
  const duplicates = await billed(() => deliverAll(events.slice(0, script.duplicates)));
  const retry = await oneOf(script.retries, { failures: script.retries }, settle);
  const deadLetter = await oneOf(script.deadLetters, { dies: true });
  if (world.dead.numbers().visible !== script.deadLetters) throw new Error('the dead letters are not in their queue');

  const replays = await billed(async () => {
    await world.replay(events[0] as ProviderEvent);
    await world.drain();
  });

  await world.clock.advanceBy(30 * MINUTE_MS);
  // The first run notes the sources it knows; what later ones cost is part of the idle cost.
  await world.sweep();
  await world.clock.advanceBy(60_000);
  const idleSweep = await billed(() => world.sweep());
  const crash = await billed(async () => {
    await world.deliverAndCrash(next());
    await world.clock.advanceBy(3 * MINUTE_MS);
    await world.sweep();
    await world.drain();
  });

  return {
    batchSize,
    bodyBytes: Math.round(events.reduce((sum, it) => sum + Buffer.byteLength(it.body), 0) / events.length),
    perEvent: {
      ok: perOk,
      effect: difference(effect, perOk),
      ...{ unclaimed, unclaimedEffect, ignored, deadLetter },
      duplicate: difference(duplicates, duplicates, script.duplicates, 0),
      retry: difference(retry, perOk),
      replay: difference(replays, replays, script.replays, 0),
      crash: difference(difference(crash, idleSweep), perOk),
    },
    storedBytes: {
      events: (stored.events - warm.events) / script.ok,
      payloads: (stored.payloads - warm.payloads) / script.ok,
    },
    bytes: {
      deflated: meanOf(events.map(it => nodeCodec.deflate(Buffer.from(it.body), it.provider).length)),
      payloadItem: meanOf(bytesOf(okCalls, 'PutItem', 'payloads')),
      message: meanOf(bytesOf(okCalls, 'SendMessage', 'work')),
    },
    billed: { writes: world.meter.counts.writeUnits, reads: world.meter.counts.readUnits },
    charged: world.database.charged(),
    happyPath,
  };
}

/**
 * Read units that come after an ok event: of the sweeper, which looks at each arrival twice, and of the nightly audit, which
 * reads each record (`recordBytes`) in every night of its 30 days, eventually consistent.
 */
export async function measureUpkeep(
  recordBytes: number,
  events = 300,
): Promise<{ readonly sweep: number; readonly audit: number }> {
  const world = new BilledGateway({
    batchSize: 10,
    handlers: handlersOf(WELL),
  });
  const sweepLater = async (minutes: number): Promise<number> => {
    await world.clock.advanceBy(minutes * MINUTE_MS);
    const before = world.meter.counts.readUnits;
    await world.sweep();
    return world.meter.counts.readUnits - before;
  };
  await world.deliver(providerEvent(0, world.clock.now()));
  await world.drain();
  await sweepLater(30);
  for (let number = 1; number <= events; number++) await world.deliver(providerEvent(number, world.clock.now()));
  await world.drain();
  const busy = await sweepLater(20);
  const idle = await sweepLater(20);
  return { sweep: (busy - idle) / events, audit: (30 * recordBytes) / 4096 / 2 };
}

function bytesOf(calls: readonly BilledCall[], call: string, target: string): number[] {
  return calls.filter(it => it.call === call && it.target === target).map(it => it.bytes);
}

const meanOf = (values: readonly number[]): number => Math.round(values.reduce((a, b) => a + b, 0) / values.length);

function handlersOf(behaviour: Behaviour): HandlerRegistry {
  const registration = {
    source: '*',
    type: '*',
    handle: async (event: WebhookEvent, context: HandlerContext) => {
      if (behaviour.dies) throw new PermanentError('asked to by the script');
      if (behaviour.failures > 0 && context.attempt === 1) {
        behaviour.failures -= 1;
        return retryAfter(5, 'asked to by the script');
      }
      if (behaviour.transacts) {
        context.transact([{ kind: 'put', table: EFFECTS, item: { id: event.id, type: event.type, at: event.time } }]);
      }
      return done({ actionTaken: 'counted' });
    },
  };
  const [claimed, unclaimed] = [false, true].map(onlyTransacts => ({ ...registration, onlyTransacts }));
  return { find: () => (behaviour.noHandler ? undefined : behaviour.onlyTransacts ? unclaimed : claimed) };
}
