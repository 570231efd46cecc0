/** What a test can choose about a memory world. */

import type { MemoryDatabaseOptions } from '#adapters/memory/memory-database.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import type { ResolvedConfig, ResolvedSource } from '#core/config/resolved-config.ts';
import type { HandlerRegistry } from '#core/handler/handler-contract.ts';
import type { IngestPorts } from '#core/inbound/ingest/ingest-ports.ts';
import type { Timings } from '#core/inbound/protocol/timings.ts';
import type { Clock, StackReader } from '#core/ports.ts';
import type { RetryProfile } from '#core/retry/backoff.ts';
import type { FaultPlan } from './memory/faults.ts';
import type { FunctionOutcome } from './memory/memory-function.ts';
import type { MemoryTargetsOptions } from './memory/memory-targets.ts';
import type { MemoryQueueOptions } from './memory/queue/memory-queue.ts';
import type { SimulatedProcessOptions } from './memory/simulated-process.ts';
import type { Delivery } from './signed-request.ts';

export const EVENTS = 'events';
export const PAYLOADS = 'payloads';

export type Role = 'ingest' | 'process' | 'sweep' | 'audit' | 'operator';
type ProcessOptions = Omit<SimulatedProcessOptions, 'clock' | 'plan'>;

/** `World`: what handlers get, the memory world itself. */
export interface WorldOptions<World = never> {
  readonly seed?: number;
  /** The sweeper goes by the notes of active sources from the first hour on. Default: it has not run yet. */
  readonly hasRunForHours?: boolean;
  /** Faults of every call of every process. */
  readonly plan?: FaultPlan;
  /** The same for the processes of one function; comes before `plan`. */
  readonly planOf?: (role: Role) => FaultPlan;
  readonly handlers?: (world: World) => HandlerRegistry;
  readonly timings?: Partial<Timings>;
  readonly retry?: RetryProfile;
  readonly sources?: readonly string[];
  readonly source?: Partial<ResolvedSource>;
  readonly process?: ProcessOptions;
  /** The same for the processes of one function; comes before `process`. */
  readonly processOf?: (role: Role) => ProcessOptions;
  readonly database?: Partial<MemoryDatabaseOptions>;
  readonly queue?: Partial<MemoryQueueOptions>;
  readonly deadQueue?: Partial<MemoryQueueOptions>;
  readonly targets?: Partial<MemoryTargetsOptions>;
  readonly maximumConcurrency?: number;
  readonly idleMs?: number;
  /** A test of weeks need not sweep each minute. Default: a minute, as in production. */
  readonly sweepEveryMs?: number;
  /** The clock a new environment reads (skew). Default: the true one. */
  readonly clockOf?: (clock: VirtualClock, role: Role) => Clock;
  readonly inlineLimitBytes?: number;
  /** Watch the structure of payloads. Default: not, as it adds calls. */
  readonly withShapes?: boolean;
  /** Attempts say in the log what a span needs. Default: not. */
  readonly recordsSpans?: boolean;
  /** A first arrival has a line, too. Default: not. */
  readonly logArrivals?: true;
  /** Tells where an error was thrown. Default: nobody does. */
  readonly stacks?: StackReader;
  /** CloudFront is before the front door. Default: nothing is. */
  readonly edge?: NonNullable<ResolvedConfig['edge']>;
  /** What ingest asks on the network. Default: nothing is there. */
  readonly ingestPorts?: Pick<IngestPorts, 'keys' | 'http'>;
  /** Told of every answer at the moment it is given, and how the function ended. The delivery has its `createdAt`. */
  readonly onAnswer?: (delivery: Delivery, answer: Answer, ended: FunctionOutcome['kind']) => void | Promise<void>;
}

/** `undefined`: no answer (the process died, or the front door's time was over). */
export type Answer = { readonly status: number; readonly body: string } | undefined;
