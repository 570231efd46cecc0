/** A request with more events than one invocation of the processor can record. */
import { describe, expect, it } from 'vitest';
import { LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { generic } from '#providers/generic.ts';
import type { Fault } from '#test/kit/memory/faults.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';

const ITEMS = 300;
const IDS = Array.from({ length: ITEMS }, (_, n) => `child_${n}`);

interface Played {
  readonly world: MemoryWorld;
  /** Calls of the process function until the parent was final, by name. */
  readonly calls: readonly string[];
  readonly settled: boolean;
  /** Which of its updates first said how far it came. */
  readonly markedBy: number;
}

/** An invocation has 9 s; ten new children take 0.8 s, ten known ones 0.4 s: looking through all again would take 12 s. */
async function play(
  faultAt: (n: number, name: string) => Fault | undefined = () => undefined,
  waitMs = 0,
): Promise<Played> {
  const calls: string[] = [];
  let markedBy = 0;
  const world = new MemoryWorld({
    timings: LOCAL_TIMINGS,
    source: { spec: { ...generic, identity: { ...generic.identity, items: 'events[]' } } },
    processOf: role => (role === 'process' ? { latencyMs: () => ({ there: 100, back: 100 }) } : {}),
    planOf: role => (role === 'process' ? ({ name }) => faultAt(calls.push(name), name) : () => undefined),
    queue: { visibilitySeconds: 60, duplicateRate: 0 },
    database: {
      onChange: ({ after }) => {
        if (after?.['splitNext'] !== undefined) markedBy ||= calls.filter(name => name === 'store.update').length;
      },
    },
  });
  const events = IDS.map(event_id => ({ event_id, event_type: 'child' }));
  await world.post({ id: 'request', rawBody: JSON.stringify({ events }) });
  await world.clock.advanceBy(waitMs);
  world.start();
  const settled = await world.settle(2 * HOUR_MS);
  world.stop();
  return { world, calls, settled, markedBy };
}

const parentOf = (world: MemoryWorld) => world.items().find(item => item.itemPath === undefined);

describe('a batch larger than one invocation', () => {
  it('goes on where the last one stopped, and puts each child once', async () => {
    const { world, calls, settled } = await play();
    expect(settled).toBe(true);
    expect(parentOf(world)).toMatchObject({ status: 'completed', actionTaken: `split into ${ITEMS} events` });
    expect(IDS.map(id => world.effects(id))).toEqual(IDS.map(() => 1));
    expect(calls.filter(name => name === 'store.insert')).toHaveLength(ITEMS);
    expect(world.main.sent).toBeGreaterThan(ITEMS + 2);
  });

  it('notes the hour only where the sweeper goes by the note: what is recorded late is watched anyway', async () => {
    const notes = ({ calls }: Played): number => calls.filter(name => name === 'store.note').length;
    expect(notes(await play())).toBe(1);
    const late = await play(undefined, 2 * MINUTE_MS);
    expect({ notes: notes(late), settled: late.settled }).toEqual({ notes: 0, settled: true });
    expect(IDS.map(id => late.world.effects(id))).toEqual(IDS.map(() => 1));
  });

  it('starts over in a new generation: a replay asks for all items again', async () => {
    const { world } = await play();
    await world.clock.complete(
      world.replay(parentOf(world)?.pk.split('#')[1] ?? '', { replayId: 'r', by: 'ada', why: 'again' }),
    );
    expect(parentOf(world)).toMatchObject({ gen: 2, status: 'pending' });
    expect(parentOf(world)?.splitNext).toBeUndefined();
  });

  it('loses nothing when the process dies around the write that says how far it came', async () => {
    const { markedBy } = await play();
    expect(markedBy).toBeGreaterThan(20);
    for (const fault of ['crash_before', 'crash_after', 'lost_reply_error', 'lost_reply_retried', 'stall'] as const) {
      let updates = 0;
      const { world, settled } = await play((_, name) =>
        name === 'store.update' && ++updates === markedBy ? fault : undefined,
      );
      expect(settled, fault).toBe(true);
      expect(parentOf(world)?.status, fault).toBe('completed');
      expect(
        IDS.map(id => world.effects(id)),
        fault,
      ).toEqual(IDS.map(() => 1));
    }
  });
});
