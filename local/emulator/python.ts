import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '#local/shell/one-at-a-time.ts';
import { runCommand } from '#local/shell/run-command.ts';
import { UserError } from '#local/shell/user-error.ts';
import { HOLDFAST_DIRECTORY, makeWritable } from '#local/shell/workspace.ts';

const OLDEST: readonly [number, number] = [3, 10];
const NAMES = ['python3', 'python', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
const HOW_TO_INSTALL =
  'Install it (Debian/Ubuntu: sudo apt install python3 python3-venv; macOS: brew install python; Windows: winget install Python.Python.3.13), or set AWS_ENDPOINT_URL to a local AWS you already run';

/** Finds a Python that can run the local AWS (3.10 or newer). `HOLDFAST_PYTHON` names one explicitly. */
export async function findPython(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const explicit = env['HOLDFAST_PYTHON'];
  for (const name of explicit ? [explicit] : NAMES) {
    const version = await pythonVersion(name);
    if (version && (version[0] > OLDEST[0] || (version[0] === OLDEST[0] && version[1] >= OLDEST[1]))) return name;
  }
  return undefined;
}

async function pythonVersion(command: string): Promise<[number, number] | undefined> {
  const result = await runCommand(command, ['-c', 'import sys; print(*sys.version_info[:2])']);
  const match = result.code === 0 ? /^(\d+) (\d+)\s*$/.exec(result.output) : null;
  return match ? [Number(match[1]), Number(match[2])] : undefined;
}

/** True when the local AWS is installed in this repository already. */
export async function isEmulatorInstalled(): Promise<boolean> {
  return existsSync(pythonOf(await installDirectory()));
}

/**
 * The Python of a virtual environment that has the pinned local AWS, created in `.holdfast/` on first use.
 * Throws UserError when there is no Python, no `venv` module or no package index.
 */
export async function ensureEmulatorInstalled(): Promise<string> {
  const directory = await installDirectory();
  const installed = pythonOf(directory);
  if (existsSync(installed)) return installed;

  const python = await findPython();
  if (!python) {
    const given = process.env['HOLDFAST_PYTHON'];
    const named = given ? ` HOLDFAST_PYTHON is "${given}": is it a Python?` : '';
    throw new UserError(`Python 3.10 or newer was not found. ${HOW_TO_INSTALL}.${named}`);
  }
  await makeWritable(HOLDFAST_DIRECTORY);
  await removeAbandonedDrafts(HOLDFAST_DIRECTORY);
  // Built beside its final place and renamed when complete: a broken or parallel installation is never mistaken for a good one.
  const draft = `${directory}.${process.pid}`;
  try {
    const venv = await runCommand(python, ['-m', 'venv', draft]);
    if (venv.code !== 0) {
      throw new UserError(
        `${python} could not create a virtual environment. On Debian and Ubuntu: sudo apt install python3-venv. It said: ${lastLines(venv.output)}`,
      );
    }
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check', '-r', REQUIREMENTS];
    const install = await runCommand(pythonOf(draft), pip);
    if (install.code !== 0) {
      throw new UserError(
        `The local AWS could not be installed from the Python package index (a proxy or mirror is set with PIP_INDEX_URL). pip said: ${lastLines(install.output)}`,
      );
    }
    await writeFile(join(draft, 'HOLDFAST'), 'Created by npm start; safe to delete.\n');
    try {
      await rename(draft, directory);
    } catch (error) {
      if (!existsSync(installed)) throw error;
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return installed;
}

/** Removes what interrupted installations left behind, those whose process is gone. */
export async function removeAbandonedDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = /^emulator-[0-9a-f]{12}\.(\d+)$/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(join(directory, name), { recursive: true, force: true });
  }
}

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');

async function installDirectory(): Promise<string> {
  const pins = await readFile(REQUIREMENTS);
  return join(HOLDFAST_DIRECTORY, `emulator-${createHash('sha256').update(pins).digest('hex').slice(0, 12)}`);
}

function pythonOf(directory: string): string {
  return process.platform === 'win32' ? join(directory, 'Scripts', 'python.exe') : join(directory, 'bin', 'python3');
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-3).join(' | ').slice(0, 600);
}
