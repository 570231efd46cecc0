/** adnanh/webhook: a small Go server that runs a command for each request, and keeps nothing. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answersHttp } from '#test/adapters/contracts/java-services.ts';
import { SECRET } from '#test/kit/processes/load.ts';
import { startProgram, startRoles } from '#test/kit/processes/programs.ts';
import type { Effect, System } from '#test/kit/processes/system.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { findServer } from './debian.ts';

export const webhook: System = {
  name: 'adnanh/webhook 2.8',
  synced: 'nothing: it answers, then runs the command',
  durable: false,
  async start(folder) {
    const { bin, libraries } = await findServer('webhook');
    const log = join(folder, 'effects.log');
    const command = join(folder, 'effect.sh');
    writeFileSync(command, `#!/bin/sh\necho "$1 $(date +%s%3N)" >> ${log}\n`);
    chmodSync(command, 0o755);
    const hook = {
      id: 'payments',
      'execute-command': command,
      'pass-arguments-to-command': [{ source: 'payload', name: 'event_id' }],
      'trigger-rule': {
        match: {
          type: 'payload-hmac-sha256',
          secret: SECRET,
          parameter: { source: 'header', name: 'X-Hub-Signature-256' },
        },
      },
      'trigger-rule-mismatch-http-response-code': 401,
    };
    const hooks = join(folder, 'hooks.json');
    writeFileSync(hooks, JSON.stringify([hook]));
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const start = () =>
      startProgram(join(bin, 'webhook'), ['-hooks', hooks, '-ip', '127.0.0.1', '-port', String(port)], {
        env: { LD_LIBRARY_PATH: libraries },
        ready: () => answersHttp(origin),
      });
    const server = await startRoles(['server'], start);
    return {
      url: `${origin}/hooks/payments`,
      roles: server.names,
      kill: server.kill,
      pids: () => ({ programs: server.pids(), stores: [] }),
      async effects() {
        const effects = new Map<string, Effect>();
        const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
        for (const line of lines) {
          const [id = '', at] = line.split(' ');
          const known = effects.get(id);
          effects.set(id, { times: (known?.times ?? 0) + 1, at: known?.at ?? Number(at) });
        }
        return effects;
      },
      stop: server.stop,
    };
  },
};
