/** Interleaved rounds: every variant runs once in each, so that what disturbs the machine disturbs them alike. */

const WARM_UPS = 2;

/** Runs all variants in each of `count` rounds after the warm-ups. Results by variant, in the order of rounds. */
export async function interleave<Name extends string, Result>(
  variants: Readonly<Record<Name, () => Promise<Result>>>,
  count: number,
): Promise<Readonly<Record<Name, Result[]>>> {
  const names = Object.keys(variants) as Name[];
  const results = Object.fromEntries(names.map(name => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < WARM_UPS + count; round++) {
    // Every other round backwards: no variant always runs in another's wake.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const result = await variants[name]();
      if (round >= WARM_UPS) results[name].push(result);
    }
  }
  return results;
}
