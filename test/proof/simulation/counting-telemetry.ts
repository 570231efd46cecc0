/** `Telemetry` that keeps sums only: a simulation of a million events must not keep a million lines. */
import type { MetricName } from '#core/metrics.ts';
import type { Telemetry } from '#core/ports.ts';

export class CountingTelemetry implements Telemetry {
  readonly #counts = new Map<string, number>();
  readonly #worst = new Map<string, number>();
  readonly #onMistake: (line: Readonly<Record<string, unknown>>) => void;

  /** `onMistake`: told of each line that tells of a mistake in the product itself. */
  constructor(onMistake: (line: Readonly<Record<string, unknown>>) => void) {
    this.#onMistake = onMistake;
  }

  count(metric: MetricName, _dimensions?: Readonly<Record<string, string>>, value = 1): void {
    this.#counts.set(metric, (this.#counts.get(metric) ?? 0) + value);
  }

  measure(metric: MetricName, value: number): void {
    if (value > (this.#worst.get(metric) ?? Number.NEGATIVE_INFINITY)) this.#worst.set(metric, value);
  }

  log(_level: 'debug' | 'info' | 'warn' | 'error', line: Readonly<Record<string, unknown>>): void {
    const mistake = line['cause'] === 'internal_error' || (line['stage'] === 'audit' && line['cause'] !== undefined);
    if (mistake) this.#onMistake(line);
  }

  total(metric: MetricName): number {
    return this.#counts.get(metric) ?? 0;
  }

  /** The largest value ever measured. */
  worst(metric: MetricName): number {
    return this.#worst.get(metric) ?? 0;
  }
}
