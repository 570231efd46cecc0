import { expect, it } from 'vitest';
import { given } from '#core/given.ts';

it('leaves out the fields without a value, and these only', () => {
  const fields = { a: undefined, b: null, c: '', d: 0, e: false, f: Number.NaN, g: [undefined] };
  expect(Object.entries(given(fields))).toEqual(Object.entries(fields).slice(1));
  expect(fields).toHaveProperty('a');
});

it('has a type that knows which fields may be missing', () => {
  const name = undefined as string | undefined;
  const found: { readonly always: number; readonly name?: string } = given({ always: 1, name });
  expect('name' in found).toBe(false);
});
