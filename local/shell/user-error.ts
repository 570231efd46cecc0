/** A failure the person at the terminal can act on: printed as its message alone, without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** 1 failure, 2 usage, 4 credentials, 130 interrupted. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
