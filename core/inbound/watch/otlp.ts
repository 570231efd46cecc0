/**
 * Log lines of the functions as OpenTelemetry takes them: OTLP/HTTP with JSON bodies (opentelemetry.io/docs/specs/otlp,
 * "JSON Protobuf Encoding": ids in hex, 64-bit integers as texts, names in lowerCamelCase, enums as numbers).
 */

import { allMetrics, dimensionsOf, type MetricName, unitOf } from '#core/metrics.ts';
import type { Place } from '#core/names.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { parseIso } from '#core/time.ts';

export interface LogLine {
  readonly message: string;
  /** Epoch milliseconds at which CloudWatch got it. */
  readonly timestamp: number;
}

export interface OtlpResource extends Place {
  readonly version: string;
  readonly logGroup: string;
  readonly logStream: string;
}

/** Bodies of `/v1/traces` and `/v1/metrics`; absent: the lines hold none. */
export interface OtlpBodies {
  readonly traces?: object;
  readonly metrics?: object;
}

type Line = Readonly<Record<string, unknown>>;
type Attribute = { readonly key: string; readonly value: object };

const KIND = { server: 2, consumer: 5 } as const;
const STATUS_ERROR = 2;
const DELTA = 1;
/** The year 2243: nanoseconds of later times are near the end of 64 bits. */
const LAST_MS = 8.64e12;
/** Milliseconds. */
const BOUNDS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];
/** Numbers of things that are there now. What else has the unit `Count` counts what happened. */
export const GAUGES: readonly MetricName[] = [
  'OpenDeadLetters',
  'LedgerMismatch',
  'DeliveriesWaiting',
  'EndpointsOnHold',
  'EndpointsShut',
  'EgressSuspect',
];
const UNITS = { Count: '1', Milliseconds: 'ms', Seconds: 's' } as const;

export function toOtlp(lines: readonly LogLine[], resource: OtlpResource): OtlpBodies {
  const parsed = lines.flatMap(({ message, timestamp }) => {
    const line = decodeJsonObject(message);
    return line === undefined ? [] : [{ line, at: timeOf(line) ?? timestamp }];
  });
  const spans = parsed.flatMap(({ line, at }) => spansOf(line, at));
  const metrics = parsed.flatMap(({ line, at }) => metricsOf(line, at));
  const scope = { name: 'holdfast', version: resource.version };
  const owner = { attributes: resourceOf(resource) };
  return {
    ...(spans.length > 0 && { traces: { resourceSpans: [{ resource: owner, scopeSpans: [{ scope, spans }] }] } }),
    ...(metrics.length > 0 && {
      metrics: { resourceMetrics: [{ resource: owner, scopeMetrics: [{ scope, metrics }] }] },
    }),
  };
}

/** An attempt that says which span it is; before an event's first, the span of its arrival and wait. */
function spansOf(line: Line, at: number): readonly object[] {
  const { trace_id: traceId, span_id: spanId, event_span_id: eventSpanId, parent_span_id: senderId } = line;
  if (line['stage'] !== 'attempt' || !isHex(traceId, 32) || !isHex(spanId, 16) || !isHex(eventSpanId, 16)) return [];
  const { duration_ms: took } = line;
  const startedAt = at - (typeof took === 'number' ? took : 0);
  const type = textOf(line['event_type']);
  const shared = attributes({
    'holdfast.event.id': line['event_id'],
    'holdfast.event.type': type,
    'holdfast.source': line['source'],
    'holdfast.provider': line['provider'],
  });
  const failed = line['cause'] !== undefined;
  const attempt = {
    ...{ traceId, spanId, parentSpanId: eventSpanId, name: `process ${type}`, kind: KIND.consumer },
    ...{ startTimeUnixNano: nano(startedAt), endTimeUnixNano: nano(at) },
    attributes: [
      ...shared,
      ...attributes({
        'holdfast.attempt': line['attempt'],
        'holdfast.generation': line['gen'],
        'holdfast.outcome': line['outcome'],
        ...(failed ? { 'error.type': line['cause'] } : {}),
      }),
    ],
    status: failed ? { code: STATUS_ERROR, message: textOf(line['error'] ?? '') } : {},
  };
  const receivedAt = line['received_at'];
  if (line['attempt'] !== 1 || line['gen'] !== 1 || typeof receivedAt !== 'number') return [attempt];
  const event = {
    ...{ traceId, spanId: eventSpanId, ...(isHex(senderId, 16) ? { parentSpanId: senderId } : {}) },
    ...{ name: `receive ${type}`, kind: KIND.server, attributes: shared, status: {} },
    // Clocks of two machines: never an end before its beginning.
    ...{ startTimeUnixNano: nano(receivedAt), endTimeUnixNano: nano(Math.max(receivedAt, startedAt)) },
  };
  return [event, attempt];
}

/** The metrics of a line in CloudWatch's embedded metric format, each under its finest set of dimensions. */
function metricsOf(line: Line, at: number): readonly object[] {
  if (typeof line['_aws'] !== 'object') return [];
  return allMetrics().flatMap((name): readonly object[] => {
    const given = line[name];
    const values = (Array.isArray(given) ? given : [given]).filter(isUsable);
    if (values.length === 0) return [];
    const dimensions = dimensionsOf(name);
    const unit = unitOf(name);
    const names = [...new Set<string>(dimensions.flat())].filter(each => each !== 'environment');
    const of = attributes(Object.fromEntries(names.map(each => [`holdfast.${each}`, line[each]])));
    const head = { name: `holdfast.${name}`, unit: UNITS[unit] };
    const time = { attributes: of, timeUnixNano: nano(at) };
    if (unit === 'Milliseconds') {
      const dataPoints = [{ ...time, ...histogramOf(values) }];
      return [{ ...head, histogram: { aggregationTemporality: DELTA, dataPoints } }];
    }
    if (unit === 'Seconds' || GAUGES.includes(name))
      return [{ ...head, gauge: { dataPoints: values.map(asDouble => ({ ...time, asDouble })) } }];
    const asInt = String(Math.round(values.reduce((sum, each) => sum + each, 0)));
    return [{ ...head, sum: { aggregationTemporality: DELTA, isMonotonic: true, dataPoints: [{ ...time, asInt }] } }];
  });
}

function histogramOf(values: readonly number[]): object {
  const counts = new Array<number>(BOUNDS.length + 1).fill(0);
  for (const value of values) {
    const bucket = BOUNDS.findIndex(bound => value <= bound);
    const index = bucket === -1 ? BOUNDS.length : bucket;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return {
    count: String(values.length),
    sum: values.reduce((sum, each) => sum + each, 0),
    min: Math.min(...values),
    max: Math.max(...values),
    bucketCounts: counts.map(String),
    explicitBounds: BOUNDS,
  };
}

function resourceOf({ environment, prefix, version, logGroup, logStream }: OtlpResource): readonly Attribute[] {
  return attributes({
    'service.name': 'holdfast',
    'service.namespace': prefix,
    'service.version': version,
    'service.instance.id': logStream,
    'deployment.environment.name': environment,
    'cloud.provider': 'aws',
    'aws.log.group.names': [logGroup],
  });
}

function attributes(values: Line): readonly Attribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: unknown): object {
  if (typeof value === 'number' && isUsable(value))
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { stringValue: textOf(value) };
}

/** An object of a log line may have a `toString` of its own that is no function. */
function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isHex(value: unknown, digits: number): value is string {
  return typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value);
}

/** A number that is written as digits: not beyond 2^53, not infinite. */
function isUsable(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** Nanoseconds as text: a number would lose digits. A time that cannot be is 1970. */
function nano(ms: number): string {
  return `${ms > 0 && ms < LAST_MS ? Math.round(ms) : 0}000000`;
}

function timeOf(line: Line): number | undefined {
  const { Timestamp: emf } = (line['_aws'] ?? {}) as { Timestamp?: unknown };
  if (typeof emf === 'number') return emf;
  // A handler may log anything under that name.
  return typeof line['timestamp'] === 'string' ? parseIso(line['timestamp']) : undefined;
}
