/** Ingest with a source of every provider: what a cold start reads, and that each source works when it is first asked. */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { bundleFunctions, metafilePath } from '#lib/bundling/bundle-functions.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { FIXTURE_PROJECT } from '#test/kit/fixture-project.ts';
import { isLongRun } from '#test/kit/long-run.ts';

const run = promisify(execFile);
const BUDGET = { raw: 315_000, gzip: 103_000 };
const ROUNDS = 31;
const environment = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  // Nothing listens there: priming fails at once and the function starts all the same.
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  ...Object.fromEntries(
    ['EVENTS_TABLE', 'PAYLOADS_TABLE', 'BODIES_BUCKET', 'WORK_QUEUE_URL'].map(name => [name, 'http://127.0.0.1:1/x']),
  ),
};

const all = defineGateway({
  sources: Object.fromEntries(
    Object.values(PROVIDERS).map(({ id, settings = {} }) => [
      id,
      {
        provider: id,
        allowList: ['0.0.0.0/0', '::/0'],
        settings: Object.fromEntries(Object.keys(settings).map(name => [name, `${name} of ${id}`])),
      },
    ]),
  ),
  environments: { prod: { publicUrl: 'https://hooks.example.com' } },
});

let root: string;
const folders = { few: '', all: '' };
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-all-'));
  // One build for both: the configuration is baked into it afterwards, under the name of its environment.
  const configs = [
    { ...resolveConfig(gateway, 'prod', PROVIDERS), environment: 'few' },
    { ...resolveConfig(all, 'prod', PROVIDERS), environment: 'all' },
  ];
  const bundles = await bundleFunctions({
    configs,
    project: FIXTURE_PROJECT,
    functions: ['ingest'],
    outputFolder: root,
  });
  for (const name of ['few', 'all'] as const) folders[name] = bundles.get(name)?.ingest ?? '';
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Runs a script with the handler loaded as Lambda's runtime does. */
async function inChild(folder: string, script: string): Promise<string> {
  const program = `const { handler } = await import(${JSON.stringify(`file://${join(folder, 'index.mjs')}`)}); ${script}; process.exit(0);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { env: environment });
  return stdout;
}

describe('ingest with every provider', () => {
  it('reads no more at a cold start than its budget', async () => {
    const metafile: Metafile = JSON.parse(await readFile(metafilePath(folders.all), 'utf8'));
    const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
    const eager = new Set<string>();
    const visit = (file: string): void => {
      if (!outputs.has(file) || eager.has(file)) return;
      eager.add(file);
      for (const { kind, path } of outputs.get(file)?.imports ?? [])
        if (kind === 'import-statement') visit(basename(path));
    };
    visit('index.mjs');
    const texts = await Promise.all([...eager].map(file => readFile(join(folders.all, file))));
    const raw = texts.reduce((sum, bytes) => sum + bytes.length, 0);
    const gzip = texts.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0);
    console.log(`ingest with ${Object.keys(PROVIDERS).length} providers: ${raw} bytes, ${gzip} gzipped`);
    expect(raw).toBeLessThanOrEqual(BUDGET.raw);
    expect(gzip).toBeLessThanOrEqual(BUDGET.gzip);
  });

  it('keeps each source in a file of its own; with a few they are in the code', async () => {
    const sources = (await readdir(folders.all)).filter(name => name.startsWith('source-'));
    expect(sources.sort()).toEqual(
      Object.keys(PROVIDERS)
        .map(id => `source-${id}.json`)
        .sort(),
    );
    expect((await readdir(folders.few)).filter(name => name.startsWith('source-'))).toEqual([]);
  });

  it('reads a source when it is first asked for, and only that one', async () => {
    const script = `
      const { readFileSync } = process.getBuiltinModule('node:fs');
      const ask = (method, source, rawQueryString) => handler({
        version: '2.0', routeKey: method + ' /webhooks/' + source, rawPath: '/webhooks/' + source, rawQueryString,
        headers: {}, isBase64Encoded: false, body: '',
        requestContext: { http: { method, path: '/webhooks/' + source, sourceIp: '192.0.2.1' } },
      }, { getRemainingTimeInMillis: () => 2_000 });
      const { unlinkSync } = process.getBuiltinModule('node:fs');
      unlinkSync(${JSON.stringify(join(folders.all, 'source-meta.json'))});
      const answers = [];
      for (const args of [['GET', 'adobe', 'challenge=abc'], ['PUT', 'stripe', ''], ['POST', 'nobody', ''], ['POST', 'meta', '']])
        answers.push(await ask(...args).then(({ statusCode, body }) => [statusCode, body], error => ['failed', error.message]));
      console.log('@@' + JSON.stringify(answers))`;
    const stdout = await inChild(folders.all, script);
    const answers = JSON.parse(stdout.slice(stdout.lastIndexOf('@@') + 2)) as [number, string][];
    expect(answers[0]).toEqual([200, 'abc']);
    // The file of the last one is gone: only that source fails, and its provider tries again.
    expect(answers.map(([status]) => status)).toEqual([200, 405, 404, 500]);
  });

  it.runIf(isLongRun())(
    'starts as fast as with a few',
    async () => {
      const cpuOf = async (folder: string): Promise<number> => {
        const stdout = await inChild(
          folder,
          "const { user, system } = process.cpuUsage(); console.log('@@' + (user + system))",
        );
        return Number(stdout.slice(stdout.lastIndexOf('@@') + 2));
      };
      const times = { few: [] as number[], all: [] as number[] };
      for (let round = -2; round < ROUNDS; round++) {
        for (const name of round % 2 === 0 ? (['few', 'all'] as const) : (['all', 'few'] as const)) {
          const cpu = await cpuOf(folders[name]);
          if (round >= 0) times[name].push(cpu);
        }
      }
      const [few, every] = [median(times.few), median(times.all)];
      console.log(
        `start, CPU median of ${ROUNDS}: ${few / 1_000} ms with six sources, ${every / 1_000} ms with all: ratio ${(every / few).toFixed(3)}`,
      );
      expect(every / few).toBeLessThanOrEqual(1.03);
    },
    300_000,
  );
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
