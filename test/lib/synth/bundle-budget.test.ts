import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { type BundleOptions, bundleFunctions, metafilePath } from '#lib/bundling/bundle-functions.ts';
import {
  type Bundles,
  FUNCTION_NAMES,
  type FunctionName,
  OUTBOUND_FUNCTION_NAMES,
} from '#lib/bundling/function-names.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { eagerPartOf as eagerPartOfBundle } from '#test/kit/bundles.ts';
import { FIXTURE_PROJECT } from '#test/kit/fixture-project.ts';

const run = promisify(execFile);
/** Bytes, as measured (docs/decisions/the-aws-sdk-is-the-one-client.md), and one percent. */
const INGEST_BUDGET = { raw: 308_000, gzip: 100_500 };
const config = resolveConfig(gateway, 'prod', PROVIDERS);

/** Another environment of the same build, with text that would break out of a careless literal. */
const ODD = `'"\\ \n \u2028 \${x} \`y\` $& $1 </script> \u{1f4a9}`;
const odder = {
  ...config,
  environment: 'odd',
  sources: [{ ...config.sources[0], settings: { odd: ODD } } as (typeof config.sources)[number]],
};

let folder: string;
let bundles: Bundles;
let oddBundles: Bundles;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-bundles-'));
  const built = await bundleFunctions({ configs: [config, odder], project: FIXTURE_PROJECT, outputFolder: folder });
  [bundles, oddBundles] = [built.get('prod') as Bundles, built.get('odd') as Bundles];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function bundleInto(outputFolder: string, options: Partial<BundleOptions> = {}): Promise<Bundles> {
  const byEnvironment = await bundleFunctions({
    configs: [config],
    project: FIXTURE_PROJECT,
    outputFolder,
    ...options,
  });
  return byEnvironment.get('prod') as Bundles;
}

async function expectWithin(bundle: string, budget: { readonly raw: number; readonly gzip: number }): Promise<void> {
  const { raw, gzip, modules } = await eagerPartOfBundle(bundle);
  const top = modules
    .slice(0, 15)
    .map(([module, bytes]) => `${bytes} ${module}`)
    .join('\n');
  expect(raw, `raw bytes; the largest modules:\n${top}`).toBeLessThanOrEqual(budget.raw);
  expect(gzip, `gzip bytes; the largest modules:\n${top}`).toBeLessThanOrEqual(budget.gzip);
}

const eagerPartOf = (name: FunctionName) => eagerPartOfBundle(bundles[name]);

it('of an environment that sends nothing hold nothing of the side that sends', async () => {
  // But the list of addresses that nobody may make us call: published keys are fetched by it, too.
  for (const name of FUNCTION_NAMES) {
    const { inputs } = JSON.parse(await readFile(metafilePath(bundles[name]), 'utf8')) as Metafile;
    expect(
      Object.keys(inputs).filter(path => /outbound/.test(path) && !path.includes('outbound/address/')),
      name,
    ).toEqual([]);
  }
  for (const name of OUTBOUND_FUNCTION_NAMES) await expect(readdir(bundles[name])).rejects.toThrow('ENOENT');
});

/** Loads the bundle in a process of its own, as Lambda's runtime does, and answers with Node's list of loaded modules. */
async function loadListOf(name: FunctionName): Promise<{ handler: string; builtins: string[] }> {
  const program = `
    const { handler } = await import(${JSON.stringify(`file://${join(bundles[name], 'index.mjs')}`)});
    process.stdout.write('@@' + JSON.stringify({ handler: typeof handler, builtins: process.moduleLoadList }));
    process.exit(0);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    env: {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      // Nothing listens there: priming fails at once and the function starts all the same.
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      ALARM_SERVICES: '{}',
      ...Object.fromEntries(
        [
          'EVENTS_TABLE',
          'SWEEP_FUNCTION',
          'PAYLOADS_TABLE',
          'BODIES_BUCKET',
          'WORK_QUEUE_URL',
          'DEAD_QUEUE_URL',
          'PROBE_URL',
          'PAGE_TOPIC',
          'PAYMENTS_TABLE',
          'PUSHES_TABLE',
        ].map(variable => [variable, 'http://127.0.0.1:1/x']),
      ),
    },
    timeout: 60_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(stdout.slice(stdout.lastIndexOf('@@') + 2));
}

describe('what a cold start reads', () => {
  it('is printed for every function, with the modules that weigh most', async () => {
    const lines = ['| function | files | raw | gzip | largest modules |', '|---|---|---|---|---|'];
    for (const name of FUNCTION_NAMES) {
      const { files, raw, gzip, modules } = await eagerPartOf(name);
      const top = modules.slice(0, 4).map(([module, bytes]) => `${module.split('/').slice(-2).join('/')} ${bytes}`);
      lines.push(`| ${name} | ${files.length} | ${raw} | ${gzip} | ${top.join(', ')} |`);
      expect(raw).toBeGreaterThan(10_000);
    }
    console.log(lines.join('\n'));
  });

  it('stays within the budget of ingest', () => expectWithin(bundles.ingest, INGEST_BUDGET));

  it.each(FUNCTION_NAMES)('has no validator, no credential chain, no S3 client in %s', async name => {
    const { modules } = await eagerPartOf(name);
    const banned = modules.filter(([module]) =>
      /^(?:zod|ajv)\/|nested-clients|credential-provider-(?!env)|client-(?:sts|sso|s3)|undici|powertools|lib-dynamodb/.test(
        module,
      ),
    );
    expect(banned).toEqual([]);
  });

  it.each(FUNCTION_NAMES)('starts, exports its handler and loads no undici in %s', async name => {
    const { handler, builtins } = await loadListOf(name);
    expect(handler).toBe('function');
    // The list is real: what the client needs is in it.
    expect(builtins).toContain('NativeModule tls');
    expect(builtins.filter(module => /undici/.test(module))).toEqual([]);
  });
});

describe('the S3 client', () => {
  it('is a file of its own, read with the first large body', async () => {
    for (const name of ['ingest', 'process'] as const) {
      const files = await readdir(bundles[name]);
      expect(files).toContain('lazy-s3-client.mjs');
      expect((await eagerPartOf(name)).files).not.toContain('lazy-s3-client.mjs');
    }
  });

  it('works in that file', async () => {
    const { createServer } = await import('node:http');
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url?.split('?')[0]}`);
      request.resume();
      if (request.url?.startsWith('/bodies/missing')) response.writeHead(404, { 'content-type': 'application/xml' });
      response.end(request.url?.startsWith('/bodies/missing') ? '<Error><Code>NoSuchKey</Code></Error>' : 'the bytes');
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      const { createS3Calls } = await import(/* @vite-ignore */ join(bundles.ingest, 'lazy-s3-client.mjs'));
      const calls = createS3Calls((client: unknown) => client, {
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      });
      await calls.put('bodies', 'a', new Uint8Array(3));
      expect(Buffer.from(await calls.get('bodies', 'a')).toString()).toBe('the bytes');
      expect(await calls.get('bodies', 'missing')).toBeUndefined();
    } finally {
      await new Promise(resolve => server.close(resolve));
    }
    expect(seen).toEqual(['PUT /bodies/a', 'GET /bodies/a', 'GET /bodies/missing']);
  });
});

describe('a dictionary', () => {
  it('is a file of its own, the same as in the sources, wherever bodies are read or written', async () => {
    const sources = join(import.meta.dirname, '../../../adapters/codec/dictionaries');
    const texts = (await readdir(sources)).filter(name => name.endsWith('.txt'));
    expect(texts).toHaveLength(3);
    for (const name of ['ingest', 'process', 'reconcile-providers'] as const) {
      for (const text of texts) {
        expect(await readFile(join(bundles[name], text))).toEqual(await readFile(join(sources, text)));
      }
    }
    expect(await readdir(bundles.sweep)).not.toContain(texts[0]);
  });
});

describe('the configuration', () => {
  it('is baked in, without the text that only people read', async () => {
    const code = await readFile(join(bundles.ingest, 'index.mjs'), 'utf8');
    expect(code).toContain('/webhooks/standard-webhooks');
    expect(code).not.toMatch(/HOLDFAST_CONFIG/);
    expect(code.split('/webhooks/standard-webhooks')).toHaveLength(2);
    expect(code).not.toContain(PROVIDERS['stripe']?.setup.slice(0, 40));
  });
});

describe('text in the configuration', () => {
  it('comes out of the bundle as it went in, whatever characters it has', async () => {
    const code = await readFile(join(oddBundles.audit, 'index.mjs'), 'utf8');
    const literal = /JSON\.parse\(('(?:[^'\\]|\\.)*')\)/s.exec(code)?.[1];
    const baked = JSON.parse(runInNewContext(literal ?? ''));
    expect(baked.sources[0].settings).toEqual({ odd: ODD });
    expect(baked.timings).toEqual(config.timings);
  });
});

describe('a bundle', () => {
  const hashOf = async (root: string): Promise<string> => {
    const hash = createHash('sha256');
    for (const file of (await readdir(root)).sort()) hash.update(file).update(await readFile(join(root, file)));
    return hash.digest('hex');
  };

  it('is the same bytes from the same sources, in another folder and another region', async () => {
    const again = await mkdtemp(join(tmpdir(), 'holdfast-again-'));
    const elsewhere = { ...config, region: 'ap-southeast-2' };
    const second = await bundleInto(join(again, 'deeper'), { configs: [elsewhere], functions: ['ingest'] });
    expect(await hashOf(second.ingest)).toBe(await hashOf(bundles.ingest));
    await rm(again, { recursive: true });
  });

  it('keeps no file of an earlier build, and leaves alone what is the same', async () => {
    const { utimes, stat } = await import('node:fs/promises');
    await writeFile(join(bundles.sweep, 'chunk-OLD.mjs'), 'x');
    await utimes(join(bundles.sweep, 'index.mjs'), 1, 1);
    await bundleInto(folder, { functions: ['sweep'] });
    expect(await readdir(bundles.sweep)).not.toContain('chunk-OLD.mjs');
    expect((await stat(join(bundles.sweep, 'index.mjs'))).mtimeMs).toBe(1000);
  });
});
