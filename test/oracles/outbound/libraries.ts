/** The official libraries, each called as its users call it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import type { Captured } from '../../kit/samples/captured-requests.ts';

type Verdicts = readonly boolean[];
interface Library {
  readonly name: string;
  readonly ask: (cases: readonly Captured[]) => Verdicts;
}

const here = (path: string): string => new URL(path, import.meta.url).pathname;
const versionOf = (name: string): string =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;

const attempt = (call: () => unknown): boolean => {
  try {
    call();
    return true;
  } catch {
    return false;
  }
};

export const LIBRARIES: readonly Library[] = [
  {
    name: `JavaScript standardwebhooks ${versionOf('standardwebhooks')}`,
    ask: cases =>
      cases.map(({ secret, body, headers }) =>
        attempt(() => new StandardWebhook(secret).verify(body.toString(), { ...headers })),
      ),
  },
  {
    name: `JavaScript svix ${versionOf('svix')}`,
    ask: cases =>
      cases.map(({ secret, body, headers }) => attempt(() => new SvixWebhook(secret).verify(body, { ...headers }))),
  },
  {
    name: `Python ${readFileSync(here('requirements.txt'), 'utf8').split(' ')[0]?.replace('==', ' ')}`,
    ask: cases => {
      const folder = here('../.python');
      if (!existsSync(`${folder}/standardwebhooks`))
        run('python3', [
          '-m',
          'pip',
          'install',
          '--quiet',
          '--require-hashes',
          '--target',
          folder,
          '-r',
          here('requirements.txt'),
        ]);
      return JSON.parse(run('python3', [here('verify.py')], { input: asJson(cases), env: { PYTHONPATH: folder } }));
    },
  },
  {
    name: `Go ${/libraries (v\S+)/.exec(readFileSync(here('go/go.mod'), 'utf8'))?.[0]}`,
    ask: cases => JSON.parse(run('go', ['run', '.'], { input: asJson(cases), cwd: here('go') })),
  },
];

function asJson(all: readonly Captured[]): string {
  return JSON.stringify(all.map(({ secret, headers, body }) => ({ secret, headers, body: body.toString() })));
}

function run(
  command: string,
  parts: readonly string[],
  options: { input?: string; cwd?: string; env?: object } = {},
): string {
  const { env = {}, ...rest } = options;
  const result = spawnSync(command, parts, {
    ...rest,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (result.error)
    throw new Error(`${command} could not be started: install it, this part needs it`, { cause: result.error });
  if (result.status !== 0) throw new Error(`${command} failed:\n${result.stderr}`);
  return result.stdout;
}
