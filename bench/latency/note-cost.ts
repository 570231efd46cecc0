/** What the note of the hour adds to ingest: the real function in memory, whose calls take as long as those of the model. */
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { quantile } from '../measure/statistics.ts';
import { INPUTS, valueAt } from './inputs.ts';

/** Milliseconds that the calls of a request take. */
interface Times {
  readonly p50: number;
  readonly p99: number;
}

/**
 * As many requests that make a note, each of a source of its own, and then another of each, which makes none and whose
 * other calls take as long.
 */
export async function noteCost(requests: number): Promise<{ readonly noted: Times; readonly known: Times }> {
  const random = new SeededRandom(2026);
  const draws = new Map<string, number>();
  let asked = '';
  const drawn = (call: string): number => {
    // A secret is in memory, and so is a note that was made.
    if (call === 'secrets.fetch' || (call === 'store.note' && draws.has(asked))) return 0;
    const key = `${asked} ${call}`;
    const ms = draws.get(key) ?? valueAt(call === 'queue.send' ? INPUTS.sqsSend : INPUTS.dynamo, random.next());
    draws.set(key, ms);
    return ms;
  };
  let call = '';
  const sources = Array.from({ length: requests }, (_, n) => `source-${n}`);
  const world = new MemoryWorld({
    sources,
    process: { latencyMs: () => ({ there: drawn(call), back: 0 }) },
    planOf:
      () =>
      ({ name }) => {
        call = name;
        return undefined;
      },
    database: { unitsPerPartition: Number.POSITIVE_INFINITY },
  });
  const times = async (id: string): Promise<Times> => {
    const all: number[] = [];
    for (const source of sources) {
      asked = source;
      const from = world.clock.now();
      const answer = await world.post({ source, id });
      if (answer?.status !== 200) throw new Error(`${source} was answered ${answer?.status}`);
      all.push(world.clock.now() - from);
      draws.set(source, 0);
    }
    return { p50: quantile(all, 0.5), p99: quantile(all, 0.99) };
  };
  return { noted: await times('first'), known: await times('second') };
}
