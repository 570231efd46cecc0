/**
 * The secrets of the local sources between two runs, in `.holdfast/secrets-<environment>.json`, which only you may read:
 * what a provider's tool or a test was given stays right when a new, empty local AWS starts.
 */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';

export interface SavedSecret {
  /** A source that changed its provider needs a secret of another form. */
  readonly provider: string;
  readonly secret: string;
}
export type SavedSecrets = Readonly<Record<string, SavedSecret>>;

export function secretsFile(environment: string): string {
  return join(HOLDFAST_DIRECTORY, `secrets-${environment}.json`);
}

/** By source id. Empty where nothing was saved, or something that cannot be read. */
export async function readSavedSecrets(file: string): Promise<SavedSecrets> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as SavedSecrets) : {};
  } catch {
    return {};
  }
}

/** Adds to what is saved: a source that is not configured today may be tomorrow. */
export async function saveSecrets(file: string, secrets: SavedSecrets): Promise<void> {
  const before = await readSavedSecrets(file);
  const text = `${JSON.stringify({ ...before, ...secrets }, null, 1)}\n`;
  if (text === `${JSON.stringify(before, null, 1)}\n`) return;
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
}
