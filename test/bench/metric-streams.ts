/**
 * How many custom metrics an environment pays for: counted in the EMF lines of the real functions, not in a list of names.
 * `npm run write` writes the counts that `holdfast cost` uses.
 */
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { PermanentError } from '#core/handler/handler-contract.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { CountedStreams } from '#operator/cost/metric-streams.ts';
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
    await settled(world);
  }
  await settled(world);
  await world.clock.advanceBy(5 * MINUTE_MS);
  world.stop();
  emf.flush();
  return lines;
}

async function settled(world: MemoryWorld): Promise<void> {
  if (!(await world.settle())) throw new Error('the gateway in memory did not come to rest');
}

/** The counts that `holdfast cost` uses. Throws when five sources do not cost five times what one more does. */
export async function countStreams(): Promise<CountedStreams> {
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
  if (all !== counted.perEnvironment + 5 * perSource)
    throw new Error(`${all} streams of five sources, not ${counted.perEnvironment} + 5 * ${perSource}`);
  return counted;
}

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string }[];
}

/** The metrics that log lines in the embedded metric format make, by name and dimensions. */
export function streamsOf(lines: readonly string[]): ReadonlySet<string> {
  const streams = new Set<string>();
  for (const line of lines) {
    const values = JSON.parse(line) as { _aws?: { CloudWatchMetrics?: readonly Directive[] } } & Record<
      string,
      unknown
    >;
    for (const { Namespace, Dimensions, Metrics } of values._aws?.CloudWatchMetrics ?? [])
      for (const { Name } of Metrics)
        for (const set of Dimensions)
          streams.add([Namespace, Name, ...set.map(name => `${name}=${String(values[name])}`)].join(' '));
  }
  return streams;
}
