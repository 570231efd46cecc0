import type { FailureKind, OperatorError } from '#operator/operator-error.ts';

export { OperatorError, usageError } from '#operator/operator-error.ts';

/** What a script can tell from the exit code of a command. */
export const EXIT = { ok: 0, failure: 1, usage: 2, notFound: 3, credentials: 4, partial: 5, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const CODES: Readonly<Record<FailureKind, ExitCode>> = {
  failure: EXIT.failure,
  usage: EXIT.usage,
  not_found: EXIT.notFound,
  credentials: EXIT.credentials,
  partial: EXIT.partial,
  interrupted: EXIT.interrupted,
};

export function exitCodeOf({ kind }: Pick<OperatorError, 'kind'>): ExitCode {
  return CODES[kind];
}
