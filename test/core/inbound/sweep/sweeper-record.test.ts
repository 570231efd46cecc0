/** How each run of the sweeper ended is written down: well, without a piece of its work, or by a crash. In virtual time. */
import { describe, expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import { LEASE_CONTROL, lineOf, noteSweeper, readSweeper } from '#core/inbound/sweep/sweeper-record.ts';
import { MINUTE_MS } from '#core/time.ts';
import { whileListingFails } from '#test/kit/break-refused-list.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { EVENTS, MemoryWorld } from '#test/kit/memory-world.ts';

/** Runs of the sweeper, a minute apart. */
function sweeper() {
  const world = new MemoryWorld({ database: { indexLagMs: () => 0 } });
  const control = new MemoryControlStore(world.database, EVENTS);
  const run = async () => {
    const { kind } = await world.clock.complete(world.sweeper.invoke({}));
    const ended = world.clock.now();
    await world.clock.advanceBy(MINUTE_MS);
    return { kind, ended };
  };
  return { world, control, run };
}

describe('the record of the sweeper', () => {
  it('is empty before the first run, and says when the last one ended well', async () => {
    const { control, run } = sweeper();
    expect(await readSweeper(control)).toEqual({});
    await run();
    const { ended } = await run();
    expect(await readSweeper(control)).toMatchObject({ wellAt: ended, endedLease: 2, deaths: { open: 0 } });
  });

  it('says of a run that crashed why, and keeps when the last one ended well: its lease is that of any run', async () => {
    const { control, run } = sweeper();
    const well = await run();
    const leased = await control.read(LEASE_CONTROL);
    const failure = new TypeError("Cannot read properties of undefined (reading 'pk')\n at a line");
    await whileListingFails(failure, async () => {
      const crashed = await run();
      expect(crashed.kind).toBe('failed');
      expect(await readSweeper(control)).toEqual({
        wellAt: well.ended,
        deaths: expect.objectContaining({ complete: true }),
        unbroken: { since: expect.any(Number), at: expect.any(Number) },
        refused: [],
        endedLease: 2,
        error: { at: crashed.ended, text: "TypeError: Cannot read properties of undefined (reading 'pk') at a line" },
      });
    });
    expect(Number((await control.read(LEASE_CONTROL))?.value)).toBeGreaterThan(Number(leased?.value));
    const again = await run();
    expect(await readSweeper(control)).toMatchObject({ wellAt: again.ended, error: { text: expect.any(String) } });
  });

  it('says what a run went on without', async () => {
    const { control, run } = sweeper();
    await whileListingFails(new DependencyError('dynamodb', 'Query: Rate exceeded'), async () => {
      const { kind, ended } = await run();
      expect(kind).toBe('returned');
      expect(await readSweeper(control)).toEqual({
        wellAt: ended,
        deaths: expect.objectContaining({ at: ended }),
        unbroken: { since: expect.any(Number), at: expect.any(Number) },
        // Could not be asked: it is the first to be asked again.
        refused: ['default'],
        endedLease: 1,
        error: { at: ended, text: 'DependencyError: dynamodb: Query: Rate exceeded' },
      });
    });
  });

  it('takes a note of another version, or of somebody else at the same moment, for nothing', async () => {
    const { control } = sweeper();
    await control.write('sweeper-runs', 'not JSON', 0);
    expect(await readSweeper(control)).toEqual({});
    await noteSweeper({ wellAt: 7 }, control);
    const read: typeof control.read = async name => {
      const found = await control.read(name);
      await control.write(name, '{"wellAt":9}', found?.version ?? 0);
      return found;
    };
    await noteSweeper({ wellAt: 8 }, { read, write: (...it) => control.write(...it) });
    expect(await readSweeper(control)).toEqual({ wellAt: 9 });
  });

  it('holds an error in one line of 300 characters', () => {
    expect(lineOf(new Error(`a\n\tb ${'x'.repeat(400)}`))).toMatch(/^Error: a b x+…$/);
    expect(lineOf(new Error('x'.repeat(400)))).toHaveLength(300);
    expect(lineOf('no error')).toBe('no error');
  });
});
