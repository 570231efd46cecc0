/**
 * 1. What the functions really print (EMF lines, lines of attempts) becomes bodies that a strict reading of OTLP accepts.
 * 2. Numbers and times survive: counts as sums, waits as histograms, states as gauges; spans of one event hang together.
 * 3. A line of anything else is left out, whatever it holds.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { jsonPoster } from '#adapters/http/post-json.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { traceAttempt } from '#core/inbound/process/attempt-trace.ts';
import { GAUGES, type OtlpResource, toOtlp } from '#core/inbound/watch/otlp.ts';
import { readOtlpHeaders } from '#core/inbound/watch/otlp-headers.ts';
import { allMetrics, type MetricName, unitOf } from '#core/metrics.ts';

const valid = new Ajv({ allErrors: true }).compile(
  JSON.parse(readFileSync(join('test/fixtures/schemas/otlp.json'), 'utf8')),
);
const NOW = Date.UTC(2026, 10, 22, 20);
const RESOURCE: OtlpResource = { environment: 'prod', version: '0.1.0', logGroup: 'ingest', logStream: 'one' };

/** Lines as a function prints them in one invocation. */
function printed(work: (telemetry: EmfTelemetry) => void): { message: string; timestamp: number }[] {
  const lines: { message: string; timestamp: number }[] = [];
  const write = (message: string): void => void lines.push({ message, timestamp: NOW + 900 });
  const telemetry = new EmfTelemetry({ environment: 'prod', level: 'info', write, now: () => NOW });
  work(telemetry);
  telemetry.flush();
  return lines;
}

function attemptLine(telemetry: EmfTelemetry, attempt: number, more: Record<string, unknown> = {}): void {
  const item = { ingestId: '0af76519-16cd-43dd-8448-eb211c80319c', receivedAt: NOW - 500 };
  const traced = traceAttempt({ item, claimId: `claim-${attempt}`, headers: {} }, true, nodeCrypto);
  telemetry.log('info', {
    ...{ stage: 'attempt', event_id: 'evt_stripe.evt_1', event_type: 'invoice.paid', provider: 'stripe' },
    ...{ source: 'stripe', outcome: 'done', attempt, gen: 1, duration_ms: 120, ...traced?.fields, ...more },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of another's format
type Json = any;

it('makes a body that is accepted of every metric there is, with its value, unit and kind', () => {
  const names = allMetrics();
  const lines = printed(telemetry => {
    for (const name of names) {
      const dimensions = { source: 'stripe', cause: 'mismatch', dependency: 's3', class: 'ok', lane: 'fast' };
      if (unitOf(name) === 'Count' && !GAUGES.includes(name)) telemetry.count(name, dimensions, 3);
      else for (const value of [7, 700.5]) telemetry.measure(name, value, dimensions);
    }
  });
  const { metrics } = toOtlp(lines, RESOURCE) as Json;
  expect(valid(metrics), JSON.stringify(valid.errors)).toBe(true);
  const sent: Json[] = metrics.resourceMetrics[0].scopeMetrics[0].metrics;
  expect(new Set(sent.map(each => each.name))).toEqual(new Set(names.map(name => `holdfast.${name}`)));
  const of = (name: string) => sent.find(each => each.name === `holdfast.${name}`);
  expect(of('Accepted')).toEqual({
    name: 'holdfast.Accepted',
    unit: '1',
    sum: {
      aggregationTemporality: 1,
      isMonotonic: true,
      dataPoints: [
        {
          attributes: [{ key: 'holdfast.source', value: { stringValue: 'stripe' } }],
          timeUnixNano: `${NOW}000000`,
          asInt: '3',
        },
      ],
    },
  });
  expect(of('ProcessingLatency').histogram.dataPoints[0]).toMatchObject({ count: '2', sum: 707.5, min: 7, max: 700.5 });
  expect(of('UnsentOldestAge').gauge.dataPoints.map((each: Json) => each.asDouble)).toEqual([7, 700.5]);
});

it('knows every count that is a number of things there are now', () => {
  const measured = new Set<string>();
  for (const file of readdirSync('core', { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.ts'))
      for (const [, name = ''] of readFileSync(join('core', file), 'utf8').matchAll(/\.measure\(\s*'(\w+)'/g))
        if (unitOf(name as MetricName) === 'Count') measured.add(name);
  expect([...GAUGES].filter(name => name !== 'EgressSuspect').sort()).toEqual(
    [...measured].filter(name => name !== 'EgressSuspect').sort(),
  );
});

it('makes spans of attempts, below one of the event, which is said once', () => {
  const lines = printed(telemetry => {
    attemptLine(telemetry, 1, { outcome: 'failed', cause: 'timeout', error: 'it took too long' });
    telemetry.count('Attempts', { source: 'stripe' });
    telemetry.flush();
    attemptLine(telemetry, 2);
  });
  const { traces } = toOtlp(lines, RESOURCE) as Json;
  expect(valid(traces), JSON.stringify(valid.errors)).toBe(true);
  const [event, first, second]: Json[] = traces.resourceSpans[0].scopeSpans[0].spans;
  expect(event).toMatchObject({ name: 'receive invoice.paid', kind: 2, startTimeUnixNano: `${NOW - 500}000000` });
  expect(event).not.toHaveProperty('parentSpanId');
  expect(first).toMatchObject({
    kind: 5,
    parentSpanId: event.spanId,
    status: { code: 2, message: 'it took too long' },
  });
  expect(first).toMatchObject({ startTimeUnixNano: `${NOW - 120}000000`, endTimeUnixNano: `${NOW}000000` });
  expect(second).toMatchObject({ parentSpanId: event.spanId, traceId: event.traceId, status: {} });
  expect(traces.resourceSpans[0].scopeSpans[0].spans).toHaveLength(3);
});

it('takes a value that cannot be made text as JSON', () => {
  const ids = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), event_span_id: 'c'.repeat(16) };
  const message = JSON.stringify({ stage: 'attempt', ...ids, cause: [{ toString: null }] });
  expect(() => toOtlp([{ message, timestamp: NOW }], RESOURCE)).not.toThrow();
});

it('leaves out whatever is neither, and breaks no rule whatever a line holds', () => {
  expect(toOtlp([{ message: 'START RequestId', timestamp: 1 }], RESOURCE)).toEqual({});
  expect(toOtlp([{ message: '{"stage":"attempt","event_id":"x"}', timestamp: 1 }], RESOURCE)).toEqual({});
  expect(toOtlp([{ message: '{"timestamp":{"toString":1}}', timestamp: 1 }], RESOURCE)).toEqual({});
  const line = fc.record(
    {
      stage: fc.constant('attempt'),
      ...{ trace_id: fc.constantFrom('a'.repeat(32), 7), span_id: fc.constant('b'.repeat(16)) },
      ...{ event_span_id: fc.constant('c'.repeat(16)), duration_ms: fc.jsonValue(), attempt: fc.constantFrom(1, 2) },
      ...{ gen: fc.constant(1), received_at: fc.oneof(fc.double(), fc.integer()), cause: fc.jsonValue() },
      ...{
        event_type: fc.jsonValue(),
        error: fc.jsonValue(),
        _aws: fc.jsonValue(),
        Accepted: fc.jsonValue(),
        timestamp: fc.jsonValue(),
      },
    },
    { requiredKeys: ['stage'] },
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 3 }), lines => {
      const messages = lines.map(each => ({ message: JSON.stringify(each), timestamp: NOW }));
      for (const body of Object.values(toOtlp(messages, RESOURCE)))
        expect(valid(JSON.parse(JSON.stringify(body))), JSON.stringify(valid.errors)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

it('arrives at a collector as JSON, with the headers of the secret', async () => {
  const got: { url: string; headers: Json; ok: boolean }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const ok = valid(JSON.parse(text));
    got.push({ url: request.url ?? '', headers: request.headers, ok });
    response.writeHead(ok ? 200 : 400, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const post = jsonPoster({ ports: [443], ownHosts: [], allowAddresses: ['127.0.0.1'] });
  const lines = printed(telemetry => {
    attemptLine(telemetry, 1);
    telemetry.measure('ProcessingLatency', 12, { source: 'stripe' });
  });
  const headers = readOtlpHeaders('api-key=abc%3D%3D, Team=payments');
  for (const [signal, body] of Object.entries(toOtlp(lines, RESOURCE)))
    expect(await post(`http://127.0.0.1:${port}/v1/${signal}`, JSON.stringify(body), headers)).toMatchObject({
      status: 200,
    });
  server.close();
  expect(got.map(each => each.url)).toEqual(['/v1/traces', '/v1/metrics']);
  expect(got[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'api-key': 'abc==', team: 'payments' });
});

it.each(['api-key', '=x', 'a b=c', 'a=', 'a=b\nc: d'])('takes %j for no headers, and does not repeat it', text => {
  expect(() => readOtlpHeaders(text)).toThrow(
    /^the secret with the OTLP headers is not of the form name=value,name=value$/,
  );
});

it('judges by a schema that refuses base64 ids, numbers for 64 bits and names with underscores', () => {
  const span = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    name: 'x',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
  };
  const body = (given: object) => ({ resourceSpans: [{ scopeSpans: [{ spans: [given] }] }] });
  expect(valid(body(span))).toBe(true);
  for (const wrong of [
    { traceId: 'qrvM3e7/ABEiM0RVZneImQ==' },
    { startTimeUnixNano: 1 },
    { trace_id: 'x' },
    { kind: 'SERVER' },
  ])
    expect(valid(body({ ...span, ...wrong })), JSON.stringify(wrong)).toBe(false);
});

it('two gateways that send to one collector differ by the namespace of the service, and in CloudWatch by that of the metrics', () => {
  const lines = printed(telemetry => telemetry.count('Accepted', { source: 'stripe' }));
  const namespaceOf = (resource: OtlpResource): Json => {
    const { metrics }: Json = toOtlp(lines, resource);
    const found = metrics.resourceMetrics[0].resource.attributes;
    return found.find(({ key }: Json) => key === 'service.namespace')?.value.stringValue;
  };
  expect([namespaceOf(RESOURCE), namespaceOf({ ...RESOURCE, prefix: 'payments' })]).toEqual([undefined, 'payments']);
  const written: string[] = [];
  const about = { environment: 'prod', prefix: 'payments', level: 'info' } as const;
  const telemetry = new EmfTelemetry({ ...about, write: line => void written.push(line), now: () => NOW });
  telemetry.count('Accepted', { source: 'stripe' });
  telemetry.flush();
  expect(JSON.parse(written[0] ?? '')._aws.CloudWatchMetrics[0].Namespace).toBe('payments/Holdfast');
});
