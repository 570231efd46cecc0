/**
 * A variable that handlers/resources.ts gave to the process function. Throws, naming it, when it is missing.
 * @example
 * const table = handlerEnv('PAYMENTS_TABLE');
 */
export function handlerEnv(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`${name} is not set: give it to the process function in handlers/resources.ts (addEnvironment)`);
  return value;
}
