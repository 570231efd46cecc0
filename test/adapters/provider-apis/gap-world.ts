/** A memory world whose source has gaps, and one run of the reconciler over its stores. */

import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import { systemAddresses, systemIds } from '#adapters/system.ts';
import { resolveReconcile } from '#core/config/reconcile-config.ts';
import { DependencyError } from '#core/errors.ts';
import type { EpochMs } from '#core/glossary.ts';
import { acceptRequest } from '#core/inbound/ingest/accept-request.ts';
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import type { DeliveryApi } from '#core/inbound/reconcile/delivery-api.ts';
import {
  type ReconcilePorts,
  type ReconcileReport,
  type ReconcileRules,
  reconcileDeliveries,
} from '#core/inbound/reconcile/reconcile-deliveries.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { MINUTE_MS } from '#core/time.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { MemoryWorkQueue } from '#test/kit/memory/queue/memory-queue-ports.ts';
import { EVENTS, MemoryWorld, PAYLOADS, SECRET } from '#test/kit/memory-world.ts';
import { signWebhook } from '../../../sdk/testing/sign-webhook.ts';

/** The process dies: nothing may take it for a failed call. */
export class Killed extends Error {}

export class GapWorld {
  readonly world: MemoryWorld;
  /** Added to the clock the reconciler reads. */
  skewMs = 0;
  /** Milliseconds the reconciler slept. */
  readonly slept: number[] = [];
  /** Methods of the stores and the queue that fail; `all`: every one. */
  readonly down = new Set<string>();
  #killAt: number | undefined;
  /** Calls of stores and queue in the last run. */
  calls = 0;
  readonly #base: Omit<ReconcilePorts, 'telemetry'>;

  constructor(spec: ProviderSpec, world: MemoryWorld = new MemoryWorld({ sources: [spec.id], source: { spec } })) {
    this.world = world;
    const { database, main, blobs } = world;
    const counted = <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== 'function') return value;
          return async (...args: unknown[]) => {
            if (this.down.has('all') || this.down.has(String(name)))
              throw new DependencyError('dynamodb', 'unreachable');
            this.calls += 1;
            const call = this.calls;
            if (this.#killAt === 2 * call - 1) throw new Killed();
            const result: unknown = await Reflect.apply(value, target, args);
            if (this.#killAt === 2 * call) throw new Killed();
            return result;
          };
        },
      });
    this.#base = {
      store: counted(new MemoryEventStore(database, EVENTS)),
      payloads: counted(new MemoryPayloadStore(database, PAYLOADS)),
      control: counted(new MemoryControlStore(database, EVENTS)),
      queue: counted(new MemoryWorkQueue(main)),
      blobs,
      crypto: nodeCrypto,
      codec: nodeCodec,
      clock: { now: () => world.clock.now() + this.skewMs },
      ids: systemIds,
      timer: {
        sleep: async ms => {
          this.slept.push(ms);
          await world.clock.advanceBy(ms);
        },
        limit: async (_ms, work) => ({ kind: 'finished', value: await work(new AbortController().signal) }),
      },
    };
  }

  get source() {
    const [source] = this.world.sources;
    if (!source) throw new Error('a gap world has one source');
    return source;
  }

  get now(): EpochMs {
    return this.world.clock.now();
  }

  /** Delivers one event as the provider would, signed. */
  async deliver(body: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
    const { spec } = this.source;
    const signed = signWebhook({ provider: spec, body, secret: SECRET, headers, at: this.now });
    const request = { method: 'POST', rawQuery: '', headers: signed.headers, body: signed.body, sourceIp: '' };
    const found = { kind: 'secret', secret: { current: SECRET } } as const;
    const secrets = { get: async () => found, refresh: async () => false, pair: async () => 'taken' as const };
    const refused = new RefusedSlots({ next: () => 0 });
    const ports = { ...this.#base, secrets, refused, addresses: systemAddresses, telemetry: this.world.telemetry };
    const payloads = new MemoryPayloadStore(this.world.database, PAYLOADS);
    return (await acceptRequest(this.source, request, { ...ports, payloads }, this.world.rules)).status;
  }

  /** One run; `killAt` 2n - 1: the process dies before its n-th call of a store or queue takes effect; 2n: after. */
  async run(api: DeliveryApi, rules: Partial<ReconcileRules> = {}, killAt?: number): Promise<ReconcileReport> {
    this.#killAt = killAt;
    this.calls = 0;
    const resolved = resolveReconcile({}, this.source.spec.id);
    if (!resolved) throw new Error(`${this.source.spec.id} lists no deliveries`);
    const list = { source: this.source, name: '', api };
    const ports = { ...this.#base, telemetry: this.world.telemetry };
    try {
      const until = this.now + this.skewMs + 14 * MINUTE_MS;
      return await reconcileDeliveries(list, until, ports, {
        ...this.world.rules,
        ...resolved,
        settleMs: 5 * MINUTE_MS,
        dryRun: false,
        ...rules,
      });
    } finally {
      this.#killAt = undefined;
    }
  }
}
