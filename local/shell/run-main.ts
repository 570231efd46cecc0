import { explainKnown } from '#operator/explain-error.ts';
import { UserError } from './user-error.ts';

/** Runs a program's main function and ends the process. What a person can act on is one message, without a stack. */
export async function runMain(main: () => Promise<number>): Promise<void> {
  let code = 1;
  try {
    code = await main();
  } catch (error) {
    const known = explainKnown(error);
    if (error instanceof UserError) code = error.exitCode;
    else if (known?.kind === 'credentials') code = 4;
    console.error(known ? known.message : error);
  }
  // Not left to the event loop: an interrupted step may still be waiting for something.
  process.exit(code);
}
