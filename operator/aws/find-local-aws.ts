/** The local AWS that `npm start` runs, found by its state file; or the one AWS_ENDPOINT_URL names. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkGivenEndpoint } from '#local/emulator/given-endpoint.ts';
import { endpointAt, endpointOn, isAlive, type LocalEndpoint, readState } from '#local/emulator/running-aws.ts';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where nothing listens, that is known at once; a busy machine may take seconds to answer. */
const BUSY_LIMIT_MS = 10_000;

/** Throws OperatorError when none runs. `directory` is where `npm start` keeps its state. */
export async function findLocalAws(env: Env, directory = HOLDFAST_DIRECTORY): Promise<LocalEndpoint> {
  const given = env['AWS_ENDPOINT_URL'];
  if (given) return endpointAt(checkGivenEndpoint(given), env);
  const running = await runningPorts(directory);
  const wanted = wantedPort(env['HOLDFAST_PORT']);
  const port = running.find(it => it === (wanted ?? 4566)) ?? (wanted === undefined ? running[0] : undefined);
  if (port === undefined) {
    const where = wanted === undefined ? '' : ` on port ${wanted} (HOLDFAST_PORT)`;
    throw new OperatorError(
      `No local AWS is running${where}: start it in another terminal (npm start), or give --env for a deployed environment.`,
    );
  }
  return endpointAt(endpointOn(port));
}

async function runningPorts(directory: string): Promise<readonly number[]> {
  const names = (await readdir(directory).catch(() => [])).filter(name => name.startsWith('local-'));
  const found = await Promise.all(
    names.map(async name => {
      const state = await readState(join(directory, name));
      return state !== undefined && (await isAlive(state, BUSY_LIMIT_MS)) ? [state.port] : [];
    }),
  );
  return found.flat();
}

function wantedPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw usageError(
    `HOLDFAST_PORT is "${text.slice(0, 40)}"`,
    'a port, 1 to 65535',
    'e.g. HOLDFAST_PORT=4566, or unset it',
  );
}
