/** The producer's API over stores in memory and the real engine, without queues: jobs and wake-ups run when they are told to. */
import assert from 'node:assert/strict';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { aesSealer } from '#adapters/crypto/aes-sealer.ts';
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { guardedSender } from '#adapters/http/guarded-sender.ts';
import { lazySchemaJudge } from '#adapters/json-schema/lazy-schema-judge.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemoryDatabase, type MemoryDatabaseOptions } from '#adapters/memory/memory-database.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { systemIds, systemTimer } from '#adapters/system.ts';
import { DependencyError } from '#core/errors.ts';
import { answerApi } from '#core/outbound/api/answer-api.ts';
import { answering } from '#core/outbound/api/answering.ts';
import type { ApiPorts, ApiRules } from '#core/outbound/api/api-call.ts';
import { DELIVERY_ROUTES, type DeliveryRoute } from '#core/outbound/api/api-routes.ts';
import { publishMessage } from '#core/outbound/api/publish-message.ts';
import type { CatalogueRules } from '#core/outbound/catalogue/judge-publication.ts';
import { drainBatch } from '#core/outbound/drain/drain-batch.ts';
import { type ConfigOf, configsOf } from '#core/outbound/drain/endpoint-config.ts';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { fanOut } from '#core/outbound/fan-out/fan-out.ts';
import { countMatches } from '#core/outbound/fan-out/match-endpoint.ts';
import { rowNotes } from '#core/outbound/fan-out/note-rows.ts';
import { answerPortal } from '#core/outbound/portal/answer-portal.ts';
import { type PortalRoute, SESSION_ROUTE } from '#core/outbound/portal/portal-routes.ts';
import type { Job, OutgoingRequest, WakeUp } from '#core/outbound/ports.ts';
import type { ContactKind } from '#core/outbound/protocol/items.ts';
import { WAKE_SHARDS, wakeRange } from '#core/outbound/protocol/keys.ts';
import { OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';
import { runReplayJobs } from '#core/outbound/replay/replay-job.ts';
import { attemptSigner } from '#core/outbound/sign/sign-attempt.ts';
import { DAY_MS } from '#core/time.ts';
import type { DeliveryApi } from '#operator/delivery-api.ts';
import { PROVIDERS } from '#providers/index.ts';
import { MemoryItemStore, outboundTable } from './memory/memory-item-store.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');
// biome-ignore lint/suspicious/noExplicitAny: answers are JSON
export type Json = any;

/**
 * `real`: requests go out on sockets, to this machine only. `judgeMs`: time for one judgement of a schema, here long
 * enough that no busy machine decides what is too slow.
 */
export function producerWorld(
  startsAt = NOW,
  real = false,
  judgeMs = 60_000,
  master = 'm'.repeat(64),
  make = (options: MemoryDatabaseOptions) => new MemoryDatabase(options),
) {
  let now = startsAt;
  // The database asks it for the time and nothing else.
  const clock = { now: () => now } as Pick<VirtualClock, 'now'>;
  const database = make({
    clock: clock as VirtualClock,
    random: new SeededRandom(1),
    indexLagMs: () => 0,
  });
  for (const table of ['registry', 'outbox'] as const) database.define(outboundTable(table));
  let isOut = false;
  // During an outage each call of the store fails, and nothing is known of what it did.
  const store = new Proxy(new MemoryItemStore(database), {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]): Promise<unknown> => {
        if (isOut) throw new DependencyError('dynamodb', 'no answer', { outcome: 'unknown' });
        return member.apply(target, given);
      };
    },
  });
  const telemetry = new MemoryTelemetry();
  const jobs: Job[] = [];
  const wakeUps: WakeUp[] = [];
  const sent: OutgoingRequest[] = [];
  let status = 200;
  let guardOn = false;
  let warm: ConfigOf | undefined;
  let said = 'said';
  let answeredHeaders: Readonly<Record<string, readonly string[]>> = {};
  let answerOf = (_request: OutgoingRequest): readonly [status: number, body: string] => [status, said];
  const wake = { send: async (list: readonly WakeUp[]) => void wakeUps.push(...list) };
  const specs = Object.fromEntries(
    [
      'standard-webhooks',
      'standard-webhooks-v1a',
      'generic-timestamp-sha256',
      'generic-sha256-body',
      'generic-t-v1',
    ].map(id => [id, PROVIDERS[id]]),
  );
  const allowAddresses = real ? ['127.0.0.1'] : [];
  const target = { ports: [443], ownHosts: ['api.acme.com'], allowAddresses };
  const onSockets = guardedSender(target);
  const shared = {
    ...{ store, clock, ids: systemIds, crypto: nodeSigningCrypto, codec: nodeCodec, telemetry },
    noteRows: rowNotes(store, clock),
    judge: lazySchemaJudge(judgeMs),
    // The bucket's lifecycle: the retention and its grace.
    blobs: new MemoryBlobs(clock, 37),
    jobs: { send: async (list: readonly Job[]) => void jobs.push(...list) },
    sealer: aesSealer({ current: master }),
    sign: attemptSigner({
      ...{ specs: specs as never, crypto: nodeSigningCrypto, headerPrefix: 'x-webhook-', userAgent: 'Holdfast/test' },
    }),
    sender: {
      open: (cap: number) => ({
        close: () => undefined,
        send: async (request: OutgoingRequest, signal: AbortSignal) => {
          sent.push(request);
          if (real) {
            const session = onSockets.open(cap);
            return session.send(request, signal).finally(() => session.close());
          }
          const [code, text] = answerOf(request);
          if (code === 0)
            return {
              kind: 'failed' as const,
              cause: 'connect' as const,
              detail: 'ECONNREFUSED',
              timings: { total: 5 },
            };
          const body = new TextEncoder().encode(text);
          const timings = { total: 5 };
          return {
            kind: 'answered' as const,
            status: code,
            headers: answeredHeaders,
            body,
            bytes: body.length,
            truncated: false,
            timings,
          };
        },
      }),
    },
  };
  const portalKeys = [new TextEncoder().encode('k'.repeat(32))];
  const ports: ApiPorts & Pick<typeof shared, 'blobs' | 'sign' | 'sender'> = {
    ...shared,
    sending: async () => shared,
    wake,
    timer: {
      sleep: async ms => {
        now += ms;
      },
    },
    randomBytes: count => new Uint8Array(count).fill(sent.length + 7),
    portalKeys,
  };
  const retentionMs = 30 * DAY_MS;
  const rules: ApiRules & { portalUrl?: string; contacts?: readonly ContactKind[] } = {
    ...{ environment: 'test', retentionMs, timeoutMs: 15_000, headerPrefix: 'x-webhook-', replaysPerSecond: 50 },
    form: {},
    portalUrl: 'https://api.acme.com/portal',
    contacts: ['url', 'email'],
    target,
  };
  const call = async (
    route: DeliveryRoute,
    path: Record<string, string> = {},
    body?: unknown,
    query: Record<string, string> = {},
  ): Promise<{ status: number; body: Json }> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const reply = await answerApi({ route, path, query, body: text, caller: 'arn:test', ports, rules });
    if (reply.status === 503 && !isOut) throw new Error(JSON.stringify(telemetry.lines));
    if (reply.status >= 400) assert.equal(reply.headers['content-type'], 'application/problem+json');
    return { status: reply.status, body: reply.body === '' ? undefined : JSON.parse(reply.body) };
  };
  /** `app` undefined: a broadcast. */
  const publish = async (
    app: string | undefined,
    body: string | Uint8Array,
    given: Pick<Partial<CatalogueRules>, 'eventTypes'> = {},
  ): Promise<{ status: number; body: Json }> => {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const request = { app, body: bytes, traceId: undefined };
    const publishRules = { environment: 'test', eventTypes: given.eventTypes ?? ('any' as const), retentionMs };
    const publishPorts = { ...shared, countMatches: countMatches(endpointsOf(store)) };
    const reply = await answering('publish', shared, () => publishMessage(publishPorts, publishRules, request));
    return { status: reply.status, body: JSON.parse(reply.body) };
  };
  /** Runs jobs and wake-ups until none is left. */
  const settle = async (): Promise<void> => {
    const fanOutPorts = {
      ...shared,
      wake,
      endpoints: endpointsOf(store),
      publishOperational: async () => undefined,
      runReplay: async () => undefined,
    };
    const drainPorts = {
      ...{ ...shared, random: { next: () => 0.5 }, timer: systemTimer, dead: { send: async () => undefined } },
      ...{ slow: { send: async () => undefined }, receipts: { hide: async () => undefined } },
    };
    const drainRules = {
      ...{ lane: 'slow' as const, timings: OUTBOUND_TIMINGS, retentionMs, waits: [5, 300] },
      ...{ hold: { baseSeconds: 30, capSeconds: 900 }, autoDisableDays: 5, attemptLog: 'failures' as const },
    };
    while (jobs.length + wakeUps.length > 0) {
      const batch = jobs.splice(0).map((job, id) => ({ id, job }));
      assert.deepEqual(await fanOut(fanOutPorts, { retentionMs }, batch), new Map());
      const messages = wakeUps
        .splice(0)
        .map((wakeUp, id) => ({ id: `${id}`, body: JSON.stringify(wakeUp), receipt: '' }));
      const tools = {
        ports: drainPorts,
        rules: drainRules,
        configOf: warm ?? configsOf(drainPorts),
        guardOn: async () => guardOn,
      };
      const invocation = { startedAt: now, deadline: now + 90_000, held: { bytes: 0 } };
      assert.deepEqual(await drainBatch(tools, messages, invocation), []);
    }
  };
  /** As the tools of a person reach it, without the way over HTTP. */
  const api: DeliveryApi = {
    url: 'https://delivery.test',
    send: async ({ method, path, query = {}, body }) => {
      const wanted = ['', 'v1', ...path];
      const parts = (route: string): readonly string[] => route.slice(method.length + 1).split('/');
      const fits = (route: string): boolean =>
        route.startsWith(`${method} `) &&
        parts(route).length === wanted.length &&
        parts(route).every((part, at) => part.startsWith('{') || part === wanted[at]);
      const route = DELIVERY_ROUTES.find(fits);
      if (route === undefined) throw new Error(`no route for ${method} ${wanted.join('/')}`);
      const placed = parts(route).flatMap((part, at) =>
        part.startsWith('{') ? [[part.slice(1, -1), wanted[at]]] : [],
      );
      const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
      const text = body === undefined ? undefined : JSON.stringify(body);
      const request = { route, path: Object.fromEntries(placed) as Record<string, string>, query: given, body: text };
      const reply = await answerApi({ ...request, caller: 'arn:test', ports, rules });
      return { ...reply, ms: 1 };
    },
  };
  return {
    ...{ call, publish, settle, sent, jobs, wakeUps, api, store, ports, rules, telemetry, clock },
    outage: (on: boolean) => {
      isOut = on;
    },
    portalAt: (url: string | undefined) => {
      if (url === undefined) delete rules.portalUrl;
      else rules.portalUrl = url;
    },
    /** Undefined: there are none. */
    contactsMayBe: (kinds: readonly ContactKind[] | undefined) => {
      if (kinds === undefined) delete rules.contacts;
      else rules.contacts = kinds;
    },
    /** What the portal says to whoever signs in with the token: `200`, or the status and the cause. */
    signIn: async (token: string): Promise<string> => {
      const asked = { path: {}, query: {}, body: undefined, authorization: `Bearer ${token}`, mayCall: () => true };
      const { status: code, body } = await answerPortal({ route: SESSION_ROUTE, ports, rules, ...asked });
      return `${code} ${(JSON.parse(body) as Json).error ?? ''}`.trim();
    },
    /** Each receiver by itself, in the place of `answer` and `say`. */
    answerBy: (by: typeof answerOf) => {
      answerOf = by;
    },
    /** A minute of replay jobs, what they send, and whoever is to be looked at by then. */
    minute: async () => {
      now += 60_000;
      for (let shard = 0; shard < WAKE_SHARDS; shard++) {
        const { items } = await store.query(wakeRange(shard, now));
        wakeUps.push(...items.map(({ pk }) => ({ v: 1, ep: pk.slice(2) }) as const));
      }
      await settle();
      await runReplayJobs({ ...shared, wake }, { retentionMs }, now + 45_000);
      await settle();
    },
    /** 0: none, the connection is refused. */
    answer: (code: number) => {
      status = code;
    },
    /** The body of each answer from now on. */
    say: (text: string) => {
      said = text;
    },
    /** From now on one worker sends everything, and remembers what it read of endpoints. */
    keepWarm: () => {
      warm = configsOf(shared);
    },
    guard: (on: boolean) => {
      guardOn = on;
    },
    /** A success of the portal, for a customer who may everything. */
    askPortal: async (route: PortalRoute, path: Record<string, string>): Promise<Json> => {
      const { token } = (await call('POST /v1/apps/{app}/portal-tokens', { app: path['app'] ?? '' }, {})).body;
      const asked = { path, query: {}, body: undefined, authorization: `Bearer ${token}`, mayCall: () => true };
      const reply = await answerPortal({ route, ports, rules, ...asked });
      assert.equal(reply.status, 200, reply.body);
      return JSON.parse(reply.body);
    },
    /** The headers of each answer from now on. */
    answerWith: (headers: typeof answeredHeaders) => {
      answeredHeaders = headers;
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

/** With an application `uid:acme` and one endpoint. */
export async function withEndpoint(judgeMs?: number) {
  const it = producerWorld(NOW, false, judgeMs);
  const app = (await it.call('POST /v1/apps', {}, { name: 'Acme', uid: 'acme' })).body.id as string;
  const made = await it.call('POST /v1/apps/{app}/endpoints', { app }, { url: 'https://hooks.customer.com/in' });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { ...it, app, ep: made.body.id as string, secret: made.body.secret as string };
}
