import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { toSourceId } from '#core/glossary.ts';
import { searchItems, searchKey, valuesIn } from '#core/inbound/protocol/searchable.ts';

const SOURCE = toSourceId('stripe');

it.each([
  ['/data/object/metadata/order_id', '1234'],
  ['/data/list/1/id', 'b'],
  ['/a~1b/c~0d', 'odd names'],
  ['/paid', 'true'],
  ['/amount', '1200'],
])('takes the value at %s', (pointer, value) => {
  const payload = {
    data: { object: { metadata: { order_id: '1234' } }, list: [{ id: 'a' }, { id: 'b' }] },
    'a/b': { 'c~d': 'odd names' },
    ...{ paid: true, amount: 1_200 },
  };
  expect(valuesIn(payload, { order: pointer })).toEqual([['order', value]]);
});

it.each([
  ['nothing there', '/data/none'],
  ['an object', '/data'],
  ['null', '/nothing'],
  ['an empty text', '/empty'],
  ['a text that names nothing', '/long'],
  ['what no payload has of its own', '/constructor/name'],
  ['a step into a text', '/text/length'],
])('takes none where there is %s', (_, pointer) => {
  const payload = { data: {}, nothing: null, empty: '', long: 'x'.repeat(501), text: 'abc' };
  expect(valuesIn(payload, { order: pointer })).toEqual([]);
});

it('takes a value of any payload and place without a throw, and only texts', () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), (payload, pointer) => {
      for (const [, value] of valuesIn(payload, { field: `/${pointer}` })) expect(typeof value).toBe('string');
    }),
  );
});

it('makes items that hold a hash, the time and the key of the event, and are the same each time', () => {
  const event = { timelineHour: 'stripe#2026-11-22T08', timelineAt: '1795334400000#evt_1' };
  const [item] = searchItems(event, [['order', 'ada@example.com']], 4_000_000_000, nodeCrypto);
  expect(item).toEqual({
    pk: searchKey(SOURCE, 'order', 'ada@example.com', nodeCrypto),
    sk: '1795334400000#evt_1',
    expiresAt: 4_000_000_000,
  });
  expect(item?.pk).toMatch(/^_search#stripe#order#[0-9a-f]{64}$/);
  expect(JSON.stringify(item)).not.toContain('ada');
});
