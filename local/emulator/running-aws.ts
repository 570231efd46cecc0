/** The local AWS that `npm start` runs, by its state file: who starts it writes one, every other program reads it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface LocalEndpoint {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** What an instance writes into the folder of its port. */
export interface AwsState {
  readonly instanceId: string;
  readonly port: number;
}

export const stateFile = (directory: string): string => join(directory, 'emulator.json');

/** Undefined: none was started there, or it has ended. */
export async function readState(directory: string): Promise<AwsState | undefined> {
  try {
    return JSON.parse(await readFile(stateFile(directory), 'utf8')) as AwsState;
  } catch {
    return undefined;
  }
}

/** By which a local AWS of ours is known, and told from another that answers on its port. */
export const editionOf = (instanceId: string): string => `holdfast-${instanceId}`;

/** At an address, as a shell says the rest. */
export function endpointAt(endpoint: string, env: Readonly<Record<string, string | undefined>> = {}): LocalEndpoint {
  return {
    endpoint,
    region: env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1',
    credentials: {
      accessKeyId: env['AWS_ACCESS_KEY_ID'] ?? 'test',
      secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] ?? 'test',
    },
  };
}

/** Of the one that is started on this port. */
export const endpointOn = (port: number): string => `http://127.0.0.1:${port}`;

/** What the local AWS says of itself; undefined when it does not answer within `limitMs`. */
export async function readHealth(endpoint: string, limitMs = 2_000): Promise<{ edition: string } | undefined> {
  try {
    const response = await fetch(`${endpoint}/_ministack/health`, { signal: AbortSignal.timeout(limitMs) });
    const body = (await response.json()) as { edition?: unknown };
    return typeof body.edition === 'string' ? { edition: body.edition } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether what answers there is the instance of the state file, and not some other program. */
export async function isAlive({ instanceId, port }: AwsState, limitMs?: number): Promise<boolean> {
  return (await readHealth(endpointOn(port), limitMs))?.edition === editionOf(instanceId);
}
