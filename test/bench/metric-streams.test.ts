/** What `holdfast cost` says of custom metrics. The counts: test/bench/metric-streams.ts, held by test/written/written.test.ts. */
import { expect, it } from 'vitest';
import { countedStreams } from '#operator/cost/metric-streams.ts';
import { predictCost } from '#operator/cost/predict-cost.ts';
import { streamsOf } from './metric-streams.ts';

it('costs what it costs in the prediction, and nothing twice', () => {
  const item = 'Custom metrics of what happens';
  const lineOf = (sources: number, perDay = 1_000_000) =>
    predictCost(perDay, 5_000, 'all', { sources }).lines.find(line => line.item === item)?.dollars ?? 0;
  const { perSource } = countedStreams();
  // `Accepted` of each source is among the fixed lines: its silence is learned.
  expect(lineOf(7) - lineOf(6)).toBeCloseTo((perSource - 1) * 0.3);
  // Billed by the hour: a source with an event a day has its metrics for an hour of it.
  expect(lineOf(6, 6)).toBeCloseTo(lineOf(6) / 24);
});

it('has a line for what does not go well, and its metrics only then', () => {
  const shares = { duplicates: 0.01, retries: 0.03, dead: 0.001 };
  const [well, ill] = [predictCost(1e6, 5_000, 'all'), predictCost(1e6, 5_000, 'all', { shares })];
  const dollarsOf = (item: string): number => ill.lines.find(line => line.item === item)?.dollars ?? 0;
  for (const item of ['Duplicates', 'Retries', 'Dead letters']) {
    expect(well.lines.some(line => line.item === item)).toBe(false);
    expect(dollarsOf(item), item).toBeGreaterThan(0);
  }
  // A duplicate pays for its request, its function and two refused writes: less than half of an event.
  expect(dollarsOf('Duplicates')).toBeLessThan(0.005 * well.perMillion * 30.42);
  const { duplicates, retries, dead } = countedStreams().trouble;
  const streams = [duplicates, retries, dead].reduce((sum, it) => sum + it.perEnvironment + 6 * it.perSource, 0);
  const added = ill.total - well.total - dollarsOf('Duplicates') - dollarsOf('Retries') - dollarsOf('Dead letters');
  expect(added).toBeCloseTo(streams * 0.3, 5);
});

it('counts each set of dimension values once', () => {
  const line = (source: string) =>
    JSON.stringify({
      _aws: {
        CloudWatchMetrics: [
          {
            Namespace: 'H',
            Dimensions: [['environment'], ['environment', 'source']],
            Metrics: [{ Name: 'A' }, { Name: 'B' }],
          },
        ],
      },
      ...{ environment: 'prod', source, A: 1, B: 2 },
    });
  expect(streamsOf([line('one'), line('one'), line('two'), '{"stage":"attempt"}']).size).toBe(6);
});
