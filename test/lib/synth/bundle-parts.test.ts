/**
 * Of what each bundle is made, for a configuration with everything and for a small one: no class of ours is in two files (what
 * one throws, the other does not know), nothing of S3 is read at a start, no part is missing.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import type { oneInvocation } from '#adapters/lifetime.ts';
import type { S3Blobs } from '#adapters/s3/s3-blobs.ts';
import type { Answered, Asker } from '#core/ask.ts';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { buildCode, HOLDFAST, refuseMissing } from '#lib/bundling/build-code.ts';
import { bundleFunctions, metafilePath } from '#lib/bundling/bundle-functions.ts';
import { FUNCTION_NAMES, OUTBOUND_FUNCTION_NAMES } from '#lib/bundling/function-names.ts';
import { PROVIDERS } from '#providers/index.ts';
import { eagerPartOf } from '#test/kit/bundles.ts';
import { FIXTURE_PROJECT } from '#test/kit/fixture-project.ts';
import { livedTime } from '#test/kit/lived-time.ts';
import { classesInSeveral, declaresClass, isOurs, withoutTheirClient } from './bundle-faults.ts';

const arn = (service: string, resource: string): string => `arn:aws:${service}:eu-central-1:123456789012:${resource}`;
const TARGETS = [
  arn('events', 'event-bus/billing'),
  arn('sqs', 'invoices.fifo'),
  arn('sns', 'invoices'),
  arn('lambda', 'function:bill:live'),
  arn('states', 'stateMachine:bill'),
  'https://billing.example.com/hooks',
  'outbound:acme',
];
const gateway = defineGateway({
  sources: {
    stripe: { provider: 'stripe', throttle: 3_000 },
    default: { provider: 'generic' },
  },
  environments: {
    all: {
      ...{ account: '123456789012', region: 'eu-central-1', probe: true },
      routes: { stripe: { '*': TARGETS } },
      outbound: { portal: { name: 'Acme' }, contacts: true, email: { from: 'hooks@acme.com' } },
      otlp: { endpoint: 'https://otlp.example.com' },
      edge: { apiUrl: 'https://abc.execute-api.eu-central-1.amazonaws.com', requestsPerMinute: 2_000 },
    },
    small: {},
  },
});

const NAMES = [...FUNCTION_NAMES, ...OUTBOUND_FUNCTION_NAMES];
const BUNDLES = [...NAMES.map(name => ['all', name] as const), ...FUNCTION_NAMES.map(name => ['small', name] as const)];
let root: string;
const folderOf = (environment: string, name: string): string => join(root, environment, name);
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-parts-'));
  const configs = ['all', 'small'].map(name => resolveConfig(gateway, name, PROVIDERS));
  await bundleFunctions({ configs, project: FIXTURE_PROJECT, outputFolder: root });
}, 120_000);
afterAll(() => rm(root, { recursive: true, force: true }));

const readMetafile = async (folder: string): Promise<Metafile> =>
  JSON.parse(await readFile(metafilePath(folder), 'utf8'));

describe.each(BUNDLES)('the bundle %s/%s', (environment, name) => {
  it('has each class of ours in one file only', async () => {
    const metafile = await readMetafile(folderOf(environment, name));
    expect(Object.keys(metafile.inputs).filter(isOurs).some(declaresClass)).toBe(true);
    expect(classesInSeveral(metafile)).toEqual([]);
  });

  it('gives each file that is built by itself a client as all others are', async () => {
    expect(withoutTheirClient(await readMetafile(folderOf(environment, name)))).toEqual([]);
  });

  it('reads nothing of S3, of a target and of another client at a start', async () => {
    const { modules } = await eagerPartOf(folderOf(environment, name));
    const wrong = modules
      .map(([path]) => path)
      .filter(path =>
        /client-(?:s3|eventbridge|sfn)|middleware-sdk-s3|signature-v4-multi|credential-provider|adapters\/s3\/s3-client/.test(
          path,
        ),
      );
    expect(wrong).toEqual([]);
  });

  it('has every file that it imports, but those that its configuration does not need', async () => {
    const files = new Set(await readdir(folderOf(environment, name)));
    const imported = (await readMetafile(folderOf(environment, name))).outputs;
    const missing = Object.values(imported).flatMap(({ imports }) =>
      imports.map(it => basename(it.path)).filter(file => file.endsWith('.mjs') && !files.has(file)),
    );
    const unneeded = missing.every(file => /^lazy-(?:.*-target|edge-door)\.mjs$/.test(file));
    expect([missing.filter(() => !unneeded), environment === 'all' ? missing : []]).toEqual([[], []]);
  });
});

it('sees a class that is in two files (test/proof/mutants/shipped-mutants.ts has real ones)', () => {
  const inputs = { 'core/errors.ts': { bytesInOutput: 200 } };
  const output = { imports: [], exports: [], inputs, bytes: 200 };
  const metafile = { inputs: {}, outputs: { 'a/index.mjs': output, 'a/lazy-x.mjs': output } };
  expect(classesInSeveral(metafile)).toEqual(['core/errors.ts: index.mjs, lazy-x.mjs']);
});

describe('a part that is missing', () => {
  const options = { name: 'odd', project: FIXTURE_PROJECT, unused: new Set<string>(), plugins: [] };
  const entryThat = async (text: string): Promise<string> => {
    const entry = join(root, `${Math.random().toString(36).slice(2)}.ts`);
    await writeFile(entry, text);
    return entry;
  };

  it('of a package, or of a file of ours, ends the build with a sentence', async () => {
    await expect(buildCode({ ...options, entry: await entryThat("import 'no-such-package';") })).rejects.toThrow(
      /^The bundle of odd cannot be built: .*:1: Could not resolve "no-such-package"\. Fix: /,
    );
    const wrongName = `import { nothing } from '${join(HOLDFAST, 'core/errors.ts')}'; console.log(nothing);`;
    await expect(buildCode({ ...options, entry: await entryThat(wrongName) })).rejects.toThrow(
      /^The bundle of odd cannot be built: .*No matching export.* for import "nothing"/,
    );
  });

  it('of the bundle itself does, too', async () => {
    const { files, metafile } = await buildCode({ ...options, entry: join(HOLDFAST, 'adapters/s3/s3-blobs.ts') });
    const without = new Map([...files].filter(([file]) => file !== 'lazy-s3-client.mjs'));
    expect(without.size).toBe(files.size - 1);
    expect(() => refuseMissing('odd', { files, metafile }, new Set())).not.toThrow();
    expect(() => refuseMissing('odd', { files: without, metafile }, new Set())).toThrow(
      'The bundle of odd lacks a part: index.mjs imports lazy-s3-client.mjs, which was not built. Fix: ',
    );
  });
});

/** What a rule of ours gets from code that is built as the functions are, when a service throttles what a lazily read file asks. */
describe('a rule that meets a throttled service in a bundle', () => {
  let server: Server;
  /** Requests that are never answered: how each ended. */
  const silent: Promise<string>[] = [];
  let built: {
    ask: <T>(asker: Asker, work: () => Promise<T>) => Promise<Answered<T>>;
    S3Blobs: new (bucket: string) => S3Blobs;
    oneInvocation: typeof oneInvocation;
    openPayloads: (env: object) => DynamoDbPayloadStore;
  };
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      if (request.url?.startsWith('/bodies/silent')) {
        silent.push(new Promise(resolve => request.once('close', () => resolve('closed'))));
        return;
      }
      const isTable = request.headers['x-amz-target'] !== undefined;
      response.writeHead(isTable ? 400 : 503, {
        'content-type': isTable ? 'application/x-amz-json-1.0' : 'application/xml',
      });
      response.end(
        isTable ? '{"__type":"x#ThrottlingException","message":"slower"}' : '<Error><Code>SlowDown</Code></Error>',
      );
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const entry = join(root, 'rule.ts');
    const path = (file: string): string => JSON.stringify(join(HOLDFAST, file));
    await writeFile(
      entry,
      `export { ask } from ${path('core/ask.ts')};
       export { S3Blobs } from ${path('adapters/s3/s3-blobs.ts')};
       export { oneInvocation } from ${path('adapters/lifetime.ts')};
       import { createDynamoDbClient } from ${path('adapters/dynamodb/create-dynamodb-client.ts')};
       import { DynamoDbPayloadStore } from ${path('adapters/dynamodb/dynamodb-payload-store.ts')};
       export const openPayloads = env => new DynamoDbPayloadStore(createDynamoDbClient(env), 'payloads');`,
    );
    const { files } = await buildCode({ name: 'rule', entry, project: root, unused: new Set(), plugins: [] });
    for (const [file, text] of files) await writeFile(join(root, file), text);
    built = await import(/* @vite-ignore */ join(root, 'index.mjs'));
  });
  afterAll(() => server?.close());

  const environment = () => ({
    ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });

  it('ends a call of a lazily read file with its invocation', async () => {
    Object.assign(process.env, environment());
    const lived = await built.oneInvocation(async () => {
      new built.S3Blobs('bodies').get('silent').catch(() => undefined);
      while (silent.length === 0) await new Promise(resolve => setTimeout(resolve, 5));
      return livedTime();
    })();
    expect(await silent[0]).toBe('closed');
    // Its own limit is 1.5 s, and then there is a second try.
    expect(lived()).toBeLessThan(1_000);
    await new Promise(resolve => setTimeout(resolve, 2_000));
    expect(silent).toHaveLength(1);
  });

  it.each([
    [
      'the list of refused requests',
      'dynamodb',
      () => built.openPayloads(environment()).listRefused('stripe' as never),
    ],
    ['a large body', 's3', () => new built.S3Blobs('bodies').get('a')],
  ] as const)('is answered that %s could not be read, and goes on', async (_name, dependency, work) => {
    Object.assign(process.env, environment());
    const counted: unknown[] = [];
    const telemetry = { count: (...all: unknown[]) => void counted.push(all), log: () => undefined };
    expect(await built.ask<unknown>({ telemetry, stage: 'sweep' }, work)).toMatchObject({
      ok: false,
      error: { dependency },
    });
    expect(counted).toEqual([['DependencyError', { dependency }]]);
  });
});
