/** The local AWS that `npm start` runs, found by its state file; or the one AWS_ENDPOINT_URL names. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkGivenEndpoint } from '#local/emulator/given-endpoint.ts';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';

export interface LocalEndpoint {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

type Env = Readonly<Record<string, string | undefined>>;

/** Throws OperatorError when none runs. `directory` is where `npm start` keeps its state. */
export async function findLocalAws(env: Env, directory = HOLDFAST_DIRECTORY): Promise<LocalEndpoint> {
  const given = env['AWS_ENDPOINT_URL'];
  if (given) return endpointOf(checkGivenEndpoint(given), env);
  const running = (await Promise.all((await readStates(directory)).map(checkState))).filter(port => port !== undefined);
  const wanted = wantedPort(env['HOLDFAST_PORT']);
  const port = running.find(it => it === (wanted ?? 4566)) ?? (wanted === undefined ? running[0] : undefined);
  if (port === undefined) {
    const where = wanted === undefined ? '' : ` on port ${wanted} (HOLDFAST_PORT)`;
    throw new OperatorError(
      `No local AWS is running${where}: start it in another terminal (npm start), or give --env for a deployed environment.`,
    );
  }
  return endpointOf(`http://127.0.0.1:${port}`, {});
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

function endpointOf(endpoint: string, env: Env): LocalEndpoint {
  return {
    endpoint,
    region: env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1',
    credentials: {
      accessKeyId: env['AWS_ACCESS_KEY_ID'] ?? 'test',
      secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] ?? 'test',
    },
  };
}

interface State {
  readonly instanceId: string;
  readonly port: number;
}

async function readStates(directory: string): Promise<readonly State[]> {
  const names = await readdir(directory).catch(() => []);
  const states = await Promise.all(
    names
      .filter(name => name.startsWith('local-'))
      .map(async name => {
        try {
          return [JSON.parse(await readFile(join(directory, name, 'emulator.json'), 'utf8')) as State];
        } catch {
          return [];
        }
      }),
  );
  return states.flat();
}

/** The port, if what answers there is the instance of the state file and not some other program. */
async function checkState({ instanceId, port }: State): Promise<number | undefined> {
  try {
    // Where nothing listens, that is known at once; a busy machine may take seconds to answer.
    const signal = AbortSignal.timeout(10_000);
    const answer = await fetch(`http://127.0.0.1:${port}/_ministack/health`, { signal });
    const { edition } = (await answer.json()) as { edition?: unknown };
    return edition === `holdfast-${instanceId}` ? port : undefined;
  } catch {
    return undefined;
  }
}
