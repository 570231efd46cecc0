/**
 * The handlers as Lambda loads them. Nothing answers at the other end: what is shown is that what is exported is what
 * was composed, that a function starts without its stores, and that no failure leaks.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineGateway } from 'holdfast';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';

type LambdaHandler = (payload: unknown, context: unknown) => Promise<unknown>;
const FUNCTIONS = readdirSync(join(import.meta.dirname, '../../../lambdas')).filter(name => name !== 'shared');
/** They open secrets of endpoints. */
const SENDING = ['drain', 'delivery-api', 'portal', 'contacts'];
const OUTBOUND = resolveConfig(
  defineGateway({
    sources: { a: { provider: 'stripe' } },
    environments: { test: { outbound: { portal: { name: 'Acme' } } } },
  }),
  'test',
  PROVIDERS,
).outbound;
const context = { getRemainingTimeInMillis: () => 2_000 };

const lines: string[] = [];
beforeEach(() => {
  const world = new MemoryWorld();
  const config = {
    ...world.rules,
    environment: 'test',
    region: 'eu-central-1',
    sources: world.sources,
    deadQueueRetentionSeconds: 1_209_600,
    sweepSendsPerSecond: 300,
    replaysPerSecond: 50,
    logLevel: 'debug',
    outbound: OUTBOUND,
  };
  vi.stubGlobal('__HOLDFAST_CONFIG__', JSON.stringify(config));
  const queue = (name: string): string => `http://127.0.0.1:1/000000000000/${name}`;
  const environment = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    EVENTS_TABLE: 'events',
    PAYLOADS_TABLE: 'payloads',
    BODIES_BUCKET: 'bodies',
    WORK_QUEUE_URL: queue('work'),
    SWEEP_FUNCTION: 'sweep',
    DEAD_QUEUE_URL: queue('dead'),
    PROBE_URL: 'http://127.0.0.1:1/webhooks/holdfast-probe',
    PAGE_TOPIC: 'arn:aws:sns:eu-central-1:000000000000:page',
    ALARM_SERVICES: '{}',
    REGISTRY_TABLE: 'registry',
    OUTBOX_TABLE: 'outbox',
    JOBS_QUEUE_URL: queue('jobs'),
    JOBS_DEAD_QUEUE_URL: queue('jobs-dead'),
    WAKE_QUEUE_URL: queue('wake'),
    WAKE_FAST_QUEUE_URL: queue('wake-fast'),
    WAKE_SLOW_QUEUE_URL: queue('wake-slow'),
    WAKES_DEAD_QUEUE_URL: queue('wakes-dead'),
    MASTER_SECRET: 'holdfast/test/_outbound',
    OWN_HOSTS: 'deliveries.example.com',
    API_URL: 'https://deliveries.example.com',
    LANE: 'fast',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.spyOn(process.stdout, 'write').mockImplementation(text => lines.push(String(text)) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.resetModules();
  lines.length = 0;
});

async function load(name: string): Promise<LambdaHandler> {
  const module = (await import(`../../../lambdas/${name}/handler.ts`)) as Record<string, unknown>;
  expect(Object.keys(module)).toEqual(['handler']);
  return module['handler'] as LambdaHandler;
}

const metricsIn = (text: readonly string[]): readonly string[] =>
  text.filter(line => line.includes('"_aws"')).flatMap(line => Object.keys(JSON.parse(line) as object));

describe('the exported handlers', () => {
  it.each(FUNCTIONS.filter(name => !SENDING.includes(name)))(
    '%s exports one handler and starts while no store answers',
    async name => {
      expect(typeof (await load(name))).toBe('function');
    },
  );

  it.each(SENDING)('%s does not start without the secret that opens the others', async name => {
    await expect(load(name)).rejects.toThrow('secrets: GetSecretValue');
  });

  it('ingest answers an unknown source, and runs its middleware: metrics are flushed, errors become a bare 500', async () => {
    const handler = await load('ingest');
    const request = new MemoryWorld().apiEvent({ id: 'evt_1' });
    expect(await handler({ ...request, routeKey: 'POST /webhooks/nobody' }, context)).toMatchObject({
      statusCode: 404,
    });
    expect(await handler(request, context)).toMatchObject({ statusCode: 503 });
    expect(metricsIn(lines)).toEqual(expect.arrayContaining(['RequestRefused']));
    const broken = { ...request, headers: null };
    const answer = await handler(broken, context);
    expect(answer).toMatchObject({ statusCode: 500, body: expect.stringContaining('internal_error') });
    expect(JSON.stringify(answer)).not.toContain('TypeError');
  });

  it('process names every record it could not record, and flushes what it counted', async () => {
    const handler = await load('process');
    const world = new MemoryWorld();
    await world.post({ id: 'evt_1' });
    const [message] = world.main.dump();
    const record = {
      messageId: 'm1',
      receiptHandle: 'r1',
      body: message?.body,
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
    };
    const answer = await handler({ Records: [record] }, { getRemainingTimeInMillis: () => 10_000 });
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(metricsIn(lines)).toContain('DependencyError');
  });

  it('api answers the health check from what it has, and nothing more', async () => {
    const handler = await load('api');
    const answer = (await handler({ routeKey: 'GET /health' }, context)) as { statusCode: number; body: string };
    expect(answer.statusCode).toBe(200);
    expect(Object.keys(JSON.parse(answer.body) as object)).toEqual(['version']);
  });

  it('no function starts with its environment wrong, and the error names every problem', async () => {
    vi.stubEnv('EVENTS_TABLE', '');
    vi.stubEnv('WORK_QUEUE_URL', undefined);
    await expect(load('ingest')).rejects.toThrow(/EVENTS_TABLE is empty.*WORK_QUEUE_URL is missing/);
  });
});
