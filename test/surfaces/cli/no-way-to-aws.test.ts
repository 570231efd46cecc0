/** Claim: without credentials, without a network, every command that asks AWS says so in one sentence. */
import { describe, expect, it } from 'vitest';
import { CliWorld } from './cli-world.ts';
import { everyCommand } from './every-command.ts';

/** What a command must be given before it asks anybody. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  source: 'shop',
  function: 'sweep',
  'how-long': '2h',
  alarm: 'page',
  sources: 'shop',
  id: 'evt_shop.one',
  ids: 'evt_shop.one',
  job: 'rj-20261121t031500-1a2b3c4d',
  text: 'order-1234',
  file: '-',
};
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'dlq close': ['--cause', 'schema', '--why', 'x', '--yes'],
  replay: ['--cause', 'schema', '--why', 'x', '--yes'],
  import: ['--dry-run'],
  'processor stop': ['--yes'],
  pause: ['--why', 'x', '--yes'],
  mute: ['--why', 'x', '--yes'],
  'alarms test': ['--yes'],
  listen: ['--forward-to', 'http://127.0.0.1:9'],
  'sources set-secret': ['--generate', '--out', '/nowhere/secret', '--yes'],
  'sources rotate': ['--yes'],
};
/** They ask nothing of a deployed gateway, or not of one that takes these sources. */
const AT_HOME = [
  'completion',
  'cost',
  'prove',
  'console',
  'sign',
  'verify',
  'sources ips',
  'sources new',
  'sources page',
  'sources pair',
  'reconcile',
  'runbook',
];

function error(name: string, message: string, more: object = {}): Error {
  return Object.assign(new Error(message), { name, ...more });
}
const WAYS = [
  [
    'no credentials',
    error('CredentialsProviderError', 'Could not load credentials from any providers'),
    4,
    /^No AWS cred/,
  ],
  ['an ended sign-in', error('ExpiredToken', 'The security token is expired'), 4, /^AWS refused.*ExpiredToken/],
  ['no region', new Error('Region is missing'), 4, /^No AWS region/],
  [
    'no network',
    error('Error', 'getaddrinfo ENOTFOUND cloudformation.eu-central-1.amazonaws.com', { code: 'ENOTFOUND' }),
    1,
    /^No answer over the network .*online\?$/,
  ],
  [
    'a network that swallows',
    error(
      'TimeoutError',
      'the request socket did not establish a connection within the configured timeout of 3000 ms.',
    ),
    1,
    /^No answer over the network/,
  ],
  [
    'no local AWS any more',
    error('Error', 'connect ECONNREFUSED 127.0.0.1:4566'),
    1,
    /^Nothing answers on this machine/,
  ],
] as const;

const asking = everyCommand().filter(
  // `out` asks another door, the API of what is sent.
  ({ path }) => path[0] !== 'out' && !AT_HOME.includes(path.join(' ')),
);

describe.each(WAYS)('with %s', (_name, failure, code, words) => {
  it.each(asking.map(known => [known.path.join(' '), known] as const))(
    '%s says so',
    async (name, { path, command }) => {
      const given = command.registeredArguments.flatMap(it => (it.required ? [ARGUMENTS[it.name()] ?? 'x'] : []));
      let asked = 0;
      const openGateway = () => {
        asked++;
        return Promise.reject(failure);
      };
      // The file of an import is looked at before anybody is asked: it has to be there.
      const written = name === 'import' ? [import.meta.filename] : given;
      const args = [...path, ...written, ...(OPTIONS[name] ?? [])];
      const result = await new CliWorld().run(args, { openGateway, realTime: true, stdin: 'a'.repeat(40) });
      expect(asked, result.stderr).toBeGreaterThan(0);
      expect(result.code).toBe(code);
      const said = result.stderr.trimEnd().split('\n').at(-1) ?? '';
      expect(said).toMatch(words);
      expect(result.stderr).not.toMatch(/\n\s+at /);
      expect(result.stdout).toBe('');
    },
  );
});
