import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UserError } from './user-error.ts';

export const FLAG = { type: 'boolean', default: false } as const;

/** The arguments of a program. Throws UserError (usage) with what is wrong, and the usage. */
export function readArguments<const T extends ParseArgsConfig>(
  config: T,
  usage: string,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UserError(`${error instanceof Error ? error.message : String(error)}\n${usage}`, 2);
  }
}
