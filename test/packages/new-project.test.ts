/** Claim: from the packed tarballs, in an empty folder: create, install, test, synth of prod, a signed event completed, in three minutes. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { buildPackages } from '#packages/build.ts';
import { freePort } from '#test/kit/free-port.ts';
import { isLongRun } from '#test/kit/long-run.ts';

const exec = promisify(execFile);

it.skipIf(!isLongRun())(
  'a new project: installed from tarballs, tested, synthesized, and an event through it',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-new-'));
    const run = async (command: string, args: readonly string[], cwd = folder) =>
      (await exec(command, [...args], { cwd, env: { ...process.env, NO_COLOR: '1' } })).stdout;
    const pack = (path: string) => run('npm', ['pack', '--silent', path]).then(name => join(folder, name.trim()));
    try {
      const { holdfast, create } = await buildPackages({ folder: join(folder, 'packages') });
      const [tarball, creator] = [await pack(holdfast), await pack(create)];
      await run('tar', ['xzf', creator]);

      const begun = Date.now();
      const options = ['--providers', 'stripe,github', '--holdfast', `file:${tarball}`];
      await run(process.execPath, ['package/dist/main.js', 'my-webhooks', ...options]);
      const project = join(folder, 'my-webhooks');
      await run('npm', ['install', '--no-audit', '--no-fund'], project);
      expect(await run('npm', ['test'], project)).toMatch(/Tests +2 passed/);
      await run('npx', ['cdk', 'synth', 'prod/*', '--quiet'], project);
      const port = String(await freePort());
      expect(await run('npm', ['start', '--', '--once', '--port', port], project)).toContain(
        '2 of 2 sample events completed',
      );
      expect((Date.now() - begun) / 1_000).toBeLessThan(180);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  600_000,
);
