/**
 * The real session of `core/outbound/drain`, which stops before each call that is a step of the model. What the walk never
 * lets go has died there. One request at a time; deadlines of its own are so far away that only the walk ends a lease.
 */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { newEndpointOf } from '#core/outbound/api/endpoint-body.ts';
import { handleWakeUp } from '#core/outbound/drain/session.ts';
import type { SessionTools } from '#core/outbound/drain/session-state.ts';
import type { Answer, ItemResult, ItemStore, ItemUpdate, KeyRange } from '#core/outbound/ports.ts';
import type { EndpointItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { queueOf, runtimeKey } from '#core/outbound/protocol/keys.ts';
import { OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';
import { DAY_MS } from '#core/time.ts';
import { SteppedProcess } from '#test/proof/conformance/stepped-process.ts';
import type { Said } from './drain-answers.ts';
import { APP, EP, type OutboundWorld } from './outbound-world.ts';

/** Where a session stands: before which call. */
export type Call =
  | 'wake'
  | 'rows'
  | 'lease'
  | 'query'
  | 'look'
  | 'records'
  | 'answer'
  | 'success'
  | 'failure'
  | 'end'
  | 'put'
  | 'delete'
  | 'disable'
  | 'release'
  | 'again';

/** A deliberate bug: the store as this session sees it. */
export type StoreBug = (store: ItemStore) => ItemStore;

const FAR_MS = 10 ** 12;
const SHORT_MS = 1_000;
const RETENTION_MS = 30 * DAY_MS;
const ENDINGS: Readonly<Record<string, Call>> = { delivered: 'success', retrying: 'failure', dead: 'failure' };
const NOTHING_TOLD = { count: () => {}, measure: () => {} };

export class DrainSession {
  readonly process = new SteppedProcess();
  /** Its owner token, once it tried to take the lease. */
  me: string | undefined;
  /** The message and the attempt of a request that began and was not answered. */
  inAir: { readonly id: string; readonly n: number } | undefined;
  /** What the held call is about: a message, a row. */
  about: string | undefined;
  /** The reply of its next W3 is lost, and the client writes once more. */
  claimsTwice = false;
  answer: Answer | undefined;
  said: Said = 'well';
  /** A request went well, in this session or just before. */
  succeeded = false;
  /** The operational events that it told. */
  told = '';
  /** Its last W3 found another owner than the one that it had read. */
  readAnother = false;
  #readOwner: string | undefined;
  /** What it told as errors: none is wanted. */
  readonly errors: string[] = [];
  readonly #world: OutboundWorld;
  readonly #store: ItemStore;
  #phase: 'before' | 'leased' | 'after' = 'before';

  constructor(world: OutboundWorld, bug?: StoreBug) {
    this.#world = world;
    const store = this.#held(world.store);
    this.#store = bug ? bug(store) : store;
  }

  get before(): Call | undefined {
    return this.process.before as Call | undefined;
  }

  get end(): unknown {
    const { ended } = this.process;
    return ended && ('value' in ended ? ended.value : ended.error);
  }

  get isLeased(): boolean {
    return this.#phase === 'leased';
  }

  start(): Promise<void> {
    const now = this.#world.clock.now();
    const invocation = { startedAt: now, deadline: now + 2 * FAR_MS, held: { bytes: 0 } };
    return this.process.start(() => handleWakeUp(this.#tools(), { v: 1, ep: EP }, invocation));
  }

  #tools(): SessionTools {
    const { clock, random, attempts } = this.#world;
    const rules: SessionTools['rules'] = {
      lane: 'slow',
      timings: {
        ...OUTBOUND_TIMINGS,
        leaseMs: FAR_MS,
        sessionMs: FAR_MS,
        lookMs: FAR_MS,
        pollMs: FAR_MS,
        slackMs: 0,
        delayedWakeUpMs: -FAR_MS,
        crashLimit: FAR_MS,
      },
      retentionMs: RETENTION_MS,
      waits: Array.from({ length: attempts - 1 }, (_, n) => 5 + 60 * n),
      hold: { baseSeconds: 30, capSeconds: 900 },
      autoDisableDays: false,
      attemptLog: 'failures',
    };
    const unused = () => {
      throw new Error('a session of this walk does not do this');
    };
    const ports: SessionTools['ports'] = {
      store: this.#store,
      slow: { send: unused },
      jobs: {
        send: async (jobs: unknown) => {
          this.told += JSON.stringify(jobs);
        },
      } as SessionTools['ports']['jobs'],
      sender: {
        open: () => ({ send: () => this.process.hold('answer', async () => this.#answered()), close: () => {} }),
      },
      sign: ({ id, n }) => {
        this.inAir = { id, n };
        this.about = id;
        return { headers: {} };
      },
      sealer: { open: unused },
      crypto: nodeCrypto,
      clock,
      ids: { uuid: () => this.#claimId() } as SessionTools['ports']['ids'],
      random,
      timer: {
        sleep: ms => (ms < SHORT_MS ? Promise.resolve() : new Promise(() => {})),
        limit: async (_, work) => ({ kind: 'finished', value: await work(new AbortController().signal) }),
      },
      telemetry: { ...NOTHING_TOLD, log: (level, line) => level === 'error' && this.errors.push(JSON.stringify(line)) },
      dead: { send: unused },
      receipts: {} as SessionTools['ports']['receipts'],
      codec: nodeCodec,
      blobs: {} as SessionTools['ports']['blobs'],
    };
    const config = { endpoint: ENDPOINT, keys: [], waits: async () => undefined, readAt: clock.now(), version: 0 };
    return { ports, rules, configOf: async () => config, guardOn: async () => false };
  }

  #claimId(): string {
    this.me = this.#world.id('session');
    return this.me;
  }

  #answered(): Answer {
    this.inAir = undefined;
    if (!this.answer) throw new Error('the walk did not say what the endpoint answers');
    return this.answer;
  }

  /** Stops before what is a step; the rest runs at once. */
  #held(store: ItemStore): ItemStore {
    const hold = <T>(call: Call, about: string | undefined, run: () => Promise<T>): Promise<T> => {
      this.about = about;
      return this.process.hold(call, run);
    };
    const isRuntime = (sk: string, pk: string): boolean => sk === runtimeKey(EP).sk && pk === runtimeKey(EP).pk;
    return {
      get: (key, read) => {
        if (!isRuntime(key.sk, key.pk)) return store.get(key, read);
        const call = this.#phase === 'leased' ? 'look' : 'wake';
        if (call === 'wake') this.#phase = 'before';
        return hold(call, undefined, async () => {
          const item = await store.get(key, read);
          if (call === 'wake') this.#readOwner = (item as RuntimeItem | undefined)?.owner;
          return item;
        });
      },
      query: <T>(range: KeyRange<T>) => {
        if (range.from?.startsWith('B#')) return store.query(range);
        const call = ({ before: 'rows', leased: 'query', after: 'again' } as const)[this.#phase];
        return hold(call, undefined, () => store.query(range));
      },
      getMany: (keys, read) => {
        const id = keys[0]?.pk.startsWith('D#') ? keys[0].sk.slice(14) : undefined;
        return id === undefined ? store.getMany(keys, read) : hold('records', id, () => store.getMany(keys, read));
      },
      update: <T>(write: ItemUpdate<T>) => {
        const { set = {} } = write as ItemUpdate;
        if (!isRuntime(write.key.sk, write.key.pk)) {
          const call = ENDINGS[String(set['status'])] ?? 'end';
          return hold(call, write.key.sk.slice(14), () => store.update(write));
        }
        if (this.#phase !== 'leased' && !('owner' in set)) return store.update(write);
        if (this.#phase !== 'leased') return hold('lease', undefined, () => this.#claim(() => store.update(write)));
        if ('gate' in set) return hold('disable', undefined, () => store.update(write));
        return hold('release', undefined, async () => {
          this.#phase = 'after';
          return store.update(write);
        });
      },
      put: write => {
        if (write.key.pk !== queueOf(EP)) return store.put(write);
        return hold('put', write.key.sk, () => store.put(write));
      },
      delete: key => hold('delete', key.sk, () => store.delete(key)),
      putMany: (table, items) => store.putMany(table, items),
      scan: (table, part) => store.scan(table, part),
      transact: (writes, token) => store.transact(writes, token),
    };
  }

  async #claim<T>(write: () => Promise<ItemResult<T>>): Promise<ItemResult<T>> {
    const read = this.#readOwner;
    const first = await write();
    this.#readOwner = (first.item as RuntimeItem | undefined)?.owner;
    this.readAnother = first.kind === 'refused' && read !== this.#readOwner;
    const result = this.claimsTwice ? await write() : first;
    if (first.kind === 'applied') this.#phase = 'leased';
    return result;
  }
}

const ENDPOINT: EndpointItem = {
  ...newEndpointOf({ url: 'https://walk.example.com/in', max_concurrency: 1 }, { timeoutMs: 15_000 }, []),
  id: EP as EndpointItem['id'],
  app: APP as EndpointItem['app'],
  subscribedAt: 0,
  version: 1,
  createdAt: 0,
};
