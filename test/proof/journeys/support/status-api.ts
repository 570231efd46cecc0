/** The `api` function over a memory world. Every call is held to docs/api/openapi.json. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect } from 'vitest';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import { SeededIds } from '#adapters/memory/seeded-random.ts';
import type { ApiPorts, ApiRules } from '#core/inbound/api/api-call.ts';
import type { ApiRoute } from '#core/inbound/api/api-routes.ts';
import { handleApiRequest } from '#lambdas/api/handle-api-request.ts';
import type { ApiDocument } from '#test/kit/api-document.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { MemoryWorkQueue } from '#test/kit/memory/queue/memory-queue-ports.ts';
import { EVENTS, type MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';

export interface ApiParts {
  /** Of the path: `event_id`, `job_id`, `source`. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; a text is sent as it stands. */
  readonly body?: unknown;
}
export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}
export const CALLER = 'arn:aws:iam::123456789012:user/ada';

export class StatusApi {
  readonly ports: ApiPorts;
  readonly #document: ApiDocument;
  readonly #rules: ApiRules;

  constructor(world: MemoryWorld, document: ApiDocument, ports: Partial<ApiPorts> = {}) {
    this.#document = document;
    this.ports = {
      store: new MemoryEventStore(world.database, EVENTS),
      payloads: new MemoryPayloadStore(world.database, PAYLOADS),
      control: new MemoryControlStore(world.database, EVENTS),
      queue: new MemoryWorkQueue(world.main),
      beginSweep: async () => void world.sweeper.invoke({}),
      clock: world.clock,
      ids: new SeededIds(world.random.fork()),
      telemetry: world.telemetry,
      ...ports,
    };
    this.#rules = { ...world.rules, sources: world.sources, replaysPerSecond: 50, sweepSendsPerSecond: 300 };
  }

  async call(route: ApiRoute | 'GET /health', { path = {}, query = {}, body }: ApiParts = {}): Promise<ApiAnswer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const apiEvent = {
      routeKey: route,
      pathParameters: Object.fromEntries(Object.entries(path).map(([name, it]) => [name, encodeURIComponent(it)])),
      queryStringParameters: query,
      isBase64Encoded: text !== undefined,
      ...(text === undefined ? {} : { body: Buffer.from(text).toString('base64') }),
      requestContext: { authorizer: { iam: { userArn: CALLER } } },
    } as unknown as APIGatewayProxyEventV2;
    const reply = await handleApiRequest(this.ports, this.#rules)(apiEvent);
    const status = reply.statusCode ?? 0;
    const answer = JSON.parse(reply.body ?? '') as unknown;
    const shown = `${route} ${JSON.stringify({ path, query, body })?.slice(0, 300)} answers ${status} ${reply.body?.slice(0, 500)}`;
    expect(this.#document.judgeReply(route, status, answer), shown).toEqual([]);
    if (status < 300) expect(this.#document.judgeRequest(route, query, body ?? {}), shown).toEqual([]);
    return { status, body: answer as Record<string, unknown> };
  }
}
