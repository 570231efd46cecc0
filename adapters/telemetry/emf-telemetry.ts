/**
 * `Telemetry` as log lines: metrics in CloudWatch's embedded metric format, once per invocation, and one wide JSON line
 * per stage. Written straight to stdout, where Lambda's own JSON wrapper leaves them as they are.
 */

import { dimensionsOf, type MetricName } from '#core/metrics.ts';
import { metricNamespace, type Place } from '#core/names.ts';
import type { Telemetry } from '#core/ports.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

const FIELD_LIMIT = 1_024;
/** Thirty places in files. */
const STACK_LIMIT = 4_096;
/** Values of one metric in one EMF document. */
const VALUES_LIMIT = 100;

export interface EmfTelemetryOptions extends Place {
  readonly level: Level;
  /** A source whose events appear in the log and in no metric. @default none */
  readonly uncounted?: string;
  /** @default stdout */
  readonly write?: (line: string) => void;
  /** Epoch milliseconds. @default the machine's clock */
  readonly now?: () => number;
}

type Dimensions = Readonly<Record<string, string>>;

/** Metrics whose dimensions have the same values; `environment` is in all of them. */
interface Document {
  readonly dimensions: Dimensions;
  readonly values: Map<MetricName, number | number[]>;
}

export class EmfTelemetry implements Telemetry {
  readonly #environment: string;
  readonly #namespace: string;
  readonly #threshold: number;
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  readonly #uncounted: string | undefined;
  /** The last line of level info, which may travel with metrics: each line costs more than what it says. */
  #held: Readonly<Record<string, unknown>> | undefined;
  #documents = new Map<string, Document>();

  constructor(options: EmfTelemetryOptions) {
    this.#environment = options.environment;
    this.#namespace = metricNamespace(options);
    this.#uncounted = options.uncounted;
    this.#threshold = LEVELS.indexOf(options.level);
    this.#write = options.write ?? (line => process.stdout.write(`${line}\n`));
    this.#now = options.now ?? Date.now;
  }

  count(metric: MetricName, dimensions: Dimensions = {}, value = 1): void {
    if (this.#isUncounted(dimensions)) return;
    const { values } = this.#documentOf(metric, dimensions);
    const known = values.get(metric);
    values.set(metric, (typeof known === 'number' ? known : 0) + value);
  }

  measure(metric: MetricName, value: number, dimensions: Dimensions = {}): void {
    if (this.#isUncounted(dimensions)) return;
    const { values } = this.#documentOf(metric, dimensions);
    const known = values.get(metric);
    if (!Array.isArray(known)) values.set(metric, [value]);
    else if (known.length < VALUES_LIMIT) known.push(value);
  }

  log(level: Level, line: Readonly<Record<string, unknown>>): void {
    if (LEVELS.indexOf(level) < this.#threshold) return;
    const fields = Object.fromEntries(
      Object.entries(line).map(([name, value]) => [
        cleanText(name),
        toField(value, name === 'stack' ? STACK_LIMIT : FIELD_LIMIT),
      ]),
    );
    const own = { timestamp: new Date(this.#now()).toISOString(), level: level.toUpperCase() };
    const entry = { ...own, ...fields, ...own };
    this.#release();
    if (level === 'info') this.#held = entry;
    else this.#write(JSON.stringify(entry));
  }

  #release(): void {
    if (this.#held !== undefined) this.#write(JSON.stringify(this.#held));
    this.#held = undefined;
  }

  /**
   * Prints what was counted and measured since the last flush: one line for each set of dimension values, and fewer where
   * sets have no name in common. The last line of level info goes with the metrics of its source, where they say nothing
   * else under its names.
   */
  flush(): void {
    const documents = together([...this.#documents.values()]);
    this.#documents = new Map();
    const bare = documents.find(({ dimensions }) => Object.keys(dimensions).length === 0);
    const host = documents.find(document => document !== bare);
    // Metrics of the environment alone travel in another's line: a line costs more than they do.
    if (bare && host) for (const [metric, value] of bare.values) host.values.set(metric, value);
    for (const document of documents) {
      if (document === bare && host) continue;
      const emf = this.#toEmf(document);
      const held = this.#held;
      if (held !== undefined && canJoin(held, emf)) {
        this.#held = undefined;
        // The metrics bring the time.
        const { timestamp: _same, ...fields } = held;
        this.#write(JSON.stringify({ ...fields, ...emf }));
      } else this.#write(JSON.stringify(emf));
    }
    this.#release();
  }

  #isUncounted({ source }: Dimensions): boolean {
    return source !== undefined && source === this.#uncounted;
  }

  #documentOf(metric: MetricName, dimensions: Dimensions): Document {
    const names = [...new Set(dimensionsOf(metric).flat())].filter(name => name !== 'environment');
    const own = Object.fromEntries(names.map(name => [name, dimensions[name] ?? 'unknown']));
    const key = JSON.stringify(own);
    const known = this.#documents.get(key);
    if (known) return known;
    const created: Document = { dimensions: own, values: new Map() };
    this.#documents.set(key, created);
    return created;
  }

  #toEmf({ dimensions, values }: Document): Record<string, unknown> {
    return {
      _aws: { Timestamp: this.#now(), CloudWatchMetrics: directivesOf([...values.keys()], this.#namespace) },
      environment: this.#environment,
      ...dimensions,
      ...Object.fromEntries([...values].map(([name, value]) => [name, single(value)])),
    };
  }
}

/**
 * Fewer lines: documents whose dimensions have different names share one, each metric still under its own. What is about a
 * source stays alone, because lines are searched by it.
 */
function together(documents: readonly Document[]): Document[] {
  const hosts: Document[] = [];
  for (const document of documents) {
    const names = Object.keys(document.dimensions);
    const isAlone = names.length === 0 || names.includes('source');
    const host = isAlone ? undefined : hosts.find(it => canShare(it, names));
    if (host === undefined) hosts.push({ dimensions: document.dimensions, values: new Map(document.values) });
    else {
      for (const [metric, value] of document.values) host.values.set(metric, value);
      hosts[hosts.indexOf(host)] = { ...host, dimensions: { ...host.dimensions, ...document.dimensions } };
    }
  }
  return hosts;
}

function canShare({ dimensions }: Document, names: readonly string[]): boolean {
  const taken = Object.keys(dimensions);
  return taken.length > 0 && !taken.includes('source') && names.every(name => !taken.includes(name));
}

/** A line of the same source that has no other field by the name of a metric or dimension. */
function canJoin(line: Readonly<Record<string, unknown>>, emf: Readonly<Record<string, unknown>>): boolean {
  return (
    line['source'] !== undefined &&
    line['source'] === emf['source'] &&
    Object.keys(emf).every(name => name === 'source' || !Object.hasOwn(line, name))
  );
}

function single(value: number | readonly number[]): number | readonly number[] {
  return Array.isArray(value) && value.length === 1 ? (value[0] as number) : value;
}

/** One directive for the metrics that are published under the same sets of dimensions. */
function directivesOf(metrics: readonly MetricName[], Namespace: string) {
  const bySets = new Map<string, { Namespace: string; Dimensions: unknown; Metrics: { Name: string }[] }>();
  for (const Name of metrics) {
    const dimensions = dimensionsOf(Name);
    const key = JSON.stringify(dimensions);
    const directive = bySets.get(key) ?? { Namespace, Dimensions: dimensions, Metrics: [] };
    bySets.set(key, directive);
    // Without a unit: a metric's name says it, and no alarm asks for one.
    directive.Metrics.push({ Name });
  }
  return [...bySets.values()];
}

/** What a line may hold of a value, whoever gave it: a field can neither forge a line, nor flood the log, nor throw. */
function toField(value: unknown, limit: number): unknown {
  if (value instanceof Error) return cleanText(`${value.name}: ${value.message}`);
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  try {
    const text = JSON.stringify(value, (_name, part: unknown) => (typeof part === 'string' ? cleanText(part) : part));
    return text.length <= limit ? JSON.parse(text) : cleanText(text);
  } catch (error) {
    return cleanText(`not loggable: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Without control characters (line breaks, terminal escapes), and cut at the limit. */
function cleanText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
  return clean.length <= FIELD_LIMIT ? clean : `${clean.slice(0, FIELD_LIMIT - 1)}…`;
}
