/** What a script can tell from the exit code of a command. */
export const EXIT = { ok: 0, failure: 1, usage: 2, notFound: 3, credentials: 4, partial: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure the person at the terminal can act on: printed as its message alone. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failure, options: { cause?: unknown } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Wrong input: what was given, what is allowed, what to do. */
export function usageError(given: string, allowed: string, fix: string): CliError {
  return new CliError(`${given}\n  allowed: ${allowed}\n  fix:     ${fix}`, EXIT.usage);
}
