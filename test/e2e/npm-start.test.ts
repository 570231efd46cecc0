import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findPython } from '#local/emulator/python.ts';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { BROWSER_PATH, openBrowser } from '#test/kit/browser.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { copyApp } from './gateway-under-test.ts';
import { reportMissingPython } from './needs-python.ts';
import { runScript } from './run-script.ts';

const python = await findPython();
reportMissingPython(python);

async function deployFixedHandler(root: string, port: number): Promise<void> {
  const handler = join(root, 'handlers/github-push-log.ts');
  await writeFile(handler, (await readFile(handler, 'utf8')).replace("'logged_push'", "'fixed_push'"));
  const deploy = runScript('deploy', ['local'], { root });
  expect(await deploy.exitCode, deploy.stderr()).toBe(0);
  expect(deploy.stdout()).toContain(`local at http://127.0.0.1:${port} runs your code now.`);
}

/** Where a command of the CLI is typed. */
interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Twelve requests with a wrong signature: in the live view, `refused ls` and `status` within two seconds, each with why. */
async function seeRefused(running: ReturnType<typeof runScript>, place: Place): Promise<void> {
  const url = /stripe +(http\S+\/webhooks\/stripe)/.exec(running.stdout())?.[1] ?? '';
  const begun = Date.now();
  const signature = `t=${Math.floor(begun / 1_000)},v1=${'0'.repeat(64)}`;
  const request = { method: 'POST', headers: { 'stripe-signature': signature }, body: '{"id":"evt_wrong"}' };
  for (let n = 0; n < 12; n++) expect((await fetch(url, request)).status).toBe(401);
  const sentAt = Date.now();
  await running.waitForOutput(/(?:stripe +mismatch +refused +The secret here is not [^\n]*\n[\s\S]*?){12}/);
  // A machine that synthesizes and starts browsers beside it adds its own.
  expect(Date.now() - sentAt, 'milliseconds until all were seen').toBeLessThan(isLongRun() ? 2_000 : 10_000);
  const program = join(PACKAGE_ROOT, 'bin/holdfast.ts');
  const holdfast = (...args: string[]): Promise<string> =>
    promisify(execFile)(process.execPath, [program, ...args], place).then(
      it => it.stdout,
      // The dead letter needs a person, so `status` exits 1.
      (error: { stdout: string }) => error.stdout,
    );
  const [listed, status] = await Promise.all([holdfast('refused', 'ls', '--json'), holdfast('status')]);
  const likely = (JSON.parse(listed) as { likely: string }[]).map(it => it.likely);
  expect(likely).toEqual(Array.from({ length: 12 }, () => expect.stringMatching(/^The secret here is not/)));
  expect(status).toMatch(/refused +stripe: 12 mismatch/);
}

/** The page of `npm start`: the sample events are there, and a webhook sent by curl is, within a second of its answer. */
async function seeOnThePage(printed: string): Promise<void> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(/http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/.exec(printed)?.[0] ?? 'no address was printed');
    await page.locator('.event-line', { hasText: 'payment_intent.succeeded' }).first().waitFor();
    await page.locator('.side [role=status]', { hasText: 'live' }).waitFor();
    const before = await page.locator('.events .event-line').count();
    const curl = /^ {2}(curl [\s\S]*?)\n\n/m.exec(printed)?.[1] ?? 'no command was printed';
    await promisify(execFile)('bash', ['-c', curl.replace('curl', 'curl -sf')]);
    const answeredAt = Date.now();
    const lines = () => page.locator('.events .event-line').count();
    await expect.poll(lines, { interval: 50, timeout: 20_000 }).toBeGreaterThan(before);
    const ms = Date.now() - answeredAt;
    console.log(`a webhook by curl was on the screen ${ms} ms after its answer`);
    expect(ms).toBeLessThan(isLongRun() ? 1_000 : 5_000);
  } finally {
    await browser.close();
  }
}

// A machine with two busy cores may starve the emulator once; twice is a fault.
describe('npm start', { retry: 1 }, () => {
  it.skipIf(!python)(
    'completes its samples; pages; takes a fixed handler in the long run; a second run joins; Ctrl-C ends both',
    async () => {
      const root = await copyApp('start', { emulator: true });
      const port = await freePort();
      const first = runScript('start', ['--port', String(port)], { root });
      try {
        await first.waitForOutput(/Events as they come/);
        expect(first.stdout()).toMatch(
          /payment_intent\.succeeded[\s\S]*accepted[\s\S]*pending[\s\S]*processing[\s\S]*completed/,
        );
        expect(first.stdout()).toMatch(/push[\s\S]*accepted[\s\S]*pending[\s\S]*processing[\s\S]*completed/);

        // Soon: the signature of the command that was printed is valid for five minutes.
        if (BROWSER_PATH !== undefined) await seeOnThePage(first.stdout());

        // On call: an event that its handler cannot take, and the message. A long run deploys a fixed handler as well.
        const poison = join(root, 'poison.json');
        await writeFile(
          poison,
          JSON.stringify({ id: 'evt_p', type: 'payment_intent.succeeded', data: { object: {} } }),
        );
        const send = [join(PACKAGE_ROOT, 'bin/holdfast.ts'), 'send', 'stripe', '--body-file', poison];
        // In the copy: this repository's own configuration may be somebody's.
        const place = { cwd: root, env: { ...process.env, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` } };
        await promisify(execFile)(process.execPath, send, place);
        const paged = first.waitForOutput(
          /Message to on-call\n +ALARM: holdfast-local-process-new-dead-letters\n[\s\S]*Show it: .*events get evt_stripe\.evt_p /,
        );
        paged.catch(() => undefined);
        if (isLongRun()) await deployFixedHandler(root, port);
        await paged;

        await seeRefused(first, place);

        const second = runScript('start', ['--once', '--port', String(port)], { root });
        expect(await second.exitCode, second.stderr()).toBe(0);
        expect(second.stdout()).toContain('already running');
        expect(second.stdout()).toContain('not deployed again');
        // The second run's samples are events like any other.
        await first.waitForOutput(/Events as they come[\s\S]*payment_intent\.succeeded\s+completed/);
        const action = isLongRun() ? 'fixed_push' : 'logged_push';
        await first.waitForOutput(new RegExp(`Events as they come[\\s\\S]*push\\s+completed .*${action}`));

        first.child.kill('SIGINT');
        expect(await first.exitCode, first.stderr()).toBe(0);
        await expect(fetch(`http://127.0.0.1:${port}/_ministack/health`)).rejects.toThrow();
        expect(existsSync(join(root, `.holdfast/local-${port}/cdk.log`))).toBe(true);
        expect(existsSync(join(root, `.holdfast/local-${port}/emulator.json`))).toBe(false);
      } finally {
        first.child.kill('SIGKILL');
        await rm(root, { recursive: true, force: true });
      }
    },
    420_000,
  );

  it('says in one line what to install when there is no Python', async () => {
    const app = await copyApp('no-python');
    const free = ['--once', '--port', String(await freePort())];
    const run = runScript('start', free, { root: app, env: { HOLDFAST_PYTHON: '/there/is/no/python' } });
    expect(await run.exitCode).toBe(1);
    expect(run.stderr().trim().split('\n')).toEqual([
      expect.stringMatching(/^Python 3\.10 or newer was not found\. Install it/),
    ]);
    // A busy port is known before anything is installed.
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const args = ['--once', '--port', String(port)];
    const busy = runScript('start', args, { root: app, env: { HOLDFAST_PYTHON: '/there/is/no/python' } });
    expect(await busy.exitCode).toBe(1);
    expect(busy.stderr()).toContain(`Port ${port} is in use by another program`);
    server.close();
    await rm(app, { recursive: true, force: true });
  });

  it.skipIf(!python)('names a busy port and how to choose another', async () => {
    const server = createServer();
    const port = await new Promise<number>(resolve => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    const run = runScript('start', ['--once', '--port', String(port)]);
    expect(await run.exitCode).toBe(1);
    expect(run.stderr()).toMatch(
      new RegExp(`^Port ${port} is in use by another program\\. Choose another one: npm start -- --port`),
    );
    server.close();
  });

  it('refuses an AWS_ENDPOINT_URL of the real AWS, and one where nothing answers', async () => {
    const real = runScript('start', ['--once'], {
      env: { AWS_ENDPOINT_URL: 'https://dynamodb.eu-west-1.amazonaws.com' },
    });
    expect(await real.exitCode).toBe(2);
    expect(real.stderr()).toContain('npm run deploy -- dev');
    const silent = runScript('start', ['--once'], {
      env: { AWS_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` },
    });
    expect(await silent.exitCode).toBe(1);
    expect(silent.stderr()).toContain('Nothing answers at AWS_ENDPOINT_URL');
  });
});

describe('npm run deploy', () => {
  it.each([
    [[], /^Usage: npm run deploy -- <environment> \[--yes\] \[--beside\]\nEnvironments in gateway\.config\.ts: dev, /],
    [['--destroy', 'local'], /^The environment "local" ends with its local AWS: press Ctrl-C where it runs/],
    [['dev'], /^Deploying dev needs a confirmation: add --yes/],
    [['--destroy', 'dev'], /^Destroying dev needs a confirmation: add --yes/],
  ])('with %j says what to do instead', async (args, message) => {
    const run = runScript('deploy', args);
    expect(await run.exitCode).toBe(2);
    expect(run.stderr()).toMatch(message);
  });

  it('to this machine says what to start when nothing runs', async () => {
    const run = runScript('deploy', ['local'], { env: { HOLDFAST_PORT: String(await freePort()) } });
    expect(await run.exitCode).toBe(1);
    expect(run.stderr()).toMatch(
      /^No local AWS is running to deploy local to\. Start it in another terminal: npm start/,
    );
  });

  it('names the environments when there is none of that name', async () => {
    const run = runScript('deploy', ['prud', '--yes']);
    expect(await run.exitCode).toBe(1);
    expect(run.stderr()).toMatch(/no environment "prud"; allowed: local, .*did you mean prod\?/);
  });
});
