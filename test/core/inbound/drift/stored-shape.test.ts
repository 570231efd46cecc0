import { expect, it } from 'vitest';
import type { Shape } from '#core/inbound/drift/shape.ts';
import { decodeShape, encodeShape, type StoredShape } from '#core/inbound/drift/stored-shape.ts';

const LEAF: Shape = {
  types: 1,
  optional: false,
  growths: 0,
  members: new Map(),
  required: 0,
  element: undefined,
  any: undefined,
  isMap: false,
};
const change = (at: number) => ({ at, added: [`/n${at}`], removed: [], changed: [], paths: 1 });
const STORED: StoredShape = {
  learnUntil: 7,
  changes: [change(2), change(1)],
  shape: {
    ...LEAF,
    growths: 3,
    members: new Map([
      ['id', LEAF],
      ['note', { ...LEAF, optional: true }],
      ['tags', { ...LEAF, element: LEAF }],
      ['byKey', { ...LEAF, isMap: true, any: LEAF }],
    ]),
    required: 3,
  },
};

it('a shape is read as it was stored, with how many members are required', () => {
  expect(decodeShape(encodeShape(STORED))).toEqual(STORED);
  const { changes: _none, ...unchanged } = STORED;
  expect(decodeShape(encodeShape(unchanged))).toEqual(unchanged);
});

it('keeps the five newest changes', () => {
  const changes = [7, 6, 5, 4, 3, 2, 1].map(change);
  expect(decodeShape(encodeShape({ ...STORED, changes }))?.changes).toEqual(changes.slice(0, 5));
});

it.each([
  undefined,
  '',
  'no JSON',
  '{"v":2,"learnUntil":7,"shape":{"t":1}}',
  '{"v":1,"shape":{"t":1}}',
  '{"v":1,"learnUntil":7}',
  '{"v":1,"learnUntil":7,"shape":null}',
])('learns anew where %j is stored', text => {
  expect(decodeShape(text)).toBeUndefined();
});
