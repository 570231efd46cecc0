import { expect, it } from 'vitest';
import { describeEvent } from '#console/server/describe-way.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';

const AT = Date.parse('2026-11-24T12:00:00Z');
/** Died at its first attempt, was replayed, and then went through. */
const REPLAYED = {
  ...{ pk: 'pay#evt_1', provider: 'stripe', eventType: 'invoice.paid', receivedAt: AT, size: 10, bodySha: 'x' },
  ...{ status: 'completed', gen: 2, attempts: 1, lastError: 'permanent: no such column', startedAt: AT + 60_000 },
  completedAt: AT + 60_004,
  recentAttempts: [{ n: 1, at: AT + 20, ms: 6, cause: 'permanent' }],
} as unknown as EventItem;
const replay = (seconds: number) => ({
  gen: 2,
  at: new Date(AT + seconds * 1_000).toISOString(),
  by: 'ada',
  why: 'fixed',
});

it('tells the attempts of before a replay from those after it, and no error beside a success', () => {
  const { way, facts } = describeEvent(REPLAYED, { replays: [replay(30)] }, AT + 90_000);
  expect(way.map(step => step.label)).toEqual([
    ...['received', 'in the queue', 'attempt 1', 'replayed by ada', 'in the queue', 'attempt 1 after the replay'],
    'completed',
  ]);
  expect(facts.map(([name]) => name)).not.toContain('last error');
  const failed = { ...REPLAYED, status: 'dead_letter', completedAt: undefined } as unknown as EventItem;
  expect(Object.fromEntries(describeEvent(failed, {}, AT).facts)).toMatchObject({
    'last error': 'permanent: no such column',
  });
});

it('counts replays where there were several', () => {
  const { way } = describeEvent(REPLAYED, { replays: [replay(30), replay(50)] }, AT + 90_000);
  expect(way.map(step => step.label)).toContain('attempt 1 after replay 2');
});
