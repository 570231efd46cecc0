/**
 * What runs in each process of the memory world: the product's own entry points over the ports of adapters/memory, each
 * call of which passes the process's fault point.
 */

import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import type { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import type { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededIds, type SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { given } from '#core/given.ts';
import { MemoryControlStore } from './memory/memory-control-store.ts';
import { MemorySearchStore } from './memory/memory-search-store.ts';
import type { MemorySecretValues } from './memory/memory-secrets.ts';
import type { MemoryTargets } from './memory/memory-targets.ts';
import {
  MemoryDeadQueue,
  MemoryQueueGauge,
  MemoryReceiptBox,
  MemoryWorkQueue,
} from './memory/queue/memory-queue-ports.ts';
import type { SimulatedProcess } from './memory/simulated-process.ts';
// Ingest reads both when the first request needs them: that takes real time, in which the virtual clock would run on.
import '#adapters/crypto/public-keys.ts';
import '#core/verification/on-demand.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { systemAddresses } from '#adapters/system.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { type EventPk, toSourceId } from '#core/glossary.ts';
import type { HandlerRegistry } from '#core/handler/handler-contract.ts';
import { ShapeWatch } from '#core/inbound/drift/shape-watch.ts';
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import { throughEdge } from '#core/inbound/ingest/through-edge.ts';
import type { ProcessPorts, ProcessRules } from '#core/inbound/process/process-ports.ts';
import { closeDeath } from '#core/inbound/protocol/close-death.ts';
import { ConcernBoard } from '#core/inbound/protocol/concerns.ts';
import { pauseSource, resumeSource } from '#core/inbound/protocol/pause-source.ts';
import { Pauses } from '#core/inbound/protocol/pauses.ts';
import type { Timings } from '#core/inbound/protocol/timings.ts';
import { type ReplayRequest, replayEvent } from '#core/inbound/replay/replay-event.ts';
import { withRoutes } from '#core/inbound/routing/with-routes.ts';
import { sweep } from '#core/inbound/sweep/sweep.ts';
import type { SweepRules } from '#core/inbound/sweep/sweep-ports.ts';
import { auditOn } from '#core/inbound/watch/audit-records.ts';
import { Breaker } from '#core/retry/breaker.ts';
import { handleRequest } from '#lambdas/ingest/handle-request.ts';
import { handleBatch } from '#lambdas/process/handle-batch.ts';
import type { RecordedQueue } from './recorded-queue.ts';
import { EVENTS, PAYLOADS, type Role, type WorldOptions } from './world-options.ts';

/** What a person asks for. */
export type Command =
  | { readonly kind: 'replay'; readonly pk: EventPk; readonly request: ReplayRequest }
  | { readonly kind: 'close'; readonly pk: EventPk }
  | { readonly kind: 'pause'; readonly source: string; readonly paused: boolean };

/** What the processes of a world share. */
export interface WorldParts {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly database: MemoryDatabase;
  readonly main: RecordedQueue;
  readonly dead: RecordedQueue;
  readonly blobs: MemoryBlobs;
  readonly targets: MemoryTargets;
  readonly secretValues: MemorySecretValues;
  readonly telemetry: MemoryTelemetry;
  readonly sources: readonly ResolvedSource[];
  readonly timings: Timings;
  readonly handlers: HandlerRegistry;
  readonly rules: ProcessRules;
}

export class WorldProcesses {
  readonly #world: WorldParts;
  readonly #options: WorldOptions;

  constructor(world: WorldParts, options: WorldOptions) {
    this.#world = world;
    this.#options = options;
  }

  #stores(process: SimulatedProcess, role: Role) {
    const clock = this.#options.clockOf?.(this.#world.clock, role) ?? this.#world.clock;
    return {
      store: process.wrap('store', 'dynamodb', new MemoryEventStore(this.#world.database, EVENTS)),
      payloads: process.wrap('payloads', 'dynamodb', new MemoryPayloadStore(this.#world.database, PAYLOADS)),
      search: process.wrap('search', 'dynamodb', new MemorySearchStore(this.#world.database, PAYLOADS)),
      control: process.wrap('control', 'dynamodb', new MemoryControlStore(this.#world.database, EVENTS)),
      blobs: process.wrap('blobs', 's3', this.#world.blobs),
      queue: process.wrap('queue', 'sqs', new MemoryWorkQueue(this.#world.main)),
      dead: process.wrap('dead', 'sqs', new MemoryDeadQueue(this.#world.dead)),
      gauge: process.wrap('gauge', 'sqs', new MemoryQueueGauge(this.#world.main, this.#world.dead)),
      receipts: process.wrap('receipts', 'sqs', new MemoryReceiptBox(this.#world.main), { neverThrows: ['hide'] }),
      crypto: nodeCrypto,
      codec: nodeCodec,
      addresses: systemAddresses,
      clock,
      ids: new SeededIds(this.#world.random.fork()),
      random: this.#world.random.fork(),
      timer: process.timer,
      telemetry: this.#world.telemetry,
    };
  }

  ingest(process: SimulatedProcess) {
    const stores = this.#stores(process, 'ingest');
    const secrets = new CachedSecrets(process.wrap('secrets', 'secrets', this.#world.secretValues), stores.clock);
    const { edge } = this.#options;
    return handleRequest(
      this.#world.sources,
      {
        ...stores,
        secrets,
        refused: new RefusedSlots(stores.random),
        concerns: new ConcernBoard(stores),
        ...this.#options.ingestPorts,
      },
      this.#world.rules,
      edge && (request => throughEdge(request, edge, { ...stores, secrets })),
    ) as never;
  }

  /** The processor's ports as one process sees them; for tests that call the rules directly. */
  processPorts(process: SimulatedProcess): ProcessPorts {
    const stores = this.#stores(process, 'process');
    const breaker = new Breaker();
    const targets = process.wrap('targets', 'http', this.#world.targets);
    const routing = { ...stores, breaker, targets, blobAddress: 's3://bodies/' };
    return {
      ...stores,
      ...(this.#options.withShapes ? { shapes: new ShapeWatch(stores) } : {}),
      ...given({ stacks: this.#options.stacks }),
      concerns: new ConcernBoard(stores),
      pauses: new Pauses(stores, this.#world.timings.pauseCacheMs),
      breaker,
      handlers: withRoutes(this.#world.handlers, this.#world.sources, routing),
    };
  }

  process(process: SimulatedProcess) {
    return handleBatch(this.processPorts(process), this.#world.rules) as never;
  }

  sweep(process: SimulatedProcess) {
    const stores = this.#stores(process, 'sweep');
    const rules: SweepRules = {
      ...this.#world.rules,
      sourceIds: this.#world.sources.map(it => it.id),
      sendsPerSecond: 300,
      deadQueueRetentionSeconds: 14 * 86_400,
    };
    return (async () => sweep(50_000, stores, rules)) as never;
  }

  audit(process: SimulatedProcess) {
    const stores = this.#stores(process, 'audit');
    return (async () => auditOn(stores.clock.now() + 50_000, stores, this.#world.rules, 0)) as never;
  }

  operator(process: SimulatedProcess) {
    const stores = this.#stores(process, 'operator');
    return (async (command: Command) => {
      if (command.kind === 'close') {
        const item = await stores.store.get(command.pk);
        return item ? closeDeath(item, { by: 'test', why: 'test' }, stores, this.#world.rules) : 'gone';
      }
      if (command.kind === 'replay') {
        const item = await stores.store.get(command.pk);
        return item
          ? replayEvent(item, command.request, stores, this.#world.rules)
          : { kind: 'refused', reason: 'gone' };
      }
      const source = toSourceId(command.source);
      return command.paused ? pauseSource(source, { by: 'test', why: 'test' }, stores) : resumeSource(source, stores);
    }) as never;
  }
}
