/** Runs the variants of one model as tests: the good ones must pass, each bad one must break exactly what it should. */
import { afterAll, describe, expect, it } from 'vitest';
import { isLongRun } from '#test/kit/long-run.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import type { Exploration } from './explorer/explore.ts';
import type { Variant } from './variants.ts';

/** Up to here a variant is explored in full as well; in a long run each is. */
const FULL_STATES = 2_000;

/** Registers one test per variant, prints one line for each, and records the good ones for `invariants`. */
export function checkVariants(suite: string, invariants: readonly string[], variants: readonly Variant[]): void {
  describe(suite, () => {
    let runs = 0;
    let violations = 0;
    for (const variant of variants) {
      const mustPass = variant.kind === 'GOOD' || variant.kind === 'SPARE';
      it.skipIf(variant.long && !isLongRun())(titleOf(variant), () => {
        const begun = performance.now();
        const found = variant.explore();
        const broken = found.violations.map(violation => violation.rule);
        const seconds = ((performance.now() - begun) / 1000).toFixed(1);
        console.log(lineOf(variant, found.states, seconds, broken));
        if (mustPass) {
          runs += 1;
          violations += broken.length;
        }
        const runsOf = found.violations.map(v => `${v.rule}\n  ${v.run.join('\n  ')}\n  => ${v.endsIn}`).join('\n');
        expect(broken, runsOf).toEqual(variant.breaks);
        if (variant.states <= FULL_STATES || isLongRun()) compare(variant.exploreInFull(), found);
        expect(found.states, 'the model has changed: are these still the rules of the protocol?').toBe(variant.states);
      });
    }
    afterAll(() => recordRun(invariants, suite, runs, violations));
  });
}

/** The same verdict; of a whole exploration the same states, each or of each class one. */
function compare({ classes, ...full }: ReturnType<Variant['exploreInFull']>, found: Exploration): void {
  const rules = ({ violations }: Exploration): readonly string[] => violations.map(({ rule }) => rule).sort();
  expect(rules(full)).toEqual(rules(found));
  if (full.states === found.states) expect(full).toEqual(found);
  else if (classes !== undefined) expect(classes).toBe(found.states);
}

function titleOf(variant: Variant): string {
  return `${variant.kind} ${variant.name} ${variant.breaks.length > 0 ? 'is caught' : 'passes'}`;
}

function lineOf(variant: Variant, states: number, seconds: string, broken: readonly string[]): string {
  const verdict = broken.length > 0 ? broken.join(', ') : 'OK';
  return `${variant.kind.padEnd(5)} ${variant.name.padEnd(72)} ${String(states).padStart(8)} states ${seconds.padStart(5)} s  ${verdict}`;
}
