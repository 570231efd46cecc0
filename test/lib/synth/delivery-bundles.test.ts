/** Bundles of the delivery stack: there only where it is configured, small, and able to start. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { PAGE_FILES } from '#lambdas/portal/env.ts';
import { bundleFunctions, metafilePath } from '#lib/bundling/bundle-functions.ts';
import { type Bundles, OUTBOUND_FUNCTION_NAMES } from '#lib/bundling/function-names.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { eagerPartOf } from '#test/kit/bundles.ts';

const run = promisify(execFile);
/** Bytes of code that a cold start reads, as measured (docs/decisions/the-aws-sdk-is-the-one-client.md), and one percent; publish also has the check of stored items (1,500 bytes). Both APIs load what signs and sends with the first test. */
const BUDGETS = {
  publish: 278_000,
  'fan-out': 278_500,
  drain: 359_500,
  'delivery-api': 381_000,
  tend: 293_000,
  portal: 391_000,
  contacts: 340_000,
} as const;

const portal = { name: 'Acme', logo: 'data:image/png;base64,Y2FuYXJ5' };
const environments = {
  prod: { outbound: { portal: { ...portal, pageUrl: 'https://app.acme.com/{app}/{endpoint}' }, contacts: true } },
  plain: {},
};
const config = (name: 'prod' | 'plain') => resolveConfig({ ...gateway, environments }, name, PROVIDERS);

let folder: string;
let bundles: Bundles;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-outbound-'));
  const functions = OUTBOUND_FUNCTION_NAMES;
  const built = await bundleFunctions({
    configs: [config('prod'), config('plain')],
    functions,
    outputFolder: folder,
  });
  bundles = built.get('prod') as Bundles;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** All code of a bundle, loaded at once or later. */
async function codeOf(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.mjs'));
  return (await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')))).join('');
}

describe('bundles of the delivery stack', () => {
  it('are made for environments with outbound only', async () => {
    expect(await readdir(folder)).toEqual(['prod']);
  });

  it('have the look of the portal where it is shown, and its page beside the code', async () => {
    const logoIn = async (name: keyof Bundles): Promise<boolean> => (await codeOf(bundles[name])).includes('Y2FuYXJ5');
    const names = OUTBOUND_FUNCTION_NAMES.map(async name => [name, await logoIn(name)] as const);
    expect((await Promise.all(names)).filter(([, has]) => has)).toEqual([['portal', true]]);
    for (const file of Object.values(PAGE_FILES)) expect(await readdir(bundles.portal)).toContain(file);
    const without = resolveConfig({ ...gateway, environments: { a: { outbound: {} } } }, 'a', PROVIDERS);
    const built = await bundleFunctions({ configs: [without], functions: ['portal'], outputFolder: join(folder, 'a') });
    await expect(readdir(built.get('a')?.portal ?? '')).rejects.toThrow('ENOENT');
  });

  it('have the client of SES in the function that sends mails, read only there, and nowhere without mails', async () => {
    const hasSes = async (of: Bundles): Promise<readonly string[]> => {
      const found = OUTBOUND_FUNCTION_NAMES.map(async name => {
        const { inputs } = JSON.parse(await readFile(metafilePath(of[name]), 'utf8'));
        return Object.keys(inputs).some(path => path.includes('client-sesv2')) ? [name] : [];
      });
      return (await Promise.all(found)).flat();
    };
    expect(await hasSes(bundles)).toEqual([]);
    const outbound = { portal, contacts: true, email: { from: 'alerts@acme.com' } };
    const mailing = resolveConfig({ ...gateway, environments: { mail: { outbound } } }, 'mail', PROVIDERS);
    const functions = OUTBOUND_FUNCTION_NAMES;
    const built = await bundleFunctions({ configs: [mailing], functions, outputFolder: join(folder, 'b') });
    expect(await hasSes(built.get('mail') as Bundles)).toEqual(['contacts']);
  });

  it('have the address of the platform’s own page where links into it are told', async () => {
    const texts = OUTBOUND_FUNCTION_NAMES.map(async name => {
      const text = await codeOf(bundles[name]);
      return text.includes('https://app.acme.com/{app}') ? [name] : [];
    });
    expect((await Promise.all(texts)).flat().sort()).toEqual(['contacts', 'fan-out', 'portal', 'tend']);
  });

  it.each(Object.entries(BUDGETS))('%s starts with at most %i bytes', async (name, budget) => {
    const { raw, modules } = await eagerPartOf(bundles[name as keyof typeof BUDGETS]);
    const top = modules.slice(0, 12).map(([module, bytes]) => `${bytes} ${module}`);
    expect(raw, top.join('\n')).toBeLessThanOrEqual(budget);
  });

  it.each(OUTBOUND_FUNCTION_NAMES)('%s starts, exports its handler and loads no undici', async name => {
    // A server that knows the master secret and nothing else. An import of node:http would itself load undici.
    const program = `
      const { createServer } = process.getBuiltinModule('http');
      const secret = JSON.stringify({ SecretString: 'x'.repeat(64), VersionId: 'v' });
      const server = createServer((request, response) => { response.setHeader('content-type', 'application/x-amz-json-1.1'); response.end(secret); }).listen(0, '127.0.0.1');
      await new Promise(done => server.once('listening', done));
      process.env.AWS_ENDPOINT_URL = 'http://127.0.0.1:' + server.address().port;
      const { handler } = await import(${JSON.stringify(`file://${join(bundles[name], 'index.mjs')}`)});
      process.stdout.write('@@' + JSON.stringify({ handler: typeof handler, modules: process.moduleLoadList.filter(it => it.includes('undici')) }));
      process.exit(0);`;
    const text = 'x';
    const env = {
      ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: text, AWS_SECRET_ACCESS_KEY: text, LANE: 'fast' },
      ...{ REGISTRY_TABLE: text, OUTBOX_TABLE: text, BODIES_BUCKET: text, MASTER_SECRET: text, OWN_HOSTS: text },
      API_URL: 'https://api.acme.com',
      ...{ JOBS_QUEUE_URL: 'http://127.0.0.1/q', JOBS_DEAD_QUEUE_URL: 'http://127.0.0.1/q' },
      ...{ WAKE_QUEUE_URL: 'http://127.0.0.1/q', WAKE_FAST_QUEUE_URL: 'http://127.0.0.1/q' },
      ...{ WAKE_SLOW_QUEUE_URL: 'http://127.0.0.1/q', WAKES_DEAD_QUEUE_URL: 'http://127.0.0.1/q' },
    };
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
      env,
      timeout: 20_000,
    });
    expect(JSON.parse(stdout.split('@@')[1] ?? '{}')).toEqual({ handler: 'function', modules: [] });
  });
});
