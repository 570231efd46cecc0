/**
 * How many custom metrics an environment pays for: counted in the EMF lines of the real functions, not in a list of names.
 * `npx vitest run test/bench/metric-streams.test.ts -u` writes the counts that `holdfast cost` uses.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { PermanentError } from '#core/handler/handler-contract.ts';
import { countedStreams, streamsOf } from '#operator/cost/metric-streams.ts';
import { predictCost } from '#operator/cost/predict-cost.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from '#test/proof/journeys/support/handlers.ts';

type Trouble = 'duplicates' | 'retries' | 'dead';

/** What the functions print while each source receives so many events that go well, and the sweeper comes. */
async function linesOf(sources: readonly string[], events: number, trouble?: Trouble): Promise<string[]> {
  const lines: string[] = [];
  let failures = trouble === 'retries' ? 1 : 0;
  const world = new MemoryWorld({
    sources,
    queue: { duplicateRate: 0 },
    handlers: handlerThat(({ id }) => {
      if (!id.endsWith('-bad')) return undefined;
      if (trouble === 'dead') return Promise.reject(new PermanentError('no'));
      failures = 1 - failures;
      return failures === 0 ? Promise.reject(new Error('again')) : undefined;
    }),
  });
  const emf = new EmfTelemetry({ environment: 'prod', level: 'error', write: line => void lines.push(line) });
  const { telemetry } = world;
  const [count, measure] = [telemetry.count.bind(telemetry), telemetry.measure.bind(telemetry)];
  telemetry.count = (...given) => {
    emf.count(...given);
    count(...given);
  };
  telemetry.measure = (...given) => {
    emf.measure(...given);
    measure(...given);
  };
  const createdAt = world.clock.now();
  world.start();
  for (const source of sources)
    for (let n = 1; n <= events; n += 1)
      await world.post({ id: `${source}-${n}`, source, type: `type.${n}`, createdAt });
  for (const source of trouble ? sources : []) {
    const id = trouble === 'duplicates' ? `${source}-1` : `${source}-bad`;
    await world.post({ id, source, type: 'type.1', createdAt });
    expect(await world.settle()).toBe(true);
  }
  expect(await world.settle()).toBe(true);
  await world.clock.advanceBy(5 * 60_000);
  world.stop();
  emf.flush();
  return lines;
}

it('is what a run prints: a number for the environment, and one for each source', async () => {
  const five = ['one', 'two', 'three', 'four', 'five'];
  /** What comes with events, beside what comes anyway. */
  const added = async (sources: readonly string[]): Promise<number> => {
    const [idle, busy] = [await linesOf(sources, 0), await linesOf(sources, 3)].map(streamsOf);
    return [...(busy ?? [])].filter(stream => !idle?.has(stream)).length;
  };
  const [one, two, all] = [await added(five.slice(0, 1)), await added(five.slice(0, 2)), await added(five)];
  const perSource = two - one;
  /** What comes beside that with one event of each source that does not go well. */
  const more = async (sources: readonly string[], trouble: Trouble): Promise<number> => {
    const [well, ill] = [await linesOf(sources, 3), await linesOf(sources, 3, trouble)].map(streamsOf);
    return [...(ill ?? [])].filter(stream => !well?.has(stream)).length;
  };
  const troubleOf = async (trouble: Trouble) => {
    const [single, double] = [await more(five.slice(0, 1), trouble), await more(five.slice(0, 2), trouble)];
    return { perEnvironment: 2 * single - double, perSource: double - single };
  };
  const trouble = {
    duplicates: await troubleOf('duplicates'),
    retries: await troubleOf('retries'),
    dead: await troubleOf('dead'),
  };
  const counted = { perEnvironment: one - perSource, perSource, trouble };
  expect(all).toBe(counted.perEnvironment + 5 * perSource);
  const file = join(import.meta.dirname, '../../operator/cost/counted-streams.json');
  await expect(`${JSON.stringify(counted, null, 2)}\n`).toMatchFileSnapshot(file);
  expect(countedStreams()).toEqual(counted);
});

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
