/** Files and stdin given to a command. Secrets never come from the command line: shells keep its history. */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { OperatorError, usageError } from './cli-error.ts';
import type { Run } from './run.ts';

/** The bytes of a file, `-` for stdin. */
export async function readInput(run: Run, path: string): Promise<Buffer> {
  if (path === '-') return run.io.readStdin();
  try {
    return readFileSync(path);
  } catch (error) {
    throw new OperatorError(`Cannot read ${path}: ${(error as Error).message}`, 'usage', { cause: error });
  }
}

export async function readText(run: Run, path: string): Promise<string> {
  return (await readInput(run, path)).toString('utf8');
}

/** Of an import that is stopped. */
export const GOES_ON = 'What was brought stays. Run it again: it goes on.';

/** The lines of what `wrote`, from the begin with each call. Throws OperatorError (usage) where there is no such file. */
export function linesOf(file: string, wrote: string): () => AsyncIterable<string> {
  if (!existsSync(file)) throw usageError(`There is no ${file}`, `a file of ${wrote}`, 'give its path');
  return () => createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

/** An option that may be repeated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** `name:value` each. Throws OperatorError (usage) for a header without a name. */
export function readHeaders(texts: readonly string[]): Readonly<Record<string, string>> {
  const headers = texts.map((text): [string, string] => {
    const at = text.indexOf(':');
    if (at < 1) throw usageError(`--header: "${text.slice(0, 60)}"`, 'name:value', '--header x-my-header:1');
    return [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
  });
  return Object.fromEntries(headers);
}

/** A secret from HOLDFAST_SECRET or from a file; undefined where none was given. */
export async function readGivenSecret(run: Run, file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return withoutLineEnd(await readText(run, file));
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
