/** A common Node design: one INSERT per event, LISTEN/NOTIFY, a worker with FOR UPDATE SKIP LOCKED. */
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SECRET } from '#test/kit/processes/load.ts';
import { startPeer, startProgram } from '#test/kit/processes/programs.ts';
import type { System } from '#test/kit/processes/system.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { findServer } from './debian.ts';

const run = promisify(execFile);
const APP = join(import.meta.dirname, '../peers/postgres-app.ts');
/** Postgres refuses to run as root: then it runs as nobody. */
const NOBODY = 65_534;
const SCHEMA = `CREATE TABLE events (id text PRIMARY KEY, body text NOT NULL, received_at timestamptz NOT NULL DEFAULT clock_timestamp(), done_at timestamptz);
CREATE INDEX ON events (received_at) WHERE done_at IS NULL;
CREATE TABLE payments (id text PRIMARY KEY, amount int NOT NULL, times int NOT NULL DEFAULT 1);`;

export const postgres: System = {
  name: 'node:http + Postgres 15',
  synced: 'the row (fsync at each commit)',
  durable: true,
  async start(folder) {
    const { bin, libraries } = await findServer('postgres');
    const env = { LD_LIBRARY_PATH: libraries };
    const asRoot = process.getuid?.() === 0;
    const data = join(folder, 'data');
    mkdirSync(data, { recursive: true });
    if (asRoot) {
      chmodSync(folder, 0o755);
      chownSync(data, NOBODY, NOBODY);
    }
    const asUser = (program: string, args: readonly string[]): [string, string[]] =>
      asRoot
        ? ['setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', join(bin, program), ...args]]
        : [join(bin, program), [...args]];
    await run(...asUser('initdb', ['-D', data, '-U', 'bench', '-A', 'trust']), { env });

    const port = await freePort();
    const psql = (sql: string) =>
      run(join(bin, 'psql'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'bench', '-Atc', sql, 'postgres'], {
        env,
        maxBuffer: 2 ** 28,
      });
    const flags = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', data, '-c', 'jit=off'];
    const database = await startProgram(...asUser('postgres', flags), {
      env,
      ready: () =>
        psql('SELECT 1').then(
          () => true,
          () => false,
        ),
    });
    await psql(SCHEMA);

    const url = `http://127.0.0.1:${await freePort()}`;
    const peer = await startPeer(APP, url, { DATABASE_URL: `postgres://bench@127.0.0.1:${port}/postgres`, SECRET });

    return {
      url,
      roles: peer.names,
      kill: peer.kill,
      pids: () => ({ programs: peer.pids(), stores: [database.pid] }),
      async effects() {
        const { stdout } = await psql(
          `SELECT p.id, p.times, (extract(epoch FROM e.done_at) * 1000)::bigint FROM payments p JOIN events e ON e.id = p.id`,
        );
        const rows = stdout
          .trim()
          .split('\n')
          .filter(line => line !== '');
        return new Map(
          rows.map(row => {
            const [id = '', times, at] = row.split('|');
            return [id, { times: Number(times), at: Number(at) }];
          }),
        );
      },
      async stop() {
        await peer.stop();
        await database.kill();
      },
    };
  },
};
