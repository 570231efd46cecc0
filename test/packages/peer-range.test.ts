/**
 * In an app that exists: `holdfast`, installed beside the oldest CDK that its peer range allows, and beside the newest,
 * synthesizes every kind of stack, with the same resources. Long: each installation takes half a minute.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { buildPackages, packAll } from '#packages/build.ts';
import { PEERS } from '#packages/manifest.ts';
import { isLongRun } from '#test/kit/long-run.ts';

const exec = promisify(execFile);

/** Prints `<stack> <logical id> <type>` of every resource. */
const APP = `
import { readdirSync, readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib/core';
import { HoldfastStage, prepareGateway } from 'holdfast/cdk';
import { handlers } from './handlers/index.ts';

const gateway = {
  sources: { stripe: { provider: 'stripe' }, shopify: { provider: 'shopify' } },
  environments: {
    prod: {
      publicUrl: 'https://hooks.example.com',
      edge: { apiUrl: 'https://abc123.execute-api.eu-central-1.amazonaws.com', requestsPerMinute: 1_000 },
      probe: true,
      outbound: { portal: { name: 'Acme' } },
      account: '123456789012',
      region: 'eu-central-1',
      alarmTargets: { page: [{ email: 'oncall@example.com' }], ticket: [] },
    },
  },
};
const prepared = await prepareGateway({ gateway, handlers, environment: 'prod', project: process.cwd() });
const app = new App({ analyticsReporting: false });
new HoldfastStage(app, 'Webhooks', { prepared });
const { directory } = app.synth();
const templates = readdirSync(directory, { recursive: true }).filter(file => file.endsWith('.template.json'));
for (const file of templates) {
  const { Resources } = JSON.parse(readFileSync(directory + '/' + file, 'utf8'));
  for (const [id, { Type }] of Object.entries(Resources)) console.log(file.replace(/^.*\\//, ''), id, Type);
}
`;
const HANDLERS = `
import { defineHandlers, done } from 'holdfast';
export const handlers = defineHandlers([{ source: 'stripe', type: '*', handle: async () => done() }]);
`;

it.skipIf(!isLongRun())(
  'the oldest and the newest CDK of the peer range make the same stacks',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-peers-'));
    try {
      const built = await buildPackages({ folder: join(folder, 'packages'), declarations: false });
      const { holdfast } = packAll(built);
      const resourcesWith = async (name: string, prefix: string): Promise<readonly string[]> => {
        const cwd = join(folder, name);
        await mkdir(join(cwd, 'handlers'), { recursive: true });
        await writeFile(join(cwd, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
        await writeFile(join(cwd, 'app.ts'), APP);
        await writeFile(join(cwd, 'handlers/index.ts'), HANDLERS);
        const peers = Object.entries(PEERS).map(([peer, range]) => `${peer}@${range.replace('^', prefix)}`);
        await exec('npm', ['install', '--no-audit', '--no-fund', ...peers, holdfast], { cwd });
        const { stdout } = await exec('node', ['app.ts'], { cwd, maxBuffer: 2 ** 26 });
        return stdout.trim().split('\n').sort();
      };
      const oldest = await resourcesWith('oldest', '');
      const newest = await resourcesWith('newest', '^');
      expect(oldest.length).toBeGreaterThan(100);
      expect(newest).toEqual(oldest);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  600_000,
);
