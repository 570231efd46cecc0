/** What kind of failure it is: the CLI makes an exit code of it, the console a status. */
export type FailureKind = 'failure' | 'usage' | 'not_found' | 'credentials' | 'partial' | 'interrupted';

/** A failure that a person can act on: shown as its message alone. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  readonly kind: FailureKind;

  constructor(message: string, kind: FailureKind = 'failure', options: { cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}

/** Wrong input: what was given, what is allowed, what to do. */
export function usageError(given: string, allowed: string, fix: string): OperatorError {
  return new OperatorError(`${given}\n  allowed: ${allowed}\n  fix:     ${fix}`, 'usage');
}
