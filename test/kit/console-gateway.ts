/** A deployed environment of any size in memory, on the true clock: what the console is tried against in a browser. */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { given } from '#core/given.ts';
import { type EventKey, type EventPk, type EventStatus, toEventPk, toSourceId } from '#core/glossary.ts';
import type { ControlStore, EventStore, PayloadStore } from '#core/inbound/ports.ts';
import type { EventItem, RefusedItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { DAY_MS, toHour } from '#core/time.ts';
import { VERSION } from '#core/version.ts';
import type { DeliveryApi } from '#operator/delivery-api.ts';
import type { AlarmGraph, AlarmView, Gateway, LogLine, Mute } from '#operator/gateway.ts';
import { Operator, type OperatorOptions } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { PROVIDERS } from '#providers/index.ts';

const SOURCES = { stripe: 'stripe', github: 'github', shopify: 'shopify', slack: 'slack' } as const;
const SEARCHABLE = { searchable: { order: '/id' } };
export const CONFIG = defineGateway({
  sources: Object.fromEntries(
    Object.entries(SOURCES).map(([id, provider]) => [id, { provider, ...(id === 'shopify' ? SEARCHABLE : {}) }]),
  ) as Record<string, { provider: 'stripe' }>,
  environments: {
    local: { outbound: {} },
    prod: {
      ...{ region: 'eu-central-1', outbound: {} },
      alarmTargets: { page: [{ email: 'oncall@example.com' }, { slack: 'night' }] },
    },
  },
});

export interface MadeEvent {
  readonly source: string;
  readonly key: string;
  readonly type: string;
  readonly status: EventStatus;
  readonly receivedAt: number;
  readonly tookMs?: number;
  readonly attempts?: number;
  readonly cause?: string;
  readonly lastError?: string;
  readonly body?: Buffer | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly more?: Partial<EventItem>;
}

export class ConsoleGateway {
  readonly #byHour = new Map<string, EventItem[]>();
  readonly #items = new Map<EventPk, EventItem>();
  readonly #bodies = new Map<EventPk, Pick<MadeEvent, 'body' | 'headers'>>();
  readonly #control = new Map<string, { value: string; version: number }>();
  readonly environment: string;
  alarms: AlarmView[] = [];
  mutes: Mute[] = [];
  graphs: Readonly<Record<string, AlarmGraph>> = {};
  refused: RefusedItem[] = [];
  /** What searchable fields name, by partition. */
  readonly found = new Map<string, string[]>();
  /** Webhooks to customers; absent: this environment sends none. */
  delivery: DeliveryApi | undefined;
  /** Thrown by every read while it is set. */
  failure: Error | undefined;
  reads = 0;
  /** What was sent out through `http`, to whom. */
  readonly sent: { readonly url: string; readonly body: string }[] = [];
  /** What the functions logged; absent: nobody may read it. */
  logLines: readonly LogLine[] | undefined = [];
  queue = { visible: 0, hidden: 0, delayed: 0 };
  /** Bodies in the dead-letter queue. */
  deadMessages: readonly string[] = [];
  /** Of all sources; absent: each has one of its own. */
  secret: string | undefined;

  constructor(environment = 'local') {
    this.environment = environment;
    this.set('sweeper-runs', JSON.stringify({ wellAt: Date.now() - 10_000 }));
  }

  set(name: string, value: string): void {
    this.#control.set(name, { value, version: 1 });
  }

  add(made: MadeEvent): EventItem {
    const { source, key, type, status, receivedAt, tookMs = 40, attempts = 1, cause, lastError } = made;
    const sourceId = toSourceId(source);
    const pk = toEventPk(sourceId, key as EventKey);
    const endedAt = receivedAt + tookMs;
    const isDead = status === 'dead_letter';
    const hour = `${source}#${toHour(receivedAt)}`;
    const item = {
      pk,
      status,
      schemaVersion: 1,
      provider: source,
      eventType: type,
      gen: 1,
      run: 1,
      ingestId: key,
      bodySha: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      size: made.body?.length ?? 812,
      receivedAt,
      updatedAt: isTerminal(status) ? endedAt : receivedAt,
      enqueuedAt: receivedAt + 9,
      startedAt: isTerminal(status) ? endedAt - Math.min(24, tookMs) : receivedAt + 30,
      attempts,
      resends: 0,
      timelineHour: hour,
      timelineAt: `${String(receivedAt).padStart(13, '0')}#${key}`,
      ...(status === 'completed' ? { completedAt: endedAt, actionTaken: 'recorded' } : {}),
      ...(isDead ? { deadAt: endedAt, deadId: key, dlqSent: true } : {}),
      ...given({ cause, lastError }),
      ...made.more,
    } as EventItem;
    this.#items.set(pk, item);
    this.#bodies.set(pk, made);
    const entries = this.#byHour.get(hour) ?? [];
    if (entries.length === 0) this.#byHour.set(hour, entries);
    entries.push(item);
    return item;
  }

  /** The same event in another state. */
  change(item: EventItem, change: Partial<EventItem>): void {
    const next = { ...item, ...change, updatedAt: Date.now() } as EventItem;
    this.#items.set(item.pk, next);
    const entries = this.#byHour.get(item.timelineHour) ?? [];
    entries[entries.findIndex(it => it.pk === item.pk)] = next;
  }

  /** When it was last deployed. */
  deployedAt = Date.now() - 7_200_000;

  operator(reread?: OperatorOptions['reread']): Operator {
    return new Operator({
      ...given({ reread }),
      environment: this.environment,
      clock: { now: () => Date.now() },
      by: 'ada',
      program: 'holdfast',
      readDeployment: name => resolveDeployment(CONFIG, name, PROVIDERS),
      openGateway: deployment => Promise.resolve(this.#gateway(deployment)),
    });
  }

  #read<T>(value: () => T): Promise<T> {
    this.reads += 1;
    return this.failure === undefined ? Promise.resolve().then(value) : Promise.reject(this.failure);
  }

  #gateway(deployment: Gateway['deployment']): Gateway {
    const refuse = (): Promise<never> => Promise.reject(new Error('this environment is only looked at'));
    return {
      deployment,
      place: this.environment === 'local' ? 'http://127.0.0.1:4566' : 'eu-central-1',
      deployedAt: this.deployedAt,
      apiUrl: 'https://hooks.example.com',
      store: this.#store(),
      payloads: this.#payloads(),
      search: {
        put: () => Promise.reject(new Error('the console writes none')),
        find: (pk, { from, before, limit }) =>
          this.#read(() =>
            (this.found.get(pk) ?? [])
              .filter(sk => sk >= from && sk < before)
              .sort()
              .reverse()
              .slice(0, limit)
              .map(sk => ({ pk, sk, expiresAt: 0 })),
          ),
      },
      blobs: { put: refuse, get: () => Promise.resolve(undefined) },
      control: this.#controlStore(),
      queue: { send: refuse },
      processor: { state: () => Promise.resolve('Enabled'), set: refuse },
      functionStops: async () => [],
      reconciler: { run: refuse },
      delivery: () =>
        this.#read(() => {
          if (this.delivery !== undefined) return this.delivery;
          throw new OperatorError(`${this.environment} sends no webhooks: it has no \`outbound\``, 'not_found');
        }),
      dead: {
        send: refuse,
        receive: async () => this.deadMessages.map(body => ({ body, receipt: body, sentAt: 0, receiveCount: 1 })),
        delete: async receipt => {
          this.deadMessages = this.deadMessages.filter(body => body !== receipt);
        },
      },
      gauge: {
        main: () => this.#read(() => this.queue),
        dead: () => this.#read(() => ({ visible: this.#dead().length, hidden: 0, delayed: 0 })),
      },
      secrets: {
        read: name =>
          this.#read(() => ({
            kind: 'set' as const,
            text: this.secret ?? `whsec_secret_of_${name}`,
            changedAt: Date.now() - 40 * DAY_MS,
          })),
        write: refuse,
      },
      outbound: refuse,
      alarms: () => this.#read(() => this.alarms),
      mutes: { list: () => this.#read(() => this.mutes), begin: refuse, end: refuse },
      begin: refuse,
      logs: {
        read: (since, _pattern, _of, until = Number.POSITIVE_INFINITY) => {
          const denied = { name: 'AccessDeniedException' };
          if (this.logLines === undefined)
            return Promise.reject(Object.assign(new Error('ada may not perform logs:FilterLogEvents'), denied));
          return this.#read(() => (this.logLines ?? []).filter(({ at }) => at >= since && at <= until));
        },
      },
      ringAlarm: () => Promise.resolve(),
      alarmGraph: name => this.#read(() => this.graphs[name]),
      http: (url, { body }) => {
        this.sent.push({ url, body: Buffer.from(body ?? []).toString('utf8') });
        return Promise.resolve({ status: 200, headers: {}, body: `{"version":"${VERSION}"}`, ms: 9 });
      },
      clock: { now: () => Date.now() },
      ids: { uuid: () => crypto.randomUUID() },
      timer: {
        sleep: ms => new Promise(resolve => setTimeout(resolve, ms)),
        limit: () => Promise.reject(new Error('not used')),
      },
    } as Gateway;
  }

  #dead(): EventItem[] {
    return [...this.#items.values()].filter(item => item.status === 'dead_letter');
  }

  #store(): EventStore {
    const refuse = (): Promise<never> => Promise.reject(new Error('this environment is only looked at'));
    return {
      insert: refuse,
      // Of all writes, a person's closing.
      update: ({ pk, set }) => {
        const item = this.#items.get(pk);
        if (set.status !== 'closed' || item === undefined) return refuse();
        this.change(item, set);
        return Promise.resolve({ kind: 'applied', item: { ...item, ...set } });
      },
      note: refuse,
      noted: refuse,
      transact: refuse,
      readItem: refuse,
      scan: refuse,
      occupied: refuse,
      get: pk => this.#read(() => this.#items.get(pk)),
      getMany: pks => this.#read(() => pks.flatMap(pk => this.#items.get(pk) ?? [])),
      watchDue: shard =>
        this.#read(() => {
          const [source = '', n] = shard.split('#');
          const open = n === '0' ? [...this.#items.values()].filter(it => !isTerminal(it.status)) : [];
          const items = open.filter(it => it.pk.startsWith(`${source}#`));
          return { items: items.map(({ pk, receivedAt }) => ({ pk, watchAt: receivedAt })) };
        }),
      timeline: (hour, { from = '', to = '~', newestFirst, cursor, limit = 500 }) =>
        this.#read(() => {
          const sorted = (this.#byHour.get(hour) ?? [])
            .filter(it => it.timelineAt >= from && it.timelineAt <= to)
            .sort((a, b) => (a.timelineAt < b.timelineAt === newestFirst ? 1 : -1));
          const at = Number(cursor ?? 0);
          const items = sorted.slice(at, at + limit);
          const more = at + limit < sorted.length ? { cursor: String(at + limit) } : {};
          return { items: items.map(({ pk, timelineAt, eventType }) => ({ pk, timelineAt, eventType })), ...more };
        }),
      attention: source =>
        this.#read(() => {
          const dead = this.#dead().filter(it => it.pk.startsWith(`${source}#`));
          const items = dead.map(({ pk, deadAt = 0, cause = '' }) => ({ pk, attentionAt: `${deadAt}#${cause}` }));
          return { items: items.sort((a, b) => (a.attentionAt < b.attentionAt ? 1 : -1)) };
        }),
    } as EventStore;
  }

  #payloads(): PayloadStore {
    return {
      getBody: (pk: EventPk) =>
        this.#read(() => {
          const made = this.#bodies.get(pk);
          if (made?.body === undefined) return undefined;
          return { pk, sk: 'B', bytes: nodeCodec.deflate(made.body), headers: made.headers ?? {}, expiresAt: 0 };
        }),
      getDetail: () => Promise.resolve(undefined),
      listRefused: (source: string, cause?: string) =>
        this.#read(() =>
          this.refused.filter(it => it.pk === `_refused#${source}` && (cause === undefined || it.cause === cause)),
        ),
    } as unknown as PayloadStore;
  }

  #controlStore(): ControlStore {
    return {
      read: name => this.#read(() => this.#control.get(name)),
      list: prefix => this.#read(() => [...this.#control.keys()].filter(name => name.startsWith(prefix)).sort()),
      write: (name, value, expectedVersion) => {
        const version = this.#control.get(name)?.version ?? 0;
        if (version !== expectedVersion) return Promise.resolve(false);
        this.#control.set(name, { value, version: version + 1 });
        return Promise.resolve(true);
      },
    };
  }
}
