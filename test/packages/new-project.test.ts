/**
 * From the packed tarballs, in an empty folder, with npm and with pnpm on the oldest Node that is supported:
 * 1. Create, install, test, synth of prod and a signed event completed take less than three minutes.
 * 2. Whoever then follows docs/receive/your-own-project.md has a provider, a handler and a table of their own live.
 * 3. Whoever follows docs/send/first-message.md sees a customer's server verify a published webhook.
 * 4. Whoever follows docs/receive/first-event.md has an invoice of Stripe in a table, once.
 * 5. Both packages are as publint and "are the types wrong?" want them.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLongRun } from '#test/kit/long-run.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { readGuide, startProject, writeFiles } from './guide.ts';
import { makeTarballs, type Tarballs } from './tarballs.ts';

const exec = promisify(execFile);
const MINUTE = 60_000;
/** The oldest that packages/manifest.ts allows has no package of its own in the registry; this line does. */
const NODE_22 = `node-${process.platform}-${process.arch}@22`;

describe.skipIf(!isLongRun())('from the packed tarballs', () => {
  let folder: string;
  let tarballs: Tarballs;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-new-'));
    tarballs = await makeTarballs(folder);
  }, 2 * MINUTE);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = async (command: string, args: readonly string[], cwd = folder, env: Record<string, string> = {}) =>
    (await exec(command, [...args], { cwd, env: { ...process.env, NO_COLOR: '1', ...env } })).stdout;

  interface Tools {
    readonly manager: 'npm' | 'pnpm';
    readonly execute: readonly [string, ...string[]];
    readonly env: Record<string, string>;
  }

  async function firstThreeMinutes({ manager, execute, env }: Tools): Promise<void> {
    const begun = Date.now();
    const options = ['--providers', 'stripe,github', '--holdfast', `file:${tarballs.holdfast}`];
    const name = `my-${manager}-webhooks`;
    await run('node', [tarballs.create, name, ...options], folder, env);
    const project = join(folder, name);
    await run(manager, ['install'], project, env);
    expect(await run(manager, ['test'], project, env)).toMatch(/Tests +2 passed/);
    const [program, ...before] = execute;
    await run(program, [...before, 'cdk', 'synth', 'prod/*', '--quiet'], project, env);
    const start = ['run', 'start', ...(manager === 'npm' ? ['--'] : []), '--once', '--port', String(await freePort())];
    expect(await run(manager, start, project, env)).toContain('2 of 2 sample events completed');
    expect((Date.now() - begun) / 1_000).toBeLessThan(180);
  }

  it(
    'a project with npm: installed, tested, synthesized, and an event through it, in three minutes',
    () => firstThreeMinutes({ manager: 'npm', execute: ['npx'], env: {} }),
    6 * MINUTE,
  );

  it(
    'the guide to a first outbound webhook, word by word: the customer verifies it, once',
    async () => {
      const project = join(folder, 'my-npm-webhooks');
      const { files, commands } = await readGuide('send/first-message.md');
      expect([...files.keys()]).toEqual(['gateway.config.ts', 'receiver.ts', 'publish.ts']);
      // The first test made the project with the options of this page.
      expect(commands[0]).toContain('npm run create -- ../my-webhooks --providers stripe,github\n');
      expect(commands[1]).toBe('npm start\n');
      const begun = Date.now();
      await writeFiles(project, files);
      const [port, receiver] = [String(await freePort()), String(await freePort())];
      await writeFile(join(project, 'receiver.ts'), files.get('receiver.ts')?.replace('4000', receiver) ?? '');
      const { printed, stop } = await startProject(project, port);
      try {
        const exported = printed.find(line => line.startsWith('  export AWS_ENDPOINT_URL='));
        const script = [exported, ...commands.slice(2)].join('\n').replaceAll('4000', receiver);
        const env = { ...process.env, NO_COLOR: '1', HOLDFAST_PORT: port };
        const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
          ...{ cwd: project, env, detached: true },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let said = '';
        shell.stdout.on('data', (chunk: Buffer) => (said += chunk));
        try {
          const [code] = await once(shell, 'exit');
          expect(code, said).toBe(0);
          await expect.poll(() => said, { timeout: 30_000 }).toMatch(/verified msg_/);
        } finally {
          // With the receiver, which the script left running.
          if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
        }
        const [, id] = /^published (msg_\w+)$/m.exec(said) ?? [];
        expect(said).toContain(`published ${id}, which had been published before\n`);
        const verified = [...said.matchAll(/^verified (\S+): (.*)$/gm)];
        expect(verified.map(([, message]) => message)).toEqual([id]);
        expect(JSON.parse(verified[0]?.[2] ?? '')).toMatchObject({
          type: 'invoice.paid',
          data: { invoice: 'in_1042', amount: 1200 },
        });
        expect(said).not.toContain('refused');
        const link = /http:\/\/127\.0\.0\.1:\d+\/\S+\/portal#token=hfp_\S+/;
        for (const text of [printed.join('\n'), said]) {
          const page = await fetch(link.exec(text)?.[0] ?? 'no link was printed');
          expect([page.status, await page.text()]).toEqual([
            200,
            expect.stringContaining('<title>Acme webhooks</title>'),
          ]);
        }
        expect((Date.now() - begun) / 1_000).toBeLessThan(180);
      } finally {
        await stop();
      }
    },
    6 * MINUTE,
  );

  it(
    "the guide to a project of one's own, word by word: an own provider, handler and table are live",
    async () => {
      const project = join(folder, 'my-npm-webhooks');
      const { files, commands } = await readGuide('receive/your-own-project.md');
      expect(files.size).toBe(6);
      expect(commands[1]).toBe('npm run holdfast -- sources new acme\n');
      const port = String(await freePort());
      const { stop } = await startProject(project, port);
      try {
        const begun = Date.now();
        await run('bash', ['-e', '-c', commands[1] ?? ''], project);
        await writeFiles(project, files);
        expect(await run('npm', ['test'], project)).toMatch(/Tests +4 passed/);
        const env = { HOLDFAST_PORT: port };
        await run('npm', ['run', 'deploy', '--', 'local'], project, env);
        const send = ['run', 'holdfast', '--', 'send', 'acme', '--body-file', 'parcel.json', '--wait', '60'];
        expect(await run('npm', send, project, env)).toMatch(/evt_acme\.evt_77 +completed/);
        expect((Date.now() - begun) / 1_000).toBeLessThan(180);
      } finally {
        await stop();
      }
    },
    8 * MINUTE,
  );

  it(
    'the guide to a first event, word by word: an invoice is kept once, and a repetition is known',
    async () => {
      const project = join(folder, 'my-npm-webhooks');
      const { files, commands } = await readGuide('receive/first-event.md');
      expect([...files.keys()]).toEqual([
        'handlers/stripe.ts',
        'handlers/index.ts',
        'handlers/resources.ts',
        'test/stripe.test.ts',
        'invoice.json',
      ]);
      const send = 'npm run holdfast -- send stripe --body-file invoice.json --wait 60\n';
      expect(commands.slice(1, 3)).toEqual(['npm test\n', `npm run deploy -- local\n${send}`]);
      await writeFiles(project, files);
      // What the guide before this one left there has a handler no more.
      for (const gone of ['test/acme.test.ts', 'test/acme-provider.test.ts', 'test/github.test.ts'])
        await rm(join(project, gone), { force: true });
      expect(await run('npm', ['test'], project)).toMatch(/Tests +2 passed/);
      const port = String(await freePort());
      const { stop } = await startProject(project, port);
      try {
        const script = [commands[2], send].join('');
        const said = await run('bash', ['-e', '-c', script], project, { HOLDFAST_PORT: port });
        expect(said).toMatch(/evt_stripe\.evt_77 +completed/);
        expect(said).toMatch(/evt_stripe\.evt_77 +duplicate/);
      } finally {
        await stop();
      }
    },
    6 * MINUTE,
  );

  it(
    'the same with pnpm and Node 22',
    async () => {
      const tools = join(folder, 'tools');
      await run('npm', ['install', '--silent', '--prefix', tools, 'pnpm@12.21.0', NODE_22]);
      const bin = join(tools, 'node_modules/.bin');
      const env = { PATH: `${bin}${delimiter}${process.env['PATH']}` };
      expect(await run('node', ['--version'], folder, env)).toMatch(/^v22\./);
      const version = (await run('pnpm', ['--version'], folder, env)).trim();
      const agent = { ...env, npm_config_user_agent: `pnpm/${version} npm/? node/v22` };
      await firstThreeMinutes({ manager: 'pnpm', execute: ['pnpm', 'exec'], env: agent });
    },
    6 * MINUTE,
  );

  it(
    'publint and "are the types wrong?" find nothing',
    async () => {
      const tools = join(folder, 'judges');
      await run('npm', ['install', '--silent', '--prefix', tools, 'publint@0.3.25', '@arethetypeswrong/cli@0.18.5']);
      const bin = (name: string) => join(tools, 'node_modules/.bin', name);
      for (const name of ['holdfast', 'create-holdfast', 'holdfast-publish'])
        await run(bin('publint'), ['--strict', join(folder, 'packages', name)]);
      // The package is for `import` only: what CommonJS and the resolution of 2015 would make of it is no question.
      await run(bin('attw'), [tarballs.holdfast, '--profile', 'esm-only']);
    },
    3 * MINUTE,
  );
});
