// Holds I8: what the sweeper does not ask for has nothing in it, whatever became of the note.
import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import type { Fault } from '#test/kit/memory/faults.ts';
import { EVENTS, MemoryWorld, type Role, type WorldOptions } from '#test/kit/memory-world.ts';

const NOTE = 'store.note';

/** A world whose sweeper's calls are recorded; `noteFault`: of each note that ingest makes. No audit comes. */
function gateway(
  options: { noteFault?: Fault | undefined } & Pick<WorldOptions, 'sources' | 'hasRunForHours' | 'process'> = {},
) {
  const calls: string[] = [];
  const { noteFault, ...others } = options;
  const world = new MemoryWorld({
    database: { indexLagMs: () => 0 },
    hasRunForHours: true,
    ...others,
    planOf: (role: Role) => call => {
      if (role === 'sweep') calls.push(call.name);
      return role === 'ingest' && call.name === NOTE ? noteFault : undefined;
    },
  });
  const sweep = async (minutes: number): Promise<void> => {
    for (let n = 0; n < minutes; n++) {
      await world.clock.advanceBy(MINUTE_MS);
      await world.clock.complete(world.sweeper.invoke({}));
    }
  };
  /** Accepts an event, whose only message is lost. */
  const acceptAndLose = async (id: string): Promise<void> => {
    await world.post({ id });
    world.main.purge();
    await sweep(2);
  };
  return { world, sweep, acceptAndLose, calls };
}

/** Something of the sweeper has it: its message, or its watch. */
const isFound = (world: MemoryWorld, id: string): boolean => world.item(id)?.watchAt !== undefined;

const notesOf = (world: MemoryWorld): readonly string[] =>
  world.database.dump(EVENTS).flatMap(({ pk }) => (String(pk).startsWith('_control#active#') ? [String(pk)] : []));

describe('an accepted event whose message is lost', () => {
  it.each([
    ['is noted', undefined],
    ['is not noted: the call fails', 'error'],
    ['may be noted: the answer is lost', 'lost_reply_error'],
    ['is not noted: the table throttles', 'throttled'],
  ] as const)('is found by the sweeper, if its source %s', async (_, noteFault) => {
    const { world, sweep, acceptAndLose } = gateway({ noteFault });
    await acceptAndLose('a');
    await sweep(3);
    expect(isFound(world, 'a')).toBe(true);
  });

  it("is found on either side of an hour's edge, and after it", async () => {
    const { world, sweep, acceptAndLose } = gateway();
    const edge = world.clock.now() - (world.clock.now() % HOUR_MS) + HOUR_MS;
    for (let at = world.clock.now(); at < edge - MINUTE_MS; at += MINUTE_MS) await sweep(1);
    await world.clock.advanceTo(edge - 5);
    await acceptAndLose('before');
    await acceptAndLose('after');
    await sweep(3);
    expect([isFound(world, 'before'), isFound(world, 'after')]).toEqual([true, true]);
  });

  it('is found, if a release made its record that makes no notes, and the sweeper is new', async () => {
    const { world, sweep, acceptAndLose } = gateway({ hasRunForHours: false });
    await acceptAndLose('a');
    for (const pk of notesOf(world)) world.database.write({ kind: 'delete', table: EVENTS, key: { pk } });
    await sweep(3);
    expect(isFound(world, 'a')).toBe(true);
  });

  it('is found, if ingest was rolled back some minutes before the sweeper was', async () => {
    const { world, sweep, acceptAndLose } = gateway();
    await acceptAndLose('a');
    // As of a release that makes no notes.
    for (const pk of notesOf(world)) world.database.write({ kind: 'delete', table: EVENTS, key: { pk } });
    await sweep(7);
    expect(isFound(world, 'a')).toBe(false);
    // As of a release that knows of none: it asks all.
    const key = { pk: '_control#sweeper-runs' };
    world.database.write({ kind: 'update', table: EVENTS, key, set: { value: '{}' } });
    await sweep(5);
    expect(isFound(world, 'a')).toBe(true);
  });

  it('is found, if its copy of ingest remembers a note that a restored table has not', async () => {
    const { world, sweep, acceptAndLose } = gateway();
    await world.post({ id: 'first' });
    for (const pk of notesOf(world)) world.database.write({ kind: 'delete', table: EVENTS, key: { pk } });
    // The sweeper was stopped meanwhile.
    await world.clock.advanceBy(6 * MINUTE_MS);
    await acceptAndLose('a');
    await sweep(3);
    expect(isFound(world, 'a')).toBe(true);
  });
});

it('sources without an event cost no question, however many there are, and one that is active costs two', async () => {
  const sources = ['default', ...Array.from({ length: 60 }, (_, n) => `idle-${n}`)];
  const { world, sweep, calls } = gateway({ sources });
  await sweep(3);
  calls.length = 0;
  await sweep(1);
  expect(calls.filter(it => it === 'store.timeline')).toEqual([]);
  await world.post({ id: 'a' });
  await sweep(15);
  calls.length = 0;
  await sweep(1);
  expect(calls.filter(it => it === 'store.timeline')).toHaveLength(2);
});

it('a copy of ingest notes a source once an hour, and adds nothing else to an event', async () => {
  const { world } = gateway();
  const units = (): number => world.database.usage.get(EVENTS)?.writeUnits ?? Number.NaN;
  const costs: number[] = [];
  for (const id of ['a', 'b', 'c']) {
    const before = units();
    await world.post({ id });
    costs.push(units() - before);
    await world.clock.advanceBy(SECOND_MS);
  }
  expect(costs).toEqual([2, 1, 1]);
});

it.each(['hang', 'unanswered'] as const)(
  'a note without an answer (%s) leaves half of the time to the record',
  async noteFault => {
    // Two tries of the client, as in production.
    const { world } = gateway({ noteFault, process: { clientTimeoutMs: 2_200 } });
    const began = world.clock.now();
    await world.post({ id: 'a' });
    expect(world.clock.now() - began).toBe(world.timings.recordBudgetMs / 2);
    expect(world.item('a')?.watchAt).toBeDefined();
    expect(world.telemetry.total('UnrecordedAccepted')).toBe(0);
  },
);

describe('a request refused for its signature', () => {
  const forge = async (world: MemoryWorld): Promise<void> => {
    const { headers, ...request } = world.apiEvent({ id: 'forged' });
    const forged = { ...headers, 'x-webhook-signature': `sha256=${'0'.repeat(64)}` };
    await world.clock.complete(world.ingest.invoke({ ...request, headers: forged }));
  };
  const sources = ['default', ...Array.from({ length: 119 }, (_, n) => `idle-${n}`)];
  const asked = (calls: readonly string[]): number => calls.filter(it => it === 'payloads.listRefused').length;

  it('writes nothing to the table of events, before and after an accepted one', async () => {
    const { world } = gateway();
    const before = world.database.dump(EVENTS);
    await forge(world);
    expect(world.database.dump(EVENTS)).toEqual(before);
    await world.post({ id: 'a' });
    await world.clock.advanceBy(HOUR_MS);
    const after = JSON.stringify(world.database.dump(EVENTS));
    await forge(world);
    expect(JSON.stringify(world.database.dump(EVENTS))).toBe(after);
  });

  it('is found in turn: of 120 idle sources a run asks 24, five runs ask all, and of a few each run asks all', async () => {
    const many = gateway({ sources });
    await many.sweep(2);
    const runs: number[] = [];
    for (let n = 0; n < 5; n++) {
      many.calls.length = 0;
      await many.sweep(1);
      runs.push(asked(many.calls));
    }
    expect(runs).toEqual([24, 24, 24, 24, 24]);
    const few = gateway({ sources: sources.slice(0, 25) });
    await few.sweep(2);
    few.calls.length = 0;
    await few.sweep(1);
    expect(asked(few.calls)).toBe(25);
  });

  it('is told when its source has its turn, and then in each run', async () => {
    const { world, sweep } = gateway({ sources: sources.toReversed() });
    const told = (): number =>
      world.telemetry.measures.filter(it => it.metric === 'RefusedOnlyFor' && it.dimensions['source'] === 'default')
        .length;
    await world.post({ id: 'a' });
    await sweep(130);
    for (let n = 0; n < 3; n++) {
      await forge(world);
      await sweep(1);
    }
    await sweep(5);
    expect(told()).toBeGreaterThan(0);
    const before = told();
    await sweep(5);
    expect(told()).toBe(before + 5);
  });
});
