/** Files and stdin given to a command. Secrets never come from the command line: shells keep its history. */
import { readFileSync } from 'node:fs';
import { CliError, EXIT, usageError } from './cli-error.ts';
import type { Run } from './run.ts';

/** The bytes of a file, `-` for stdin. */
export async function readInput(run: Run, path: string): Promise<Buffer> {
  if (path === '-') return run.io.readStdin();
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CliError(`Cannot read ${path}: ${(error as Error).message}`, EXIT.usage, { cause: error });
  }
}

/** A secret from HOLDFAST_SECRET or from a file; undefined where none was given. */
export async function readGivenSecret(run: Run, file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return withoutLineEnd((await readInput(run, file)).toString('utf8'));
  return run.io.env['HOLDFAST_SECRET'];
}

/** A new secret from stdin, or asked for without showing it. */
export async function askSecret(run: Run, question: string): Promise<string> {
  const text = run.io.stdinIsTTY ? await run.io.ask(question, true) : (await run.io.readStdin()).toString('utf8');
  const secret = withoutLineEnd(text);
  if (secret.trim() === '')
    throw usageError(
      'The secret is empty',
      'the text the provider shows',
      'pipe it in, e.g. pbpaste | holdfast sources set-secret stripe',
    );
  return secret;
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
