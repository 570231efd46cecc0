import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the folder, too. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}
