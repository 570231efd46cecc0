/** Asks the suites of one side of the product for complaints, with a bug turned on or without. */
import { type Fault, faultsOf } from '#test/kit/memory/faults.ts';
import { turnOn } from './bug-kit.ts';
import type { Mutant } from './mutants.ts';

/** Each answers what is wrong, or nothing. */
export interface Side {
  readonly scenarios: Readonly<Record<string, () => Promise<readonly string[]>>>;
  readonly journeys: readonly {
    readonly name: string;
    readonly complaintsOf: (faults?: ReadonlyMap<number, Fault>) => Promise<readonly string[]>;
    /** Worth a fault. */
    readonly callsOf: () => Promise<readonly { readonly n: number; readonly role: string; readonly name: string }[]>;
  }[];
}

export interface Catch {
  readonly suite: string;
  readonly complaint: string;
}

/** The first complaint about a mutant: of what it names, or else of any suite. */
export async function firstCatch(side: Side, mutant: Mutant): Promise<Catch | undefined> {
  turnOn(mutant.name);
  return (await firstOf(side, [mutant.shownBy])) ?? firstOf(side, ['']);
}

/**
 * The first complaint about the product as it is: of all suites without faults, and of each that a mutant names. Asked after
 * the mutants, in the same modules: what one of them left there must not be what complained of the next.
 */
export function firstComplaint(side: Side, mutants: readonly Mutant[]): Promise<Catch | undefined> {
  turnOn(undefined);
  const named = mutants.map(({ shownBy }) => shownBy);
  return firstOf(side, ['scenario ', 'journey ', 'crash points: publish, delivered, ', ...named]);
}

/** Asks the suites whose names begin with one of `names`. */
async function firstOf({ scenarios, journeys }: Side, names: readonly string[]): Promise<Catch | undefined> {
  const isMeant = (suite: string): boolean => names.some(it => suite.startsWith(it) || it.startsWith(suite));
  const ask = async (suite: string, complaintsOf: () => Promise<readonly string[]>): Promise<Catch | undefined> => {
    const complaint = isMeant(suite) ? await complaintOf(complaintsOf) : undefined;
    return complaint === undefined ? undefined : { suite, complaint };
  };
  let caught: Catch | undefined;
  for (const [name, scenario] of Object.entries(scenarios)) caught ??= await ask(`scenario ${name}`, scenario);
  for (const { name, complaintsOf } of journeys) caught ??= await ask(`journey "${name}"`, complaintsOf);
  for (const { name: journey, complaintsOf, callsOf } of journeys) {
    const suite = `crash points: ${journey}, `;
    if (caught || !isMeant(suite)) continue;
    for (const { n, role, name } of await callsOf())
      for (const fault of faultsOf(name))
        caught ??= await ask(`${suite}${fault} at ${role} ${name}`, () => complaintsOf(new Map([[n, fault]])));
  }
  return caught;
}

/** What an exception of the mutated code says: it was caught, too. */
async function complaintOf(complaintsOf: () => Promise<readonly string[]>): Promise<string | undefined> {
  try {
    return (await complaintsOf())[0];
  } catch (error) {
    // That is no bug of the product, but a mistake in the text of the bug.
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
