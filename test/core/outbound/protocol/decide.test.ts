import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide, isOpen, type RowFacts } from '#core/outbound/protocol/decide.ts';
import { FINAL_STATUSES, OPEN_STATUSES, type RecordItem, type RowItem } from '#core/outbound/protocol/items.ts';
import { DAY_MS } from '#core/time.ts';

const NOW = 100 * DAY_MS;
const row = (given: Partial<RowItem> = {}): RowItem => ({
  msg: 'msg_1',
  createdAt: NOW - DAY_MS,
  gen: 1,
  n: 1,
  expiresAt: 0,
  ...given,
});
const record = (given: Partial<RecordItem> = {}): RecordItem => ({
  gen: 1,
  status: 'retrying',
  attempts: 1,
  nextAt: NOW,
  app: 'app_1',
  expiresAt: 0,
  ...given,
});
const facts = (given: Partial<RowFacts> = {}): RowFacts => ({
  record: undefined,
  message: 'there',
  runtime: { gate: 'open' },
  ordered: false,
  now: NOW,
  retentionMs: 30 * DAY_MS,
  ...given,
});

test('the table, row by row', () => {
  expect(decide(row(), facts())).toEqual({ do: 'send', n: 1 });
  expect(decide(row({ gen: 2 }), facts())).toEqual({ do: 'delete' });
  expect(decide(row(), facts({ record: record({ gen: 2, status: 'pending' }) }))).toEqual({ do: 'delete' });
  for (const status of FINAL_STATUSES)
    expect(decide(row(), facts({ record: record({ status }) }))).toEqual({ do: 'delete' });
  expect(decide(row(), facts({ record: record() }))).toEqual({ do: 'repair', n: 2, nextAt: NOW });
  expect(decide(row({ n: 2 }), facts({ record: record() }))).toEqual({ do: 'send', n: 2 });
  expect(decide(row({ gen: 2 }), facts({ record: record({ gen: 2, status: 'pending', attempts: 0 }) }))).toEqual({
    do: 'send',
    n: 1,
  });
});

test('what ends without a request', () => {
  const end = (status: string) => ({ do: 'end', status });
  expect(decide(row(), facts({ runtime: { gate: 'open', dropBefore: NOW } }))).toEqual(end('dropped'));
  expect(decide(row(), facts({ runtime: { gate: 'deleted' } }))).toEqual(end('canceled'));
  expect(decide(row(), facts({ message: 'removed' }))).toEqual(end('canceled'));
  expect(decide(row(), facts({ message: 'gone' }))).toEqual(end('expired'));
  expect(decide(row({ createdAt: NOW - 30 * DAY_MS }), facts())).toEqual(end('expired'));
  // A person's replay outlives the retention, until its message goes; a dropped backlog does not touch it.
  const replayed = facts({
    record: record({ gen: 2, status: 'pending', attempts: 0 }),
    runtime: { gate: 'open', dropBefore: NOW },
  });
  expect(decide(row({ gen: 2, createdAt: NOW - 31 * DAY_MS }), replayed)).toEqual({ do: 'send', n: 1 });
  expect(decide(row({ gen: 2, createdAt: NOW - 38 * DAY_MS }), replayed)).toEqual(end('expired'));
});

test('a row that was left behind by a wait makes the row of that wait, and sends nothing', () => {
  const waiting = { attempts: 1, nextAt: NOW + 1 };
  expect(decide(row({ n: 2 }), facts({ record: record(waiting) }))).toEqual({ do: 'repair', n: 2, nextAt: NOW + 1 });
  expect(decide(row({ n: 2 }), facts({ record: record(waiting), now: NOW + 1 }))).toEqual({ do: 'send', n: 2 });
});

test('an ordered head waits for its time, and keeps its row', () => {
  const ordered = { ordered: true, record: record({ nextAt: NOW + 1 }) };
  expect(decide(row(), facts(ordered))).toEqual({ do: 'wait', until: NOW + 1 });
  expect(decide(row(), facts({ ...ordered, now: NOW + 1 }))).toEqual({ do: 'send', n: 2 });
});

const anyRecord = fc.option(
  fc.record({
    gen: fc.integer({ min: 1, max: 3 }),
    status: fc.constantFrom(...OPEN_STATUSES, ...FINAL_STATUSES),
    attempts: fc.integer({ min: 0, max: 4 }),
    nextAt: fc.integer({ min: NOW - 10, max: NOW + 10 }),
  }),
  { nil: undefined },
);

test('nothing is sent for a final record or another generation, and every decision leads to an end', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ gen: fc.integer({ min: 1, max: 3 }), n: fc.integer({ min: 1, max: 4 }) }), {
        minLength: 1,
        maxLength: 5,
      }),
      anyRecord,
      fc.boolean(),
      fc.constantFrom('open' as const, 'deleted' as const),
      (rows, there, ordered, gate) => {
        let current = there && record(there);
        let left = rows.map(each => row(each));
        let now = NOW;
        for (let steps = 0; left.length > 0; steps++) {
          expect(steps, 'it ends').toBeLessThan(100);
          const [first, ...rest] = left as [RowItem, ...RowItem[]];
          const decision = decide(first, facts({ record: current, ordered, now, runtime: { gate } }));
          if (decision.do === 'send') {
            expect(current === undefined || (isOpen(current) && current.gen === first.gen)).toBe(true);
            expect(decision.n).toBe((current?.attempts ?? 0) + 1);
            current = record({
              ...current,
              gen: first.gen,
              status: decision.n >= 3 ? 'dead' : 'retrying',
              attempts: decision.n,
              nextAt: now,
            });
            if (!ordered && decision.n < 3) rest.push(row({ gen: first.gen, n: decision.n + 1 }));
            left = ordered && decision.n < 3 ? [first, ...rest] : rest;
          } else if (decision.do === 'end') {
            current = record({ ...current, gen: first.gen, status: decision.status });
            left = rest;
          } else if (decision.do === 'repair') {
            // Its row is looked at when it is due.
            now = Math.max(now, decision.nextAt);
            left = [...rest, row({ gen: first.gen, n: decision.n })];
          } else if (decision.do === 'wait') now = decision.until;
          else left = rest;
        }
      },
    ),
  );
});
