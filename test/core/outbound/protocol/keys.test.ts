import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { freshId, messageIdOf } from '#core/outbound/protocol/ids.ts';
import {
  aheadRange,
  deliveryOfRecord,
  dueAtOf,
  dueRange,
  endpointNameKey,
  laterRowKey,
  liveRowKey,
  recordKey,
  rowKind,
  wakeAtOf,
  wakeListed,
} from '#core/outbound/protocol/keys.ts';

const time = fc.integer({ min: 1_000_000_000_000, max: 9_999_999_999_000 });
const delivery = (createdAt: number) => ({ ep: 'ep_1' as const, msg: 'msg_1' as const, createdAt });

test('the order of rows is the order of their times, live rows first', () => {
  fc.assert(
    fc.property(time, time, fc.constantFrom('r', 'p'), fc.constantFrom('r', 'p'), (a, b, kindA, kindB) => {
      const row = (dueAt: number, kind: 'r' | 'p') => laterRowKey(delivery(1), { dueAt, kind, gen: 1, n: 2 }).sk;
      if (a < b) expect(row(a, kindA) < row(b, kindB)).toBe(true);
      expect(liveRowKey(delivery(b)).sk < row(a, kindA)).toBe(true);
      expect(dueAtOf({ sk: row(a, kindA) })).toBe(a);
      expect(rowKind({ sk: row(a, kindA) })).toBe(kindA === 'r' ? 'retry' : 'replay');
    }),
  );
});

test('what is due now and what is due later share no row and leave none out', () => {
  fc.assert(
    fc.property(time, fc.integer({ min: -5, max: 5 }), (now, off) => {
      const { sk } = laterRowKey(delivery(1), { dueAt: now + off, kind: 'r', gen: 1, n: 2 });
      const inside = ({ from = '', to = '' }): boolean => sk >= from && sk <= to;
      expect(inside(dueRange('ep_1', now))).toBe(off <= 0);
      expect(inside(aheadRange('ep_1', now))).toBe(off > 0);
    }),
  );
});

test('a record’s key says what it is about', () => {
  fc.assert(
    fc.property(time, createdAt => {
      const { pk, sk } = recordKey(delivery(createdAt));
      expect(deliveryOfRecord({ pk, sk })).toEqual(delivery(createdAt));
    }),
  );
});

test('ids have 26 characters after their prefix, from any input, and no key is too long', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 256, unit: 'grapheme' }), fc.uuid({ version: 4 }), time, (key, uuid, now) => {
      const id = messageIdOf('app_1', key, nodeCrypto);
      expect(id).toMatch(/^msg_[0-9a-hjkmnp-tv-z]{26}$/);
      expect(messageIdOf('app_1', key, nodeCrypto)).toBe(id);
      expect(messageIdOf('app_2', key, nodeCrypto)).not.toBe(id);
      expect(freshId('ep', now, uuid)).toMatch(/^ep_[0-9a-hjkmnp-tv-z]{26}$/);
      const { pk } = endpointNameKey(freshId('app', now, uuid), 'u'.repeat(256));
      expect(pk.length).toBeLessThan(1_024);
    }),
  );
});

test('fresh ids are in the order of their times', () => {
  const uuid = '00000000-0000-4000-8000-000000000000';
  expect(freshId('ep', 1_000, uuid) < freshId('ep', 1_001, uuid)).toBe(true);
});

test('the wake index gives back the time that was put', () => {
  fc.assert(
    fc.property(time, at => {
      expect(wakeAtOf(wakeListed('ep_1', at))).toBe(at);
    }),
  );
});
