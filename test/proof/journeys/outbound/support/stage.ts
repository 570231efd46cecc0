/** One run of a journey with faults at chosen calls, judged at every write and at rest. */

import type { AppId, EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { FinalStatus, MessageItem, RecordItem } from '#core/outbound/protocol/items.ts';
import { wakeAtOf } from '#core/outbound/protocol/keys.ts';
import type { Publication } from '#core/outbound/publish/publish.ts';
import type { NewEndpoint } from '#core/outbound/registry/endpoints.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { Fault, FaultPlan } from '#test/kit/memory/faults.ts';
import {
  type OutboundRole,
  OutboundWorld,
  type OutboundWorldOptions,
  type Receiver,
} from '#test/kit/outbound-world.ts';
import { Witness } from './witness.ts';

export interface Journey {
  readonly name: string;
  readonly world?: OutboundWorldOptions;
  readonly play: (stage: Stage) => Promise<void>;
  /** Calls of tend are worth a fault as well. */
  readonly tends?: true;
  /** It ends with rows behind a shut gate. */
  readonly leavesRows?: true;
}
export interface Call {
  readonly n: number;
  readonly role: OutboundRole;
  readonly name: string;
}

const STALL_MS = 5 * MINUTE_MS;
const REST_MS = 3 * HOUR_MS;

export class Stage {
  readonly world: OutboundWorld;
  readonly witness = new Witness();
  readonly calls: Call[] = [];
  readonly published: MessageId[] = [];
  readonly #expected: { readonly ep: EndpointId; readonly key: string; readonly statuses: readonly FinalStatus[] }[] =
    [];
  readonly #keys = new Map<string, MessageId>();
  app!: AppId;
  /** Faults that were played, by the role that met them. */
  readonly played: { readonly role: OutboundRole; readonly name: string; readonly fault: Fault }[] = [];
  replays = 0;

  constructor(journey: Journey, faults: ReadonlyMap<number, Fault>) {
    const planOf =
      (role: OutboundRole): FaultPlan =>
      call => {
        const n = this.calls.push({ n: this.calls.length + 1, role, name: call.name });
        const fault = faults.get(n);
        if (fault) {
          this.played.push({ role, name: call.name, fault });
          // The calls that are numbered are before it.
          this.world.tending &&= 'unless idle';
        }
        if (fault === 'stall') this.witness.stalled = true;
        return fault;
      };
    const latency = { latencyMs: () => ({ there: 1, back: 1 }), stallMs: STALL_MS };
    this.world = new OutboundWorld({
      idleMs: 5_000,
      waits: [5, 60],
      ...journey.world,
      planOf,
      processOf: role => (role === 'tend' ? { stallMs: STALL_MS } : latency),
      onChange: this.witness.onChange,
      onRequest: this.witness.onRequest,
      onAnswer: this.witness.onAnswer,
    });
    this.witness.watch(this.world);
    this.witness.troubled = () => this.played.length > 0;
  }

  /** Lets time pass until a promise is settled. */
  run<T>(promise: Promise<T>): Promise<T> {
    return this.world.clock.complete(promise, REST_MS);
  }
  endpoint(receiver: Receiver, given: Partial<NewEndpoint> = {}): Promise<EndpointId> {
    return this.world.createEndpoint(this.app, receiver, given);
  }
  async publish(key: string, given: Partial<Publication> = {}): Promise<MessageItem> {
    const heard = await this.run(this.world.publish(this.app, key, given));
    if (heard.kind !== 'accepted') throw new Error(`refused: ${heard.cause}`);
    this.published.push(heard.id);
    this.#keys.set(key, heard.id);
    return this.world.message(heard.id);
  }
  record(ep: EndpointId, key: string): RecordItem | undefined {
    const id = this.#keys.get(key);
    return id && this.world.message(id) && this.world.record(ep, this.world.message(id));
  }
  messageOf(key: string): MessageId {
    return this.#keys.get(key) as MessageId;
  }
  /** How a delivery must have ended. */
  expect(ep: EndpointId, key: string, ...statuses: FinalStatus[]): void {
    this.#expected.push({ ep, key, statuses });
  }
  until(condition: () => boolean, limitMs = 20 * MINUTE_MS): Promise<boolean> {
    return this.world.until(condition, limitMs, 1_000);
  }

  wrongEnds(): readonly string[] {
    return this.#expected.flatMap(({ ep, key, statuses }) => {
      const status = this.record(ep, key)?.status;
      return (statuses as readonly unknown[]).includes(status)
        ? []
        : [`O2 ${key} ended as ${status}, not ${statuses.join(' or ')}`];
    });
  }
}

export interface Verdict {
  readonly complaints: readonly string[];
  readonly stage: Stage;
  readonly duplicates: number;
}

/** `nets`: tend runs beside it (default). Without, what a queue or a process lost is repaired by the protocol alone. */
export async function runJourney(
  journey: Journey,
  faults: ReadonlyMap<number, Fault> = new Map(),
  nets = true,
): Promise<Verdict> {
  const stage = new Stage(journey, faults);
  const { world, witness } = stage;
  world.tending = nets;
  world.start();
  stage.app = await world.createApplication();
  await journey.play(stage);
  const complaints: string[] = [];
  if (!(await comesToRest(stage, journey))) complaints.push(`O2 it never comes to rest: ${describe(stage)}`);
  if (witness.stalled) {
    await world.clock.advanceBy(STALL_MS + 60_000);
    if (!(await comesToRest(stage, journey)))
      complaints.push(`O2 it is disturbed and never comes to rest: ${describe(stage)}`);
  }
  world.stop();
  complaints.push(...stage.wrongEnds(), ...missing(stage), ...witness.complaints);
  const { duplicates, wrong } = requestsOf(stage, faults.size);
  complaints.push(...wrong);
  return { complaints: [...new Set(complaints)], stage, duplicates };
}

async function comesToRest(stage: Stage, { leavesRows }: Journey): Promise<boolean> {
  const { world, witness } = stage;
  const rested = (): boolean => {
    if (!world.isQuiet() || world.dead.dump().length > 0) return false;
    if (leavesRows) return true;
    if (witness.open().length > 0 || stage.published.some(id => !isFannedOut(stage, id))) return false;
    return [...world.endpoints.keys()].every(ep => {
      const runtime = world.runtime(ep);
      return (
        world.rows(ep).length === 0 &&
        (runtime === undefined || (runtime.owner === undefined && wakeAtOf(runtime) === undefined))
      );
    });
  };
  return world.until(rested, REST_MS);
}

const isFannedOut = ({ witness, world }: Stage, id: MessageId): boolean =>
  [...world.endpoints.values()].some(({ id: ep }) => witness.deliveries.has(`${ep} ${id}`)) ||
  world.endpoints.size === 0;

function describe({ world, witness }: Stage): string {
  const gates = [...world.endpoints.keys()].map(ep => {
    const r = world.runtime(ep);
    return (
      r && `${r.gate} ${r.owner ? 'owned' : ''} wake ${wakeAtOf(r)} hold ${r.holdUntil} rows ${world.rows(ep).length}`
    );
  });
  const queues = [world.jobs, world.fast, world.slow, world.dead].map(queue => queue.dump().length);
  return `open ${witness.open().length}, ${gates.join('; ')}, queues ${queues.join(' ')}`;
}

/** O1: what was acknowledged is stored. */
function missing({ world, published }: Stage): readonly string[] {
  return published.filter(id => !world.message(id)).map(id => `O1 ${id} was acknowledged and is not stored`);
}

/** O5 and O7, by the receivers' own account. */
function requestsOf(stage: Stage, faults: number): { readonly duplicates: number; readonly wrong: readonly string[] } {
  const { world, witness } = stage;
  const wrong: string[] = [];
  let duplicates = 0;
  for (const [key, { record }] of witness.deliveries) {
    const [ep = '', msg = ''] = key.split(' ');
    const url = world.endpoints.get(ep as EndpointId)?.url;
    const received = world.requests.filter(each => each.url === url && (each.id === msg || holds(each.body, msg)));
    const ok = received.filter(({ answer }) => answer?.kind === 'answered' && answer.status < 300).length;
    const failed = received.length - ok;
    const generations = record?.gen ?? 1;
    if (ok > generations) duplicates += ok - generations;
    const inDrain = stage.played.filter(({ role }) => role.startsWith('drain')).length;
    // An answer that got lost on the way is a failure to the sender, whatever the receiver did.
    const unheard = stage.played.filter(({ name }) => name === 'http.send').length;
    const causes = generations + failed + 2 * inDrain;
    if (received.length > causes)
      wrong.push(`O5 ${received.length} requests for ${key}, causes for ${causes} (${faults} faults)`);
    const throttled = received.filter(({ answer }) => answer?.kind === 'answered' && answer.status === 429).length;
    if ((record?.attempts ?? 0) > failed - throttled + unheard)
      wrong.push(`O7 ${key} was charged ${record?.attempts} times and failed ${failed} times`);
  }
  return { duplicates, wrong };
}

const holds = (body: Uint8Array, msg: string): boolean => new TextDecoder().decode(body).includes(`"${msg}"`);
