/** The usual job queue: BullMQ on Redis, its append-only file synced at every write. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SECRET } from '#test/kit/processes/load.ts';
import { startPeer, startProgram } from '#test/kit/processes/programs.ts';
import type { System } from '#test/kit/processes/system.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { findServer } from './debian.ts';

const run = promisify(execFile);
const APP = join(import.meta.dirname, '../peers/bullmq-app.ts');

export const bullmq: System = {
  name: 'BullMQ on Redis 7',
  synced: 'the job (appendfsync always)',
  durable: true,
  async start(folder) {
    const { bin, libraries } = await findServer('redis-server');
    const env = { LD_LIBRARY_PATH: libraries };
    const port = await freePort();
    const cli = async (...args: readonly string[]): Promise<string> =>
      (await run(join(bin, 'redis-cli'), ['-p', String(port), ...args], { env, maxBuffer: 2 ** 28 })).stdout;
    const persistence = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--dir', folder];
    const redis = await startProgram(
      join(bin, 'redis-server'),
      ['--port', String(port), '--bind', '127.0.0.1', ...persistence],
      {
        env,
        ready: () =>
          cli('PING').then(
            it => it.startsWith('PONG'),
            () => false,
          ),
      },
    );

    const url = `http://127.0.0.1:${await freePort()}`;
    const peer = await startPeer(APP, url, { REDIS_PORT: String(port), SECRET });
    const hash = async (name: string): Promise<ReadonlyMap<string, number>> => {
      const lines = (await cli('HGETALL', name)).trim().split('\n');
      const pairs = lines.flatMap((line, at) => (at % 2 === 0 ? [[line, Number(lines[at + 1])] as const] : []));
      return new Map(pairs.filter(([id]) => id !== ''));
    };

    return {
      url,
      roles: peer.names,
      kill: peer.kill,
      pids: () => ({ programs: peer.pids(), stores: [redis.pid] }),
      async effects() {
        const at = await hash('at');
        return new Map([...(await hash('times'))].map(([id, times]) => [id, { times, at: at.get(id) ?? 0 }]));
      },
      async stop() {
        await peer.stop();
        await redis.kill();
      },
    };
  },
};
