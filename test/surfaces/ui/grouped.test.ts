import fc from 'fast-check';
import { expect, it } from 'vitest';
import { grouped } from '../../../ui/grouped.ts';

it('writes every number of a page as the browser would in English', () => {
  const number = fc.oneof(
    fc.integer({ min: -1e15, max: 1e15 }),
    fc.double({ min: -1e9, max: 1e9, noNaN: true }),
    fc.constantFrom(0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, 0.5, 1_234.5678, -0.25, -1_000),
  );
  // Half a thousandth is rounded to one side or the other.
  const isBetween = (value: number): boolean => Math.abs(((Math.abs(value) * 1_000) % 1) - 0.5) < 1e-3;
  fc.assert(
    fc.property(number, value => {
      fc.pre(!isBetween(value));
      // What is shown as nothing has no sign: `-0` is a word of the machine.
      expect(grouped(value)).toBe(value.toLocaleString('en').replace(/^-0$/, '0'));
    }),
    { examples: [[-0], [-0.0004], [-0.0006]] },
  );
});
