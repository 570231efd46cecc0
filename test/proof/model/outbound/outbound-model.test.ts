import { expect, it } from 'vitest';
import { checkVariants } from '#test/proof/model/check-variants.ts';
import { MUST_BE_SEEN, SEEN } from './outbound-seen.ts';
import { outboundVariants } from './outbound-variants.ts';

const INVARIANTS = Array.from({ length: 11 }, (_, n) => `O${n + 1}`);

checkVariants('outbound-model', INVARIANTS, outboundVariants);

it('takes every kind of step in a good variant', () => {
  expect(SEEN.missing(MUST_BE_SEEN)).toEqual([]);
});
