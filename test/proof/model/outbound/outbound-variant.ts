/** How a variant of the outbound model is named: its verdict, its states, its faults, the rules it changes, its shape. */

import { type Variant, variant } from '#test/proof/model/variants.ts';
import { outboundModel, type Shape } from './outbound-model.ts';
import { AS_BUILT, AS_READ, OUTBOUND, type OutboundRules } from './outbound-rules.ts';
import { SEEN, type SeenSteps } from './outbound-seen.ts';
import type { Budget } from './outbound-state.ts';

export const STUCK = 'O2 STUCK FOR EVER';
export const SENT_AGAIN = 'O5 SENT AGAIN WITHOUT A CAUSE';

type Rules = Partial<OutboundRules>;
type Faults = Partial<Budget>;

export const NO_NETS: Rules = { audit: false, reconcile: false };

const { looks, direct, peeks, broken } = AS_BUILT;
export const BUILT: Rules = { looks, direct, peeks, broken };
export const READ: Rules = { ...BUILT, firstPage: AS_READ.firstPage };

export function good(
  name: string,
  states: number,
  faults: Faults,
  rules: Rules = {},
  shape: Partial<Shape> = {},
): Variant {
  return variant('GOOD', name, states, [], modelOf(faults, rules, shape, SEEN));
}

export function bad(
  name: string,
  states: number,
  breaks: string,
  faults: Faults,
  rules: Rules,
  shape: Partial<Shape> = {},
): Variant {
  return variant('BAD', name, states, [breaks], modelOf(faults, rules, shape));
}

export function spare(name: string, states: number, faults: Faults, rules: Rules, shape: Partial<Shape> = {}): Variant {
  return variant('SPARE', name, states, [], modelOf(faults, rules, shape));
}

function modelOf(faults: Faults, rules: Rules, shape: Partial<Shape>, seen?: SeenSteps) {
  return () => {
    const model = outboundModel({ ...OUTBOUND, ...rules }, faults, shape);
    return seen ? { ...model, taken: seen.note } : model;
  };
}
