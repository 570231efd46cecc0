import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findPython } from '#local/python.ts';
import { localDirectory, REPO_ROOT } from '#local/workspace.ts';
import { copyApp, freePort } from './gateway-under-test.ts';
import { reportMissingPython } from './needs-python.ts';

const python = await findPython();
reportMissingPython(python);

describe('npm start', () => {
  it('says in one line what to install when there is no Python', async () => {
    const app = await copyApp('no-python');
    const run = start(['--once'], { root: app, env: { HOLDFAST_PYTHON: '/there/is/no/python' } });
    expect(await run.exitCode).toBe(1);
    expect(run.stderr().trim().split('\n')).toEqual([
      expect.stringMatching(/^Python 3\.10 or newer was not found\. Install it/),
    ]);
    await rm(app, { recursive: true, force: true });
  });

  it.skipIf(!python)('names a busy port and how to choose another', async () => {
    const server = createServer();
    const port = await new Promise<number>(resolve => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    const run = start(['--once', '--port', String(port)]);
    expect(await run.exitCode).toBe(1);
    expect(run.stderr()).toMatch(
      new RegExp(`^Port ${port} is in use by another program\\. Choose another one: npm start -- --port`),
    );
    server.close();
  });

  it('refuses an AWS_ENDPOINT_URL of the real AWS, and one where nothing answers', async () => {
    const real = start(['--once'], { env: { AWS_ENDPOINT_URL: 'https://dynamodb.eu-west-1.amazonaws.com' } });
    expect(await real.exitCode).toBe(1);
    expect(real.stderr()).toContain('npm run deploy -- dev');
    const silent = start(['--once'], { env: { AWS_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` } });
    expect(await silent.exitCode).toBe(1);
    expect(silent.stderr()).toContain('Nothing answers at AWS_ENDPOINT_URL');
  });

  describe.skipIf(!python)('with a local AWS', () => {
    const runs: Run[] = [];
    let port = 0;
    afterAll(async () => {
      for (const run of runs) run.child.kill('SIGKILL');
      await rm(localDirectory(port), { recursive: true, force: true });
    });

    it('deploys, completes the samples and follows events; a second run joins it; Ctrl-C ends both', async () => {
      port = await freePort();
      const first = start(['--port', String(port)]);
      runs.push(first);
      await first.waitForOutput(/Events as they come/);
      expect(first.stdout()).toMatch(
        /payment_intent\.succeeded[\s\S]*accepted[\s\S]*pending[\s\S]*processing[\s\S]*completed/,
      );
      expect(first.stdout()).toMatch(/push[\s\S]*accepted[\s\S]*pending[\s\S]*processing[\s\S]*completed/);

      const second = start(['--once', '--port', String(port)]);
      runs.push(second);
      expect(await second.exitCode, second.stderr()).toBe(0);
      expect(second.stdout()).toContain('already running');
      expect(second.stdout()).toContain('not deployed again');
      // The second run's samples are events like any other.
      await first.waitForOutput(/Events as they come[\s\S]*payment_intent\.succeeded\s+completed/);

      first.child.kill('SIGINT');
      expect(await first.exitCode, first.stderr()).toBe(0);
      await expect(fetch(`http://127.0.0.1:${port}/_ministack/health`)).rejects.toThrow();
      expect(existsSync(join(localDirectory(port), 'emulator.json'))).toBe(false);
    }, 150_000);
  });
});

interface Run {
  readonly child: ChildProcess;
  readonly exitCode: Promise<number | null>;
  stdout(): string;
  stderr(): string;
  waitForOutput(pattern: RegExp): Promise<void>;
}

function start(args: readonly string[], options: { root?: string; env?: Readonly<Record<string, string>> } = {}): Run {
  const root = options.root ?? REPO_ROOT;
  const { AWS_ENDPOINT_URL: _endpoint, HOLDFAST_PORT: _port, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, 'local/start.ts'), ...args], {
    cwd: root,
    env: { ...env, NO_COLOR: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', chunk => (stdout += String(chunk)));
  child.stderr.on('data', chunk => (stderr += String(chunk)));
  const exitCode = new Promise<number | null>(resolve => child.once('close', resolve));
  return {
    child,
    exitCode,
    stdout: () => stdout,
    stderr: () => stderr,
    waitForOutput: pattern =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!pattern.test(stdout)) return;
          child.stdout.removeListener('data', look);
          resolve();
        };
        child.stdout.on('data', look);
        child.once('close', () => reject(new Error(`ended before printing ${pattern}:\n${stdout}\n${stderr}`)));
        look();
      }),
  };
}
