import type { MetricName } from '#core/metrics.ts';
import type { Telemetry } from '#core/ports.ts';

type Dimensions = Readonly<Record<string, string>>;

/** `Telemetry` that keeps what it is told, for tests and oracles. */
export class MemoryTelemetry implements Telemetry {
  readonly lines: { readonly level: string; readonly line: Readonly<Record<string, unknown>> }[] = [];
  readonly measures: { readonly metric: MetricName; readonly value: number; readonly dimensions: Dimensions }[] = [];
  readonly #counts = new Map<MetricName, { dimensions: Dimensions; value: number }[]>();

  count(metric: MetricName, dimensions: Dimensions = {}, value = 1): void {
    const rows = this.#counts.get(metric);
    const entry = { dimensions: { ...dimensions }, value };
    if (rows === undefined) {
      this.#counts.set(metric, [entry]);
      return;
    }
    const same = rows.find(row => sameDimensions(row.dimensions, dimensions));
    if (same) same.value += value;
    else rows.push(entry);
  }

  measure(metric: MetricName, value: number, dimensions: Dimensions = {}): void {
    this.measures.push({ metric, value, dimensions: { ...dimensions } });
  }

  log(level: 'debug' | 'info' | 'warn' | 'error', line: Readonly<Record<string, unknown>>): void {
    this.lines.push({ level, line: { ...line } });
  }

  /** Sum of a count over all its dimensions that include the given ones. */
  total(metric: MetricName, dimensions: Dimensions = {}): number {
    const rows = this.#counts.get(metric) ?? [];
    const wanted = Object.entries(dimensions);
    return rows
      .filter(row => wanted.every(([name, value]) => row.dimensions[name] === value))
      .reduce((sum, row) => sum + row.value, 0);
  }
}

function sameDimensions(a: Dimensions, b: Dimensions): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every(name => a[name] === b[name]);
}
