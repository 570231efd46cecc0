import { expect, it } from 'vitest';
import type { EventUpdate, WriteResult } from '#core/inbound/ports.ts';
import { closeDeath } from '#core/inbound/protocol/close-death.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { DEFAULT_TIMINGS as timings } from '#core/inbound/protocol/timings.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';

const NOW = 1_767_571_300_000;
const rules = { timings, retentionDays: 30, deadRetentionDays: 90 };
const dead = makeEventItem('s', 'e', { status: 'dead_letter', deadId: 'd' });

/** Closes a death while the table has another record of the event; the answer, and what was written. */
async function closing(read: EventItem, found: EventItem | undefined, by = 'ada', why = 'a test order') {
  const written: EventUpdate[] = [];
  const update = (given: EventUpdate): Promise<WriteResult> => {
    written.push(given);
    return Promise.resolve(found === read ? { kind: 'applied', item: read } : { kind: 'refused', item: found });
  };
  const ports = { store: { update }, clock: { now: () => NOW } };
  return { answer: await closeDeath(read, { by, why }, ports, rules), written };
}

it('notes who, when and why, each within its part of the record', async () => {
  const { answer, written } = await closing(dead, dead, 'a'.repeat(300), 'w'.repeat(300));
  expect(answer).toBe('closed');
  expect(written[0]?.set).toMatchObject({ closing: { by: expect.stringMatching(/^a{50,60}/), at: NOW } });
  expect(JSON.stringify(written[0]?.set).length).toBeLessThan(600);
});

it('writes nothing about an event that is not dead', async () => {
  for (const status of ['pending', 'processing', 'completed'] as const)
    expect(await closing(makeEventItem('s', 'e', { status }), dead)).toEqual({ answer: 'changed', written: [] });
});

it('tells what became of the death meanwhile', async () => {
  const closed = { status: 'closed', deadId: 'd' } as const;
  const answerTo = async (found: EventItem | undefined) => (await closing(dead, found)).answer;
  expect(await answerTo(undefined)).toBe('gone');
  expect(await answerTo(makeEventItem('s', 'e', closed))).toBe('already_closed');
  expect(await answerTo(makeEventItem('s', 'e', { ...closed, deadId: 'later' }))).toBe('changed');
  expect(await answerTo(makeEventItem('s', 'e', { status: 'dead_letter', deadId: 'later' }))).toBe('changed');
  expect(await answerTo(makeEventItem('s', 'e', { status: 'pending' }))).toBe('changed');
});

it('answers for one that was closed as it was read, too', async () => {
  const closed = makeEventItem('s', 'e', { status: 'closed', deadId: 'd' });
  expect((await closing(closed, makeEventItem('s', 'e', { status: 'closed', deadId: 'd' }))).answer).toBe(
    'already_closed',
  );
});
