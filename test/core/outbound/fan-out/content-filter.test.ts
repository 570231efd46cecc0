import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareNumbers } from '#core/outbound/fan-out/compare-numbers.ts';
import { passesFilter } from '#core/outbound/fan-out/content-filter.ts';
import { mismatchOf } from '#core/outbound/fan-out/match-endpoint.ts';
import type { EndpointItem, FilterClause, FilterOp } from '#core/outbound/protocol/items.ts';

const passes = (clause: FilterClause, data: string): boolean =>
  passesFilter({ all: [clause] }, new TextEncoder().encode(data));

/** The same rule over parsed values. */
function naive({ path, op, value }: FilterClause, data: unknown): boolean {
  let at: unknown = data;
  for (const step of path.split('.')) {
    const object = typeof at === 'object' && at !== null && !Array.isArray(at) ? (at as Record<string, unknown>) : {};
    if (!Object.hasOwn(object, step)) return op === 'ne' || (op === 'exists' && value === false);
    at = object[step];
  }
  const list = Array.isArray(value) ? value : [value];
  const same = (a: unknown, b: unknown): boolean =>
    a === b && typeof a !== 'object' ? true : a === null && b === null;
  const comparable =
    (typeof at === 'number' && typeof value === 'number') || (typeof at === 'string' && typeof value === 'string');
  const [a, b] = [at as number, value as number];
  const results: Readonly<Record<FilterOp, boolean>> = {
    exists: value !== false,
    eq: same(at, value),
    ne: !same(at, value),
    in: list.some(each => same(at, each)),
    starts_with: typeof at === 'string' && at.startsWith(String(value)),
    gt: comparable && a > b,
    ge: comparable && a >= b,
    lt: comparable && a < b,
    le: comparable && a <= b,
  };
  return results[op];
}

const scalar = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom('', 'a', 'ab', 'b'),
  fc.boolean(),
  fc.constant(null),
);

test('agrees with a naive evaluator', () => {
  const op = fc.constantFrom<FilterOp>('eq', 'ne', 'gt', 'ge', 'lt', 'le', 'exists', 'starts_with', 'in');
  fc.assert(
    fc.property(
      fc.record({ a: scalar, b: fc.record({ c: scalar }) }, { requiredKeys: [] }),
      fc.constantFrom('a', 'b.c', 'b', 'x.y', '__proto__', 'constructor.name'),
      op,
      scalar,
      (data, path, each, value) => {
        const clause = { path, op: each, value: each === 'in' ? [value, 'b'] : value };
        expect(passes(clause, JSON.stringify(data)), JSON.stringify([data, clause])).toBe(naive(clause, data));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('numbers beyond 2^53 differ by their last digit', () => {
  const data = '{"id":9007199254740993}';
  expect(passes({ path: 'id', op: 'eq', value: '9007199254740993' }, data)).toBe(true);
  expect(passes({ path: 'id', op: 'eq', value: '9007199254740992' }, data)).toBe(false);
  expect(passes({ path: 'data.id', op: 'gt', value: '9007199254740992' }, data)).toBe(true);
});

test('orders decimals as numbers', () => {
  const number = fc.tuple(fc.integer({ min: -10_000, max: 10_000 }), fc.integer({ min: -3, max: 3 }));
  fc.assert(
    fc.property(number, number, ([a, x], [b, y]) => {
      const wanted = Math.sign(Number(`${a}e${x}`) - Number(`${b}e${y}`));
      expect(Math.sign(compareNumbers(`${a}e${x}`, `${b}e${y}`) ?? Number.NaN) + 0).toBe(wanted + 0);
    }),
  );
  expect(compareNumbers('1.50', '15e-1')).toBe(0);
  expect(compareNumbers('-0', '0.0')).toBe(0);
  expect(compareNumbers('one', '1')).toBeUndefined();
});

test('what is no JSON, or too deep, passes nothing but `ne`', () => {
  const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
  for (const data of ['', '{', deep]) {
    expect(passes({ path: 'a', op: 'exists', value: true }, data)).toBe(false);
    expect(passes({ path: 'a', op: 'ne', value: 1 }, data)).toBe(true);
  }
});

test('all or any of the clauses', () => {
  const clauses = [
    { path: 'a', op: 'eq', value: 1 },
    { path: 'b', op: 'eq', value: 1 },
  ] as const;
  const data = new TextEncoder().encode('{"a":1}');
  expect(passesFilter({ all: clauses }, data)).toBe(false);
  expect(passesFilter({ any: clauses }, data)).toBe(true);
});

test('an endpoint says why it does not get a message', () => {
  const endpoint = { id: 'ep_1', types: [], channels: [], mode: 'live', createdAt: 0 } as unknown as EndpointItem;
  const message = { type: 'invoice.paid', mode: 'live' as const, createdAt: 1_000_000 };
  const data = () => new TextEncoder().encode('{}');
  const why = (given: Partial<EndpointItem>, more: object = {}) =>
    mismatchOf({ ...endpoint, ...given }, { ...message, ...more }, data);
  expect(why({})).toBeUndefined();
  expect(why({ types: ['invoice.*'] })).toBeUndefined();
  expect(why({ types: ['user.*', 'invoice'] })).toBe('type');
  expect(why({ channels: ['a'] })).toBe('channel');
  expect(why({ channels: ['a'] }, { channels: ['b', 'a'] })).toBeUndefined();
  expect(why({ apiVersion: '1' })).toBeUndefined();
  expect(why({ apiVersion: '1' }, { apiVersion: '2' })).toBe('api_version');
  expect(why({ mode: 'test' })).toBe('mode');
  expect(why({ deletedAt: 1 })).toBe('deleted');
  expect(why({ createdAt: 2_000_000 })).toBe('newer');
  expect(why({ filter: { all: [{ path: 'x', op: 'exists', value: true }] } })).toBe('filter');
  expect(why({}, { only: 'ep_2' })).toBe('not_for_it');
});
