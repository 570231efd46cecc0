/** A failure the person at the terminal can act on: printed as its message alone, without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Runs a command's main function and ends the process; a UserError becomes its message on stderr and exit code 1. */
export async function runMain(main: () => Promise<number>): Promise<void> {
  let code = 1;
  try {
    code = await main();
  } catch (error) {
    console.error(error instanceof UserError ? error.message : error);
  }
  // Not left to the event loop: an interrupted step may still be waiting for something.
  process.exit(code);
}
