/**
 * The typed environment contract: each function declares a record of variable name to parser; the construct's
 * `environment` must have exactly those keys, so a missing variable is a compile error and a malformed one a single
 * error at cold start that names every problem.
 */
// biome-ignore lint/style/noProcessEnv: the one place of lambdas/ that reads it; each function checks its own variables.
export const environment: Readonly<Record<string, string | undefined>> = process.env;

export type EnvSpec = Readonly<Record<string, (text: string) => unknown>>;
export type Env<Spec extends EnvSpec> = { readonly [Name in keyof Spec]: ReturnType<Spec[Name]> };

/** Parser: any text but the empty one. */
export function text(value: string): string {
  if (value === '') throw new Error('is empty; it must be a non-empty text');
  return value;
}

/** A contract of variables that are any text but the empty one. */
export function texts<const Name extends string>(...names: readonly Name[]): Readonly<Record<Name, typeof text>> {
  return Object.fromEntries(names.map(name => [name, text])) as Record<Name, typeof text>;
}

/** Reads and checks all variables at once. Throws one Error that names every missing or malformed variable. */
export function readEnv<Spec extends EnvSpec>(
  spec: Spec,
  source: Readonly<Record<string, string | undefined>> = environment,
): Env<Spec> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, parse] of Object.entries(spec)) {
    const given = source[name];
    if (given === undefined) {
      problems.push(`${name} is missing`);
      continue;
    }
    try {
      values[name] = parse(given);
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) {
    throw new Error(`The function's environment is wrong: ${problems.join('; ')}. Deploy the stack again.`);
  }
  return values as Env<Spec>;
}
