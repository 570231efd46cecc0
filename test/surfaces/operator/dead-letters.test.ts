import { expect, it } from 'vitest';
import { CommonError, errorPattern } from '#core/inbound/search/error-pattern.ts';
import { meantToClose } from '#operator/deaths/close-deaths.ts';
import { groupDeadByError, groupDeadLetters } from '#operator/deaths/dead-letters.ts';
import { readMeant } from '#operator/events/list-events.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

it.each([
  [
    'permanent: column "tax_rate" does not exist, charge ch_3P52xQ7, row 884',
    'permanent: column "tax_rate" does not exist, charge …, row …',
  ],
  ['no order 72d3162e-cc78-11e3-81ab-4c9367dc0958', 'no order …'],
  ['schema changed', 'schema changed'],
  ['two\nlines, 1.2/3', 'two lines, …'],
  [`${'a'.repeat(399)}😀`, `${'a'.repeat(399)}\ufffd`],
])('%s reads %s', (error, pattern) => {
  expect(errorPattern(error)).toBe(pattern);
  expect(errorPattern(pattern)).toBe(pattern);
});

it.each([
  [['the ledger answered 503 (attempt 5 of 5)'], 'the ledger answered 503 (attempt 5 of 5)'],
  [
    ['it answered 503 for o_1', 'it answered 503 for o_2', 'it answered 504 for o_3', 'it answered 503 for o_4'],
    'it answered 503 or 504 for …',
  ],
  [[''], ''],
])('%j have in common: %s', (errors, common) => {
  const [first = ''] = errors;
  const of = new CommonError(errorPattern(first));
  for (const error of errors) of.add(error);
  expect(of.text).toBe(common);
});

it('judges long hostile text at once', () => {
  const started = process.threadCpuUsage();
  for (const text of ['a'.repeat(100_000), '1-'.repeat(50_000), '…:'.repeat(50_000)])
    new CommonError(errorPattern(text)).add(text);
  expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(500);
});

it('makes four lines of three thousand deaths', async () => {
  const gateway = new ConsoleGateway();
  const now = Date.now();
  for (let n = 0; n < 3_000; n++) {
    const source = n % 2 === 0 ? 'stripe' : 'github';
    const lastError = n % 4 < 2 ? `row ${n} is missing` : `service answered 503 after ${n} ms`;
    gateway.add({
      source,
      key: `k${n}`,
      type: 'x',
      status: 'dead_letter',
      receivedAt: now - n * 100,
      cause: 'permanent',
      lastError,
    });
  }
  const operator = gateway.operator();
  const read = readMeant(operator, { status: 'dead_letter' });
  if (read.kind !== 'filter') throw new Error('no filter');
  const { groups, total } = await groupDeadByError(operator, read.filter);
  expect(total).toBe(3_000);
  expect(groups.map(it => it.count)).toEqual([750, 750, 750, 750]);
  // What tells a failure from others is in the line of its group.
  expect(new Set(groups.map(it => it.error))).toEqual(new Set(['row … is missing', 'service answered 503 after … ms']));
  // What a group's buttons mean is the group: by its error as shown, or as one of its events has it.
  for (const { source, pattern, sample } of groups)
    for (const error of [pattern, sample.lastError]) {
      const its = readMeant(operator, { source, cause: 'permanent', error });
      if (its.kind !== 'filter') throw new Error('no filter');
      expect(await meantToClose(operator, its.filter)).toHaveLength(750);
      expect(its.filter.statuses).toEqual(['dead_letter']);
    }
  expect(readMeant(operator, { error: '' })).toMatchObject({ kind: 'wrong', problems: [{ path: 'error' }] });
  expect(groups[0]?.histogram.reduce((sum, n) => sum + n, 0)).toBe(750);
});

it('finds more deaths than one list names, and reads no arrivals for it', { timeout: 60_000 }, async () => {
  const gateway = new ConsoleGateway();
  const now = Date.now();
  const many = 10_200;
  for (let n = 0; n < many; n++) {
    const source = n % 2 === 0 ? 'stripe' : 'github';
    gateway.add({ source, key: `k${n}`, type: 'x', status: 'dead_letter', receivedAt: now - n, cause: 'permanent' });
  }
  gateway.add({ source: 'stripe', key: 'ok', type: 'x', status: 'completed', receivedAt: now });
  const operator = gateway.operator();
  const { store } = await operator.gateway();
  let arrivals = 0;
  let records = 0;
  const [timeline, getMany] = [store.timeline.bind(store), store.getMany.bind(store)];
  store.timeline = (...asked) => {
    arrivals += 1;
    return timeline(...asked);
  };
  store.getMany = async pks => {
    records += pks.length;
    return getMany(pks);
  };
  const read = readMeant(operator, { status: 'dead_letter' });
  if (read.kind !== 'filter') throw new Error('no filter');
  expect((await groupDeadLetters(operator, read.filter)).total).toBe(many);
  expect([arrivals, records]).toEqual([0, many]);
  // Newest deaths first: what died before the window ends the search.
  records = 0;
  const recent = readMeant(operator, { status: 'dead_letter', since: new Date(now - 99).toISOString() });
  if (recent.kind !== 'filter') throw new Error('no filter');
  expect(await meantToClose(operator, recent.filter)).toHaveLength(100);
  expect(arrivals).toBe(0);
  expect(records).toBeLessThan(300);
});
