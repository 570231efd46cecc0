import { expect, it } from 'vitest';
import { exactNumber } from '#core/handler/ordering/exact-number.ts';

const eventOf = (body: string) => ({ bytes: new TextEncoder().encode(body) });

it.each([
  ['{"id":90071992547409930001}', 'id', '90071992547409930001'],
  ['{"a":{"b":[{"n":1.10}]}}', 'a.b[0].n', '1.10'],
  ['{"id":"12345678901234567890"}', 'id', '12345678901234567890'],
  ['{"n":-5e3}', 'n', '-5e3'],
  ['{"id":"abc"}', 'id', undefined],
  ['{"id":true}', 'id', undefined],
  ['{"id":null}', 'id', undefined],
  ['{"id":1}', 'other', undefined],
  ['not json', 'id', undefined],
])('reads %s at %s as %s', (body, path, expected) => {
  expect(exactNumber(eventOf(body), path)).toBe(expected);
});
