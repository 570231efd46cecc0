import { request } from 'node:http';
import type { DeployedStack } from './deployed-stack.ts';
import type { LocalAws } from './emulator.ts';

export interface GatewayAddress {
  readonly apiId: string;
  /** Works with every program: by IP address, with the API's id in the path. Without a final slash. */
  readonly url: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly ms: number;
}

/**
 * Where the deployed HTTP API answers on this machine. The API's own URL (`<id>.execute-api.localhost`) is not found by
 * every resolver (Node's for one), so requests go by IP address.
 */
export function findGateway(aws: LocalAws, stacks: readonly DeployedStack[]): GatewayAddress {
  const apiId = outputOf(stacks, 'ApiId');
  return { apiId, url: `${aws.endpoint}/_aws/execute-api/${apiId}` };
}

/** An output of the deployed stacks by name. Throws, naming it, when no stack has it. */
export function outputOf(stacks: readonly DeployedStack[], name: string): string {
  const value = stacks.map(stack => stack.outputs[name]).find(it => it !== undefined);
  if (value === undefined)
    throw new Error(`None of ${stacks.map(it => it.stackName).join(', ')} has the output ${name}.`);
  return value;
}

/** Sends a request exactly as given. Headers that a client would add (content-type, user-agent) are left out. */
export function sendRequest(
  url: string,
  options: { method?: string; headers?: Readonly<Record<string, string | string[]>>; body?: string | Uint8Array } = {},
): Promise<HttpAnswer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: options.method ?? 'POST',
      headers: options.headers ?? {},
      timeout: 30_000,
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error(`No answer from ${url} within 30 s`)));
    outgoing.once('error', reject);
    outgoing.once('response', incoming => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('error', reject);
      incoming.once('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString('utf8'),
          ms: performance.now() - startedAt,
        }),
      );
    });
    outgoing.end(options.body);
  });
}
