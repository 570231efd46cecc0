/** A failure the person at the terminal can act on: printed as its message alone, without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Runs a command's main function; a UserError becomes one line on stderr and exit code 1. */
export async function runMain(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
