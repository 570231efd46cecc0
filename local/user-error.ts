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

/** Runs a command's main function and ends the process; a UserError becomes its message on stderr and its exit code. */
export async function runMain(main: () => Promise<number>): Promise<void> {
  let code = 1;
  try {
    code = await main();
  } catch (error) {
    if (error instanceof UserError) code = error.exitCode;
    const explained = error instanceof Error && ['UserError', 'ConfigError'].includes(error.name);
    console.error(explained ? error.message : error);
  }
  // Not left to the event loop: an interrupted step may still be waiting for something.
  process.exit(code);
}
