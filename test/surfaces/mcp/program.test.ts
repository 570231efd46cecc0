/** `holdfast mcp` as a program: what starts it talks to it over stdin and stdout, and hears from nothing else there. */
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliWorld } from '../cli/cli-world.ts';

const ROOT = join(import.meta.dirname, '../../..');

const message = (id: number, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };

it.each([
  ['ends when its client goes', false],
  ['ends with Ctrl-C', true],
])('writes nothing but the protocol to stdout, and %s', async (_what, interrupt) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'served.ts')]);
  const [out, err]: [string[], string[]] = [[], []];
  child.stderr.on('data', (data: Buffer) => err.push(data.toString()));
  const ended = new Promise(resolve => child.once('exit', resolve));
  const answered = new Promise<void>(resolve => {
    child.stdout.on('data', (data: Buffer) => {
      out.push(data.toString());
      if (out.join('').includes('"id":3')) resolve();
    });
  });
  child.stdin.write(`{"jsonrpc":"2.0"}\n${message(1, 'initialize', HELLO)}${message(2, 'tools/list')}`);
  child.stdin.write(message(3, 'tools/call', { name: 'cost', arguments: {} }));
  await Promise.race([answered, ended]);
  if (interrupt) child.kill('SIGINT');
  else child.stdin.end();
  expect([await ended, err.join('')]).toEqual([
    0,
    expect.stringMatching(/^Serving an agent: local in memory\nNot understood: .+\n$/),
  ]);
  const lines = out.join('').trimEnd().split('\n');
  expect(lines.map(line => (JSON.parse(line) as { id: number; jsonrpc: string }).id).sort()).toEqual([1, 2, 3]);
});

describe('before it serves anything', () => {
  const cli = new CliWorld();
  it.each([
    ['an unknown right', ['--allow', 'bodies,replays'], 2, /^--allow: "replays"\n {2}allowed: .*bodies.*\n {2}fix: /],
    ['an unknown environment', ['--env', 'nowhere'], 2, /nowhere[\s\S]*local, prod/],
  ])('it refuses %s: given, allowed, what to do', async (_what, args, code, told) => {
    const result = await cli.run(['mcp', ...args]);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(told);
  });
});

/** Runs a command, and then what serves an agent; says what is loaded of the protocol's library. */
const LOADS = `
  import { registerHooks } from 'node:module';
  registerHooks({ resolve: (name, context, next) => {
    if (name.includes('modelcontextprotocol')) console.log('loads', name);
    return next(name, context);
  } });
  await import('./bin/holdfast.ts');
  console.log('ended');
  await import('./mcp/serve-agent.ts');
`;

it('no other command loads the library of the protocol', () => {
  const args = ['--input-type=module', '-e', LOADS, './bin/holdfast.ts', 'cost'];
  const [said, then] = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' }).split('ended');
  expect(said).toContain('Predicted');
  expect(said).not.toContain('loads');
  expect(then).toContain('loads @modelcontextprotocol/server');
});
