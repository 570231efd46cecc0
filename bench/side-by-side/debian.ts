/** Servers of other projects: from this machine where they are installed, else unpacked from Debian's packages. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, '../../.holdfast/debian');

/** Each with the libraries a bare Debian lacks. */
const PACKAGES = {
  'redis-server': ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1'],
  webhook: ['webhook'],
  postgres: ['postgresql-15', 'libpq5', 'libllvm14', 'libxml2', 'libicu72', 'libldap-2.5-0', 'libsasl2-2'],
} as const;

export interface Installed {
  /** Folder of the programs. */
  readonly bin: string;
  /** For LD_LIBRARY_PATH. */
  readonly libraries: string;
}

/** Finds or fetches a program. Throws, naming what to install, when neither works. */
export async function findServer(program: keyof typeof PACKAGES): Promise<Installed> {
  const installed = binFolders('/').find(folder => existsSync(join(folder, program)));
  if (installed !== undefined) return { bin: installed, libraries: '' };
  const root = join(CACHE, program);
  if (!existsSync(root)) await fetchPackages(program, root);
  const bin = binFolders(root).find(folder => existsSync(join(folder, program)));
  if (bin === undefined)
    throw new Error(`${PACKAGES[program][0]} holds no ${program}; install it: apt-get install ${PACKAGES[program][0]}`);
  return {
    bin,
    libraries: [join(root, 'usr/lib/x86_64-linux-gnu'), join(root, 'usr/lib/aarch64-linux-gnu')].join(delimiter),
  };
}

function binFolders(root: string): readonly string[] {
  const postgres = join(root, 'usr/lib/postgresql');
  const versions = existsSync(postgres) ? readdirSync(postgres).sort().reverse() : [];
  return [...versions.map(it => join(postgres, it, 'bin')), join(root, 'usr/local/bin'), join(root, 'usr/bin')];
}

async function fetchPackages(program: keyof typeof PACKAGES, root: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, 'fetch-'));
  const names = PACKAGES[program];
  try {
    await run('apt-get', ['download', ...names], { cwd: work });
    for (const file of readdirSync(work).filter(it => it.endsWith('.deb'))) {
      await run('dpkg', ['-x', join(work, file), join(work, 'root')]);
    }
    renameSync(join(work, 'root'), root);
  } catch (error) {
    throw new Error(`${program} is not here and could not be fetched; install it: apt-get install ${names[0]}`, {
      cause: error,
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
