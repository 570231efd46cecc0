/** The CLI against a local AWS: commands in this process, everything else real. */

import type { Io } from '#cli/io.ts';
import { runCli } from '#cli/main.ts';
import { openGateway } from '#operator/aws/open-gateway.ts';
import type { Gateway } from '#operator/gateway.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';

export interface CliOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliRunOptions {
  /** @default the local AWS itself */
  readonly endpoint?: string;
  /** Ctrl-C. */
  readonly signal?: AbortSignal;
  readonly stdin?: string;
  /** Told of everything as it is printed. */
  readonly onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
  /** Stands before the gateway, to count or to change calls. */
  readonly wrap?: (gateway: Gateway) => Gateway;
}

/** Runs one command line as a person's shell would, without a terminal. */
export async function runOnAws(
  gateway: GatewayUnderTest,
  args: readonly string[],
  options: CliRunOptions = {},
): Promise<CliOutcome> {
  const { aws, deployment } = gateway;
  const env = {
    AWS_ENDPOINT_URL: options.endpoint ?? aws.endpoint,
    AWS_REGION: aws.region,
    AWS_ACCESS_KEY_ID: aws.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: aws.credentials.secretAccessKey,
  };
  const texts = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      texts[name] += text;
      options.onOutput?.(text, name);
    },
    isTTY: false,
    columns: 120,
  });
  const io: Io = {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    stdinIsTTY: false,
    readStdin: () => Promise.resolve(Buffer.from(options.stdin ?? '')),
    ask: () => Promise.reject(new Error('nobody is at this terminal')),
    env,
    interrupted: options.signal ?? new AbortController().signal,
    user: 'ada',
  };
  const code = await runCli(args, {
    io,
    readDeployment: () => deployment,
    openGateway: async it => {
      const opened = await openGateway(it, env);
      return options.wrap?.(opened) ?? opened;
    },
    publishedLists: { fetchText: () => Promise.reject(new Error('no network in tests')), directory: '/nowhere' },
  });
  return { code, ...texts };
}
