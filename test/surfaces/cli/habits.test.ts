/** The habits every command has: help with an example, words that name what to do, exit codes, quiet scripts. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodeOf, OperatorError } from '#cli/cli-error.ts';
import { Output } from '#cli/output.ts';
import type { Services } from '#cli/run.ts';
import { DependencyError } from '#core/errors.ts';
import { openGateway } from '#operator/aws/open-gateway.ts';
import { explainError } from '#operator/explain-error.ts';
import { span } from '#operator/span.ts';
import { CliWorld } from './cli-world.ts';
import { everyCommand } from './every-command.ts';

const ROOT = join(import.meta.dirname, '../../..');

const leaves = everyCommand();

describe('every command', () => {
  it.each(leaves.map(({ path }) => [path.join(' ')]))('%s --help has an example and the global options', async path => {
    const { code, stdout, stderr } = await new CliWorld().run([...path.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Examples:\n {2}\$ .*holdfast /);
    expect(stdout).toContain('--env <name>');
    expect(stdout).toContain('--json');
  });

  it.each(leaves.map(({ path, command }) => [path.join(' '), command] as const))(
    '%s answers an unknown option and a missing argument with 2 and a way on',
    async (path, command) => {
      const cli = new CliWorld();
      const unknown = await cli.run([...path.split(' '), '--jsn']);
      expect(unknown).toMatchObject({ code: 2, stdout: '' });
      expect(unknown.stderr).toContain('--help');
      if (command.registeredArguments.some(argument => argument.required)) {
        const missing = await cli.run(path.split(' '));
        expect(missing).toMatchObject({ code: 2, stdout: '' });
        expect(missing.stderr).toContain('missing required argument');
      }
    },
  );
});

describe('colours', () => {
  const stream = (isTTY: boolean) => ({ write: () => {}, isTTY, columns: 80 });
  const paint = (isTTY: boolean, env: Readonly<Record<string, string>>): string => {
    const io = { stdout: stream(isTTY), stderr: stream(isTTY), env } as unknown as Services['io'];
    return new Output(io, { json: false, now: () => 0 }).paint('red', 'x');
  };

  it('are for terminals that want them', () => {
    expect(paint(true, {})).toContain('\u001b[31m');
    expect(paint(false, {})).toBe('x');
    expect(paint(true, { NO_COLOR: '1' })).toBe('x');
    expect(paint(true, { TERM: 'dumb' })).toBe('x');
  });

  it('never appear in the output of a command without a terminal', async () => {
    const cli = new CliWorld();
    cli.world.start();
    await cli.happen(['bad-1']);
    for (const args of [['status'], ['events', 'ls'], ['events', 'get', 'bad-1'], ['doctor']]) {
      const { stdout, stderr } = await cli.run(args);
      expect(`${stdout}${stderr}`).not.toContain('\u001b');
    }
    cli.world.stop();
  });
});

describe('what strangers wrote', () => {
  const CURSOR_UP = '\u001b[2A';
  const steering = `${CURSOR_UP}\u001b[2K\u009b8m\u001b]0;owned\u0007\r`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one
  const COLOUR = /\u001b\[\d+m/g;
  const isControl = (char: string) => char !== '\n' && /\p{Cc}/u.test(char);
  const controls = (text: string) => [...text.replace(COLOUR, '')].filter(isControl);

  it('moves no cursor and changes no title, in a list, in JSON, in an error', async () => {
    const cli = new CliWorld();
    await cli.run(['pause', 'shop', '--why', `ledger ${steering}`, '--yes']);
    for (const args of [['status'], ['doctor'], ['status', '--json'], ['pause', 'shop', '--why', 'x', '--yes']]) {
      const { stdout, stderr } = await cli.run(args, { screen: true });
      expect(stdout, args.join(' ')).toContain('ledger');
      expect(controls(stdout + stderr), args.join(' ')).toEqual([]);
    }
    const http = () => Promise.resolve({ status: 500, headers: {}, body: steering, ms: 1 });
    const failed = await cli.run(['send', 'shop', '--wait', '1', '--yes'], { screen: true, gateway: { http } });
    expect(failed.stderr).toContain('500');
    expect(controls(failed.stderr)).toEqual([]);
  });

  it('stays what it was in JSON', async () => {
    const cli = new CliWorld();
    await cli.run(['pause', 'shop', '--why', `ledger ${steering}.`, '--yes']);
    const { stdout } = await cli.run(['status', '--json']);
    expect(JSON.parse(stdout).paused[0].why).toBe(`ledger ${steering}.`);
  });
});

describe('errors', () => {
  it.each([
    [new DependencyError('dynamodb', 'Query: x', { cause: named('ExpiredTokenException') }), 4, 'AWS_PROFILE'],
    [named('CredentialsProviderError'), 4, 'aws sso login'],
    [new Error('Region is missing'), 4, 'AWS_REGION'],
    [new Error('connect ECONNREFUSED 127.0.0.1:4566'), 1, 'npm start'],
    [Object.assign(new Error('Unknown'), { name: 'NotFound', $metadata: {} }), 1, 'AWS_ENDPOINT_URL'],
    [Object.assign(new Error('@aws-sdk XML parse error: mismatched tags'), { $metadata: {} }), 1, 'it is not AWS'],
    [new OperatorError('mine', 'partial'), 5, 'mine'],
    ['a text', 1, 'a text'],
  ])('%s has exit code %i and says what to do', (error, code, hint) => {
    const explained = explainError(error);
    expect(exitCodeOf(explained)).toBe(code);
    expect(explained.message).toContain(hint);
  });

  it.each([
    [{ AWS_ENDPOINT_URL: 'localhost:4566' }, '"localhost:4566"'],
    [{ AWS_ENDPOINT_URL: 'https://dynamodb.eu-west-1.amazonaws.com' }, 'npm run deploy -- dev'],
    [{ HOLDFAST_PORT: 'abc' }, '"abc"'],
    [{ HOLDFAST_PORT: '70000' }, '1 to 65535'],
  ])('name what is wrong with %j: 2', async (env, hint) => {
    const cli = new CliWorld();
    const { code, stderr } = await cli.run(['status'], {
      openGateway: deployment => openGateway(deployment, env),
      realTime: true,
    });
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
    expect(stderr).toContain('allowed:');
  });

  it('of the gateway reach the person as one message', async () => {
    const cli = new CliWorld();
    const openGateway = () => Promise.reject(named('ExpiredToken'));
    const { code, stdout, stderr } = await cli.run(['status'], { openGateway });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).not.toContain('    at ');
  });
});

function named(name: string): Error {
  return Object.assign(new Error(`${name} from AWS`), { name });
}

describe('completion', () => {
  const script = async (shell: string): Promise<string> => (await new CliWorld().run(['completion', shell])).stdout;

  it('of bash completes commands, subcommands and options', async () => {
    const text = await script('bash');
    const complete = (words: readonly string[]): string[] => {
      const line = `COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _holdfast; echo "\${COMPREPLY[@]}"`;
      const run = spawnSync('bash', ['-c', `${text}\n${line}`], { encoding: 'utf8' });
      expect(run.stderr).toBe('');
      return run.stdout.trim().split(' ');
    };
    expect(complete(['holdfast', 'ev'])).toEqual(['events']);
    expect(complete(['holdfast', 'events', ''])).toEqual(expect.arrayContaining(['ls', 'get', 'tail']));
    expect(complete(['holdfast', 'events', 'ls', '--s'])).toEqual(['--source', '--status', '--since']);
    expect(complete(['holdfast', 'replay', '--ca'])).toEqual(['--cause']);
  });

  it('exists for zsh and fish, and for no other shell', async () => {
    expect(await script('zsh')).toContain("'events ls') options=(");
    // The words between the program and the one that is being typed; a third way of counting completes nothing.
    expect(await script('zsh')).toMatch(/for word in \$\{words\[2,CURRENT-1\]\}; do/);
    expect(await script('zsh')).toContain(']} ]] && place="');
    expect(await script('fish')).toContain('__fish_seen_subcommand_from events; and __fish_seen_subcommand_from ls');
    expect(await new CliWorld().run(['completion', 'tcsh'])).toMatchObject({ code: 2 });
  });
});

describe('the program', () => {
  const holdfast = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'bin/holdfast.ts'), ...args], { encoding: 'utf8', cwd: ROOT });

  it('starts, prints its version to stdout and its complaints to stderr', () => {
    expect(holdfast('--version')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
    const wrong = holdfast('evnts');
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr).toContain('did you mean holdfast events?');
  });
});

describe('a word that is no command', () => {
  it.each([
    [['deploi'], 'did you mean holdfast deploy?'],
    [['--env', 'prod', 'chek'], 'did you mean holdfast check?'],
    [['dlq', 'lss'], 'did you mean holdfast dlq ls?'],
    [['frobnicate'], 'holdfast --help says what each does'],
  ])('%j is given back, with those that are and the nearest', async (args, fix) => {
    const { code, stdout, stderr } = await new CliWorld().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`has no command "${args.at(-1)}"\n  allowed: `);
    expect(stderr).toContain(fix);
  });

  it.each([
    [['--env', 'prod', 'deploy'], '--env prod', 'holdfast deploy prod'],
    [['--env=prod', 'diff', '--json'], '--env=prod', 'holdfast diff prod'],
    [['--json', 'destroy', 'dev'], '--json', 'holdfast destroy dev'],
    [['--json', '--env', 'dev', 'destroy'], '--json --env dev', 'holdfast destroy dev'],
    [['--utc', 'deploy'], '--utc', 'holdfast deploy <environment>'],
    [['--env', 'prod', 'start'], '--env prod', 'holdfast start'],
  ])('%j is a program behind options: it says how the program is called', async (args, options, fix) => {
    const { code, stdout, stderr } = await new CliWorld().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^holdfast ${options} (\\w+): options before a program\n  allowed: holdfast \\1`),
    );
    expect(stderr).toContain(`fix:     ${fix}\n`);
  });

  it('is not the argument of one, and help names the programs of a project, too', async () => {
    expect((await new CliWorld().run(['status', 'foo'])).stderr).not.toContain('has no command');
    const { stdout } = await new CliWorld().run(['--help']);
    for (const name of ['start', 'check', 'drill', 'deploy', 'diff', 'destroy'])
      expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
  });
});

describe('a reader that goes away', () => {
  it.each([
    ['stdout', ['--help'], 0],
    ['stderr', ['evnts'], 2],
  ] as const)('of %s changes no exit code', async (stream, args, code) => {
    const child = spawn(process.execPath, [join(ROOT, 'bin/holdfast.ts'), ...args], { cwd: ROOT });
    child[stream].destroy();
    expect(await new Promise(resolve => child.once('exit', resolve))).toBe(code);
  });
});

describe('a command line', () => {
  const all = everyCommand();
  it.each(all.map(({ path, command }) => [path.join(' '), path, command] as const))(
    '%s makes that command as it is among all, and not all',
    (_line, path, command) => {
      const made = everyCommand(['--env', 'prod', ...path]);
      const own = made.find(each => each.path.join() === path.join());
      expect(own?.command.helpInformation()).toBe(command.helpInformation());
      expect(made.length < all.length).toBe(path[0] !== 'completion');
    },
  );
});

describe('lengths of time', () => {
  it.each([
    [45, '45 s'],
    [150, '3 min'],
    [18_000, '5 h'],
    [1_036_800, '12 d'],
  ])('%i s is %s', (seconds, text) => {
    expect(span(seconds)).toBe(text);
  });
});
