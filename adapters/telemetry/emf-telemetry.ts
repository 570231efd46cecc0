/**
 * `Telemetry` as log lines: metrics in CloudWatch's embedded metric format, once per invocation, and one wide JSON line
 * per stage. Written straight to stdout, where Lambda's own JSON wrapper leaves them as they are.
 */
import { METRIC_NAMESPACE, METRICS, type MetricName } from '#core/metrics.ts';
import type { Telemetry } from '#core/ports.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

const FIELD_LIMIT = 1_024;
/** Values of one metric in one EMF document. */
const VALUES_LIMIT = 100;

export interface EmfTelemetryOptions {
  readonly environment: string;
  readonly level: Level;
  /** @default stdout */
  readonly write?: (line: string) => void;
  /** Epoch milliseconds. @default the machine's clock */
  readonly now?: () => number;
}

interface Document {
  readonly dimensionSets: readonly (readonly string[])[];
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: Map<MetricName, number | number[]>;
}

export class EmfTelemetry implements Telemetry {
  readonly #environment: string;
  readonly #threshold: number;
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  #documents = new Map<string, Document>();

  constructor(options: EmfTelemetryOptions) {
    this.#environment = options.environment;
    this.#threshold = LEVELS.indexOf(options.level);
    this.#write = options.write ?? (line => process.stdout.write(`${line}\n`));
    this.#now = options.now ?? Date.now;
  }

  count(metric: MetricName, dimensions: Readonly<Record<string, string>> = {}, value = 1): void {
    const { values } = this.#documentOf(metric, dimensions);
    const known = values.get(metric);
    values.set(metric, (typeof known === 'number' ? known : 0) + value);
  }

  measure(metric: MetricName, value: number, dimensions: Readonly<Record<string, string>> = {}): void {
    const { values } = this.#documentOf(metric, dimensions);
    const known = values.get(metric);
    if (!Array.isArray(known)) values.set(metric, [value]);
    else if (known.length < VALUES_LIMIT) known.push(value);
  }

  log(level: Level, line: Readonly<Record<string, unknown>>): void {
    if (LEVELS.indexOf(level) < this.#threshold) return;
    const time = new Date(this.#now()).toISOString();
    this.#write(JSON.stringify({ timestamp: time, level: level.toUpperCase(), ...line }, cleanField));
  }

  /** Prints what was counted and measured since the last flush. */
  flush(): void {
    const documents = this.#documents;
    this.#documents = new Map();
    for (const document of documents.values()) this.#write(JSON.stringify(this.#toEmf(document)));
  }

  /** Metrics published under the same dimensions share a document. */
  #documentOf(metric: MetricName, dimensions: Readonly<Record<string, string>>): Document {
    const dimensionSets = METRICS[metric].dimensions;
    const names = [...new Set(dimensionSets.flat())].filter(name => name !== 'environment');
    const own = Object.fromEntries(names.map(name => [name, dimensions[name] ?? 'unknown']));
    const key = JSON.stringify([dimensionSets, own]);
    const known = this.#documents.get(key);
    if (known) return known;
    const created: Document = { dimensionSets, dimensions: own, values: new Map() };
    this.#documents.set(key, created);
    return created;
  }

  #toEmf({ dimensionSets, dimensions, values }: Document): Record<string, unknown> {
    const Metrics = [...values.keys()].map(Name => ({ Name, Unit: METRICS[Name].unit }));
    const CloudWatchMetrics = [{ Namespace: METRIC_NAMESPACE, Dimensions: dimensionSets, Metrics }];
    return {
      _aws: { Timestamp: this.#now(), CloudWatchMetrics },
      environment: this.#environment,
      ...dimensions,
      ...Object.fromEntries(values),
    };
  }
}

/** Control characters stripped, texts cut: a field can neither forge a line nor flood the log. */
function cleanField(_name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  const clean = value.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
  return clean.length <= FIELD_LIMIT ? clean : `${clean.slice(0, FIELD_LIMIT - 1)}…`;
}
