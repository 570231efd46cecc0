/**
 * Reads a variable that handlers/resources.ts gave to the process function. Throws an Error with its name if it is
 * missing or empty.
 * @example
 * const table = handlerEnv('PAYMENTS_TABLE');
 */
export function handlerEnv(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: set it in handlers/resources.ts with context.addEnvironment()`);
  return value;
}
