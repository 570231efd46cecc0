/** Claim: whoever clones this repository and edits its sources, handlers and providers keeps `npm test` green. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { signsUrl } from '#core/provider/source-needs.ts';
import { PROVIDERS } from '#providers/index.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { REPOSITORY } from './packed-project.ts';

const exec = promisify(execFile);

/** Changes one file of a clone. Throws when the text to replace is not there: the edit would test nothing. */
async function edit(clone: string, file: string, from: string | RegExp, to: string): Promise<void> {
  const path = join(clone, file);
  const before = await readFile(path, 'utf8');
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${file} does not contain ${from}`);
  await writeFile(path, after);
}

const CONFIG = 'gateway.config.ts';
const REGISTRY = 'handlers/index.ts';
const HANDLER = (name: string, env: string) => `import { done, type Handler, handlerEnv } from 'holdfast';

export const ${name}: Handler = async (event, context) => {
  context.transact([{ kind: 'put', table: handlerEnv('${env}'), item: { eventId: event.id, type: event.type } }]);
  return done({ actionTaken: 'noted' });
};
`;
const HANDLER_TEST = (name: string, env: string) => `import { createTestEvent, runHandler } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { ${name} } from './${name}.ts';

it('notes an event', async () => {
  const event = createTestEvent({ provider: 'generic', body: { id: 'evt_1', type: 'ping' } });
  const run = await runHandler(${name}, event, { env: { ${env}: 'notes' }, tables: { notes: { key: 'eventId' } } });
  expect(run.status, run.lastError).toBe('completed');
});
`;

/** Each edits the clone as a person would; none needs another. */
const EDITS: Readonly<Record<string, (clone: string, pick: (count: number) => number) => Promise<void>>> = {
  async 'a further source'(clone, pick) {
    const free = Object.values(PROVIDERS).filter(it => !it.settings && !signsUrl(it) && it.strength !== 'none');
    const { id } = free[pick(free.length)] ?? { id: 'stripe' };
    await edit(clone, CONFIG, '  sources: {\n', `  sources: {\n    'further-one': { provider: '${id}' },\n`);
  },
  async 'a source with another name'(clone) {
    await edit(clone, CONFIG, "stripe: { provider: 'stripe' }", "payments: { provider: 'stripe' }");
    await edit(clone, REGISTRY, "source: 'stripe'", "source: 'payments'");
  },
  async 'a source less'(clone, pick) {
    const gone = ['shopify', 'slack'][pick(2)] ?? 'slack';
    await edit(clone, CONFIG, `    ${gone}: { provider: '${gone}' },\n`, '');
  },
  async 'a provider of its own'(clone) {
    await cp(join(clone, 'providers/_template.ts'), join(clone, 'handlers/acme.ts'));
    await edit(clone, 'handlers/acme.ts', /const template\b/, 'const acme');
    await edit(
      clone,
      CONFIG,
      "import { defineGateway } from 'holdfast';",
      "import { defineGateway } from 'holdfast';\nimport { acme } from './handlers/acme.ts';",
    );
    await edit(clone, CONFIG, '  sources: {\n', '  sources: {\n    acme: { provider: acme },\n');
  },
  async 'a handler with a table and a test'(clone) {
    await writeFile(join(clone, 'handlers/noteAll.ts'), HANDLER('noteAll', 'NOTES_TABLE'));
    await writeFile(join(clone, 'handlers/noteAll.test.ts'), HANDLER_TEST('noteAll', 'NOTES_TABLE'));
    await edit(
      clone,
      REGISTRY,
      'import { recordPayment }',
      "import { noteAll } from './noteAll.ts';\nimport { recordPayment }",
    );
    await edit(
      clone,
      REGISTRY,
      'defineHandlers([\n',
      "defineHandlers([\n  { source: 'default', type: 'note.*', handle: noteAll },\n",
    );
    const table = `  const notes = new TableV2(scope, 'Notes', {
    partitionKey: { name: 'eventId', type: AttributeType.STRING },
    ...shared,
  });
  context.grantTable(notes, 'put');
  context.addEnvironment('NOTES_TABLE', notes.tableName);
};
`;
    await edit(clone, 'handlers/resources.ts', /\};\n$/, table);
  },
  async 'a handler less'(clone) {
    await edit(clone, REGISTRY, "import { logPush } from './github-push-log.ts';\n", '');
    await edit(clone, REGISTRY, "  { source: 'github', type: 'push', handle: logPush },\n", '');
    await rm(join(clone, 'handlers/github-push-log.ts'));
  },
};

it.skipIf(!isLongRun())(
  'three random edits: npm test is green',
  async () => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 100_000);
    let state = seed;
    const pick = (count: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % count;
    };
    const names = Object.keys(EDITS);
    const chosen = Array.from({ length: 3 }, () => names.splice(pick(names.length), 1)[0] ?? '');
    console.log(`seed ${seed}: ${chosen.join('; ')}`);
    const clone = await mkdtemp(join(tmpdir(), 'holdfast-edited-'));
    try {
      await exec('git', ['clone', '--quiet', REPOSITORY, clone]);
      await symlink(join(REPOSITORY, 'node_modules'), join(clone, 'node_modules'), 'dir');
      for (const name of chosen) await EDITS[name]?.(clone, pick);
      const { HOLDFAST_LONG: _, VITEST: __, ...env } = process.env;
      const ran = await exec('npm', ['test'], { cwd: clone, env: { ...env, NO_COLOR: '1' }, maxBuffer: 1e8 }).catch(
        (error: { stdout: string; stderr: string }) => error,
      );
      expect(ran.stdout.slice(-6_000) + ran.stderr.slice(-2_000)).toMatch(
        /Test Files +\d+ passed (?:\| \d+ skipped )?\(\d+\)/,
      );
    } finally {
      await rm(clone, { recursive: true, force: true });
    }
  },
  40 * 60_000,
);
