// Holds I8: a source is not asked for only where nothing can have come of it.
import { describe, expect, it } from 'vitest';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { toSourceId } from '#core/glossary.ts';
import { type Note, noteKey, noteOnce } from '#core/inbound/protocol/activity.ts';
import { activityLook } from '#core/inbound/sweep/activity-look.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { Unbroken } from '#core/unbroken.ts';

const [pay, shop] = [toSourceId('pay'), toSourceId('shop')];
/** The beginning of an hour. */
const NOON = Date.parse('2026-01-05T12:00:00Z');

describe('an activity book', () => {
  function book() {
    const notes: Note[] = [];
    const state = { fails: false };
    const note = noteOnce(async each => {
      notes.push(each);
      if (state.fails) throw new Error('away');
    });
    return { note, notes, state };
  }

  it('notes a source once an hour, by the hour of the arrival', async () => {
    const { note, notes } = book();
    for (const at of [NOON, NOON + HOUR_MS - 1, NOON + HOUR_MS, NOON + HOUR_MS + 1]) await note(pay, at);
    expect(notes.map(it => it.key)).toEqual([noteKey(pay, NOON), noteKey(pay, NOON + HOUR_MS)]);
    await note(shop, NOON + HOUR_MS);
    expect(notes.slice(2).map(it => it.name)).toEqual(['a:shop']);
  });

  it('remembers nothing that it does not know to be written', async () => {
    const { note, notes, state } = book();
    state.fails = true;
    await expect(note(pay, NOON)).rejects.toThrow('away');
    state.fails = false;
    await note(pay, NOON);
    await note(pay, NOON);
    expect(notes).toHaveLength(2);
  });

  it('lets a note expire after the hours in which its absence says something', async () => {
    const { note, notes } = book();
    await note(pay, NOON);
    expect((notes[0]?.expiresAt ?? 0) * 1_000).toBeGreaterThan(NOON + HOUR_MS + 2 * DAY_MS);
  });
});

describe('a run of the sweeper', () => {
  async function look(unbroken: Unbroken | undefined, fails = false) {
    const database = new MemoryDatabase({ clock: new VirtualClock(), random: new SeededRandom(1) });
    database.define(eventsTable('events'));
    const store = new MemoryEventStore(database, 'events');
    await store.note(pay, NOON);
    let reads = 0;
    const noted = async (keys: readonly string[]) => {
      reads += 1;
      if (fails) throw new Error('away');
      return store.noted(keys);
    };
    const guard = <T>(work: () => Promise<T>): Promise<T | undefined> => work().catch(() => undefined);
    return { look: activityLook({ noted }, [pay, shop], unbroken, guard), reads: () => reads };
  }

  it('asks for what is noted, and for nothing else; the notes of an hour are read once', async () => {
    const { look: mayHave, reads } = await look({ since: NOON - HOUR_MS, at: NOON + MINUTE_MS });
    expect(await mayHave(pay, NOON)).toBe(true);
    expect(await mayHave(shop, NOON + HOUR_MS - 1)).toBe(false);
    expect(reads()).toBe(1);
  });

  it.each([
    ['nobody knows since when it runs', undefined],
    ['the hour began less than an hour after it began to run', { since: NOON - HOUR_MS + 1, at: NOON + MINUTE_MS }],
    ['notes of the hour may have expired', { since: 0, at: NOON + 2 * DAY_MS }],
  ])('asks for everything where %s', async (_, unbroken) => {
    const { look: mayHave, reads } = await look(unbroken);
    expect(await mayHave(shop, NOON)).toBe(true);
    expect(reads()).toBe(0);
  });

  it('asks for everything where the notes cannot be read', async () => {
    const { look: mayHave } = await look({ since: 0, at: NOON }, true);
    expect(await mayHave(shop, NOON)).toBe(true);
  });
});
