/** Claim: an error of a handler is told with the file and line that its author wrote, by the code as it is deployed. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapStack } from '#adapters/stacks/map-stack.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import type { ErrorPlaces } from '#core/ports.ts';
import { bundleFunctions } from '#lib/bundling/bundle-functions.ts';
import { replaceAndNote, shortMap } from '#lib/bundling/source-maps.ts';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { eagerPartOf } from '#test/kit/bundles.ts';

const run = promisify(execFile);

/** The mistake is on its line 5. */
const TOTAL = `/** Sums up. */

export function totalOf(order: { lines?: { cents: number }[] }): number {
  // Not every order has lines.
  return order.lines!.reduce((sum, line) => sum + line.cents, 0);
}
`;
const HANDLERS = `import { defineHandlers, done, PermanentError } from '${PACKAGE_ROOT}/sdk/index.ts';
import { totalOf } from './money/total.ts';

const refuse = (): never => {
  throw new PermanentError('no use for it');
};

export const handlers = defineHandlers([
  { source: 'default', type: 'sums', handle: async event => done({ data: totalOf(event.payload as never) }) },
  { source: 'default', type: 'refuses', handle: async () => refuse() },
  { source: 'default', type: 'reads', handle: async (_event, context) => done({ data: await context.read('t', {}) }) },
]);
(globalThis as never as { ours: unknown }).ours = handlers;
`;

let project = '';
let bundle = '';
/** The file that reads maps, as it is built. */
let mapReader = '';
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'holdfast-places-'));
  await mkdir(join(project, 'handlers/money'), { recursive: true });
  await symlink(join(PACKAGE_ROOT, 'node_modules'), join(project, 'node_modules'));
  await writeFile(join(project, 'handlers/index.ts'), HANDLERS);
  await writeFile(join(project, 'handlers/money/total.ts'), TOTAL);
  const config = resolveConfig(gateway, 'prod', PROVIDERS);
  const outputFolder = join(project, 'bundles');
  const built = await bundleFunctions({ configs: [config], functions: ['process'], project, outputFolder });
  bundle = built.get('prod')?.process ?? '';
  mapReader = (await readdir(bundle)).find(file => /^map-stack-\w+\.mjs$/.test(file)) ?? '';
});
afterAll(() => rm(project, { recursive: true, force: true }));

const NAMES = ['EVENTS_TABLE', 'PAYLOADS_TABLE', 'BODIES_BUCKET', 'WORK_QUEUE_URL', 'DEAD_QUEUE_URL'];
const nowhere = 'http://127.0.0.1:1';
const ENVIRONMENT = {
  ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y', AWS_ENDPOINT_URL: nowhere },
  ...Object.fromEntries(NAMES.map(name => [name, nowhere])),
};

/** Runs something with the built function in a process of its own, and has the built reader tell where it threw. */
async function placesOf(work: string, env: NodeJS.ProcessEnv = ENVIRONMENT) {
  const program = `
    const { mapStack } = await import(${JSON.stringify(join(bundle, mapReader))});
    const load = () => import(${JSON.stringify(join(bundle, 'index.mjs'))});
    const context = { read: () => Promise.reject(new Error('from outside')) };
    const handle = async type => (await load(), ours.find('default', type).handle({ payload: {} }, context));
    try { await ${work}; }
    catch (error) { process.stdout.write('@@' + JSON.stringify({ stack: error.stack, ...mapStack(error) })); }
    process.exit(0);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { env });
  return JSON.parse(stdout.slice(stdout.lastIndexOf('@@') + 2)) as ErrorPlaces & { readonly stack: string };
}

describe('an error in the built function', () => {
  it('has the file and line of the project', async () => {
    const { own, frames, stack } = await placesOf("handle('sums')");
    expect(stack).toMatch(
      /TypeError: Cannot read properties of undefined \(reading 'reduce'\)\n.*index\.mjs:\d+:\d{3}/,
    );
    expect(own).toBe('handlers/money/total.ts:5');
    expect(frames[0]).toBe('handlers/money/total.ts:5:23');
    expect(frames[1]).toMatch(/^handlers\/index\.ts:9:\d+$/);
    expect((await placesOf("handle('refuses')")).own).toBe('handlers/index.ts:5');
  });

  it('has its place also where the configuration was put before it on its line', async () => {
    const source = 'export const config = "@@";\nexport const boom = () => {\n  throw new Error(config);\n};\n';
    const options = { minify: true, sourcemap: 'external', sourcefile: 'handlers/boom.ts', loader: 'ts' } as const;
    const { code, map } = await transform(source, options);
    const { text, inserted } = replaceAndNote(code, /"@@"/g, JSON.stringify('a configuration'.repeat(40)));
    expect(text).toMatch(/^.*a configuration.*throw/);
    const short = shortMap(map, { holdfast: PACKAGE_ROOT, project, from: project });
    await writeFile(join(project, 'boom.mjs'), text);
    await writeFile(join(project, 'boom.mjs.map'), JSON.stringify({ ...short, inserted }));
    const { boom } = await import(/* @vite-ignore */ join(project, 'boom.mjs'));
    const error = await Promise.resolve()
      .then(boom)
      .catch((it: unknown) => it);
    expect(mapStack(error as Error, project).own).toBe('handlers/boom.ts:3');
  });

  it('has the place in the project from which another threw', async () => {
    const { own } = await placesOf("handle('reads')");
    expect(own).toBe('handlers/index.ts:11');
  });

  it('tells no name and no message, which may come out of a body', async () => {
    const { frames } = await placesOf("handle('sums')");
    for (const frame of frames) expect(frame).toMatch(/^[\w:./@-]+:\d+:\d+$/);
  });
});

describe('the maps', () => {
  it('are beside every file of the code, without the text of any source, and no start reads one', async () => {
    const files = await readdir(bundle);
    for (const file of files.filter(name => name.endsWith('.mjs'))) {
      expect(files).toContain(`${file}.map`);
      expect(await readFile(join(bundle, file), 'utf8')).not.toContain('sourceMappingURL');
      const map = JSON.parse(await readFile(join(bundle, `${file}.map`), 'utf8'));
      expect(map.sourcesContent).toBeUndefined();
      for (const source of map.sources) expect(source).toMatch(/^(?:handlers\/|holdfast:|node_modules\/)/);
    }
    const eager = await eagerPartOf(bundle);
    expect(eager.files.filter(name => /map/.test(name))).toEqual([]);
    expect(eager.modules.map(([module]) => module)).not.toContain('adapters/stacks/map-stack.ts');
  });

  it('know what was put into the code after they were made', () => {
    const { text, inserted } = replaceAndNote('ab\nc"@@"d"@@"', /"@@"/g, '[config]');
    expect(text).toBe('ab\nc[config]d[config]');
    expect(inserted).toEqual([
      { line: 1, column: 1, length: 4 },
      { line: 1, column: 6, length: 4 },
    ]);
  });

  it('call files by where they belong', () => {
    const named = (source: string, project = '/app') =>
      shortMap(JSON.stringify({ mappings: '', sources: [source] }), {
        holdfast: '/lib/hf',
        project,
        from: '/lib/hf/x/y',
      })['sources'];
    expect(named('../../core/a.ts')).toEqual(['holdfast:core/a.ts']);
    expect(named('../../node_modules/@aws-sdk/b/c.js')).toEqual(['node_modules/@aws-sdk/b/c.js']);
    expect(named('../../../../app/handlers/pay.ts')).toEqual(['handlers/pay.ts']);
    expect(named('../../../../app/node_modules/left-pad/index.js')).toEqual(['node_modules/left-pad/index.js']);
    // A clone of this repository is the project itself.
    expect(named('../../handlers/pay.ts', '/lib/hf')).toEqual(['handlers/pay.ts']);
    expect(named('../../core/a.ts', '/lib/hf')).toEqual(['holdfast:core/a.ts']);
  });
});
