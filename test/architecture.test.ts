/** The house rules that can be checked by looking: boundaries bite, names agree, nothing is registered nowhere. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { allMetrics } from '#core/metrics.ts';
import { VERSION } from '#core/version.ts';
import { PROVIDERS } from '#providers/index.ts';
import { suitesOf } from './kit/where.ts';

const ROOT = join(import.meta.dirname, '..');
const biome = join(ROOT, 'node_modules/.bin/biome');

function filesBelow(folder: string, ending = '.ts'): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(ending))
    .map(name => `${folder}/${name}`);
}

/** The room of a file: its folder in core/; `ground` for what lies in core/ itself. The ports of an engine are of its protocol. */
function roomOf(path: string): string {
  const [, first = '', second = ''] = path.split('/');
  if (first.endsWith('.ts')) return 'ground';
  if (first !== 'inbound' && first !== 'outbound') return first;
  return `${first}/${second === 'ports.ts' ? 'protocol' : second}`;
}

/** Lints these files as if they lay at their paths, under the repository's own rules: the rules that fired, by path. */
function lint(files: Readonly<Record<string, string>>): Readonly<Record<string, string[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lint-'));
  try {
    const rules = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')) as Record<string, unknown>;
    const { $schema: _schema, vcs: _vcs, ...own } = rules;
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(own));
    for (const [path, code] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), code);
    }
    const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
    const run = spawnSync(biome, args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1_048_576 });
    const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: Diagnostic[] };
    const found: Record<string, string[]> = Object.fromEntries(Object.keys(files).map(path => [path, []]));
    for (const { category, location } of diagnostics) found[location.path.replace(/^\.\//, '')]?.push(category);
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('boundaries', () => {
  const FORBIDDEN = [
    ['core', "import { createHash } from 'node:crypto';\nexport const x = createHash;\n", 'noRestrictedImports'],
    ['core', "import { SQSClient } from '@aws-sdk/client-sqs';\nexport const x = SQSClient;\n", 'noRestrictedImports'],
    [
      'core',
      "import { nodeCodec } from '#adapters/codec/node-codec.ts';\nexport const x = nodeCodec;\n",
      'noRestrictedImports',
    ],
    ['core', 'export const x = Date.now();\n', 'noRestrictedGlobals'],
    ['core', "export const x = process.env['X'];\n", 'noProcessEnv'],
    ['adapters', "import { handlers } from '#handlers/index.ts';\nexport const x = handlers;\n", 'noRestrictedImports'],
    [
      'providers',
      "import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';\nexport const x = nodeCrypto;\n",
      'noRestrictedImports',
    ],
    ['lambdas', "import { Stack } from 'aws-cdk-lib';\nexport const x = Stack;\n", 'noRestrictedImports'],
    ['lambdas', "export const x = process.env['X'];\n", 'noProcessEnv'],
    ['lib', "import { SQSClient } from '@aws-sdk/client-sqs';\nexport const x = SQSClient;\n", 'noRestrictedImports'],
    ['cli', "import { Stack } from 'aws-cdk-lib';\nexport const x = Stack;\n", 'noRestrictedImports'],
    ['operator', "import { runCli } from '#cli/main.ts';\nexport const x = runCli;\n", 'noRestrictedImports'],
    [
      'operator',
      "import { startConsole } from '#console/server/start-console.ts';\nexport const x = startConsole;\n",
      'noRestrictedImports',
    ],
    ['operator', "import { Command } from 'commander';\nexport const x = Command;\n", 'noRestrictedImports'],
    [
      'operator',
      "import { readDeployment } from '#local/project/sources.ts';\nexport const x = readDeployment;\n",
      'noRestrictedImports',
    ],
    ['operator', "export const x = process.env['X'];\n", 'noProcessEnv'],
    [
      'cli',
      "import { startConsole } from '#console/server/start-console.ts';\nexport const x = startConsole;\n",
      'noRestrictedImports',
    ],
    ['console/server', "import { runCli } from '#cli/main.ts';\nexport const x = runCli;\n", 'noRestrictedImports'],
    [
      'console/app',
      "import { startConsole } from '../server/start-console.ts';\nexport const x = startConsole;\n",
      'noRestrictedImports',
    ],
    ['console/app', "import { toIso } from '#core/time.ts';\nexport const x = toIso;\n", 'noRestrictedImports'],
    [
      'ui',
      "import { TOKEN_HEADER } from '../console/wire.ts';\nexport const x = TOKEN_HEADER;\n",
      'noRestrictedImports',
    ],
    [
      'adapters',
      "import { Operator } from '#operator/operator.ts';\nexport const x = Operator;\n",
      'noRestrictedImports',
    ],
    [
      'local',
      "import { toConstructId } from '#lib/construct-id.ts';\nexport const x = toConstructId;\n",
      'noRestrictedImports',
    ],
    [
      'handlers',
      "import { SqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';\nexport const x = SqsWorkQueue;\n",
      'noRestrictedImports',
    ],
    [
      'handlers',
      "import { done } from '#core/handler/handler-contract.ts';\nexport const x = done;\n",
      'noRestrictedImports',
    ],
    [
      'handlers',
      "import { done } from '../core/handler/handler-contract.ts';\nexport const x = done;\n",
      'noRestrictedImports',
    ],
    ['providers', "import { eq } from '#core/condition.ts';\nexport const x = eq;\n", 'noRestrictedImports'],
    [
      'core',
      'async function f(): Promise<void> {}\nexport const g = (): void => {\n  f();\n};\n',
      'noFloatingPromises',
    ],
  ] as const;
  const BETWEEN_ROOMS = [
    ['core', 'verification/verdict.ts'],
    ['core/scan', 'provider/provider-spec.ts'],
    ['core/verification', 'inbound/protocol/event-item.ts'],
    ['core/handler', 'verification/verdict.ts'],
    ['core/retry', 'config/resolved-config.ts'],
    ['core/inbound/protocol', 'config/resolved-config.ts'],
    ['core/inbound/search', 'inbound/replay/replay-job.ts'],
    ['core/config', 'inbound/ingest/accept-request.ts'],
    ['core/inbound/replay', 'inbound/sweep/sweep.ts'],
    ['core/inbound/ingest', 'inbound/process/process-event.ts'],
    ['core/inbound/process', 'inbound/ingest/accept-request.ts'],
    ['core/inbound/process', 'inbound/replay/replay-event.ts'],
    ['core/inbound/sweep', 'inbound/process/process-event.ts'],
    ['core/inbound/api', 'inbound/ingest/reply.ts'],
    ['core/inbound/api', 'outbound/ports.ts'],
    ['core/outbound/drain', 'inbound/ports.ts'],
  ] as const;
  const importing = (spec: string): string => `import type { X } from '${spec}';\n\nexport type Y = X;\n`;
  const ALLOWED = {
    'core/stays-in-core.ts': "import { all } from './condition.ts';\n\nexport const x = all();\n",
    'operator/uses-what-it-may.ts':
      "import { systemClock } from '#adapters/system.ts';\nimport { VERSION } from '#core/version.ts';\n\nexport const x = [systemClock, VERSION];\n",
    'handlers/uses-the-face.ts':
      "import { setTimeout } from 'node:timers/promises';\nimport { done } from 'holdfast';\nimport { b } from './b.ts';\n\nexport const x = { done, b, setTimeout };\n",
  };
  const OWN_CONFIG = "import { all } from './core/condition.ts';\n\nexport const gateway = all();\n";
  let found: ReturnType<typeof lint> = {};

  // One run of the linter over all of them: a run for each took half a minute.
  beforeAll(() => {
    found = lint({
      ...Object.fromEntries(FORBIDDEN.map(([folder, code], n) => [`${folder}/forbidden-${n}.ts`, code])),
      ...Object.fromEntries(
        BETWEEN_ROOMS.flatMap(([room, other], n) => [
          [`${room}/other-room-${n}.ts`, importing(`#core/${other}`)],
          [`${room}/near-${n}.ts`, importing('./near.ts')],
          [`${room}/far-${n}.ts`, importing('../far.ts')],
        ]),
      ),
      ...ALLOWED,
      'gateway.config.ts': OWN_CONFIG,
    });
  });

  it.each(FORBIDDEN.map((each, n) => [...each, n] as const))(
    'lint fails for a file in %s that says %j (%s)',
    (folder, _code, rule, n) => {
      expect(found[`${folder}/forbidden-${n}.ts`]).toEqual(expect.arrayContaining([expect.stringContaining(rule)]));
    },
  );

  it.each(Object.keys(ALLOWED))('lint passes for %s, which imports what it may', path => {
    expect(found[path]).toEqual([]);
  });

  it('lint fails for a configuration that imports past the public face', () => {
    expect(found['gateway.config.ts']?.join()).toContain('noRestrictedImports');
  });

  it.each(BETWEEN_ROOMS.map((each, n) => [...each, n] as const))(
    'lint fails for a file in %s that imports core/%s',
    (room, _other, n) => {
      expect(found[`${room}/other-room-${n}.ts`]).toEqual(['lint/style/noRestrictedImports']);
      expect(found[`${room}/near-${n}.ts`]).toEqual([]);
      expect(found[`${room}/far-${n}.ts`]).toEqual(['lint/style/noRestrictedImports']);
    },
  );

  it('no room of core holds more than 25 files, and no two rooms import each other, however far round', () => {
    const files = filesBelow('core');
    const size = Map.groupBy(files, roomOf);
    for (const [room, inside] of size) expect(inside.length, room).toBeLessThanOrEqual(25);
    const arrows = new Map([...size.keys()].map(room => [room, new Set<string>()]));
    for (const file of files)
      for (const [, path = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(/from '#(core\/[^']+)'/g))
        if (roomOf(path) !== roomOf(file)) arrows.get(roomOf(file))?.add(roomOf(path));
    // Takes away the rooms that import none of those left, until none is left: what stays is a circle.
    for (;;) {
      const free = [...arrows].filter(([, to]) => [...to].every(room => !arrows.has(room))).map(([room]) => room);
      if (free.length === 0) break;
      for (const room of free) arrows.delete(room);
    }
    expect([...arrows.keys()]).toEqual([]);
  });

  it('core never draws random numbers of its own', () => {
    const drawing = filesBelow('core').filter(file => readFileSync(join(ROOT, file), 'utf8').includes('Math.random'));
    expect(drawing).toEqual([]);
  });

  it('core never touches the SDK, Node or a third-party package', () => {
    for (const file of filesBelow('core')) {
      const imports = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/from '([^']+)'/g)].map(
        match => match[1] ?? '',
      );
      expect(
        imports.filter(it => !it.startsWith('.') && !it.startsWith('#core/')),
        file,
      ).toEqual([]);
    }
  });
});

describe('a test is found from its source', () => {
  /** Has code that runs: types, constants and lists of exports need no test. */
  const behaves = (file: string): boolean => {
    const code = stripTypeScriptTypes(readFileSync(join(ROOT, file), 'utf8'));
    return (
      /\bfunction\b|\bclass\b|=>/.test(code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')) && !file.endsWith('/index.ts')
    );
  };

  it('every file of core/ and adapters/ with behaviour is loaded by a suite: npm run where -- <file>', () => {
    const files = [...filesBelow('core'), ...filesBelow('adapters')].filter(behaves);
    expect(files.length).toBeGreaterThan(200);
    expect(files.filter(file => suitesOf(file).length === 0)).toEqual([]);
  });

  it('the suite of its name comes first, then those that load it through the fewest files', () => {
    const [first, ...rest] = suitesOf('core/outbound/drain/pace.ts');
    expect(first?.test).toBe('test/core/outbound/drain/pace.test.ts');
    expect(rest.map(({ far }) => far)).toEqual(rest.map(({ far }) => far).toSorted((a, b) => a - b));
    expect(suitesOf('core/no-such-file.ts')).toEqual([]);
  });
});

describe('names', () => {
  it('the version in the code is the one of package.json', () => {
    expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))).toMatchObject({ version: VERSION });
  });

  const functions = readdirSync(join(ROOT, 'lambdas')).filter(name => name !== 'shared');

  it('every function folder has a handler of at most 80 lines and a typed environment', () => {
    for (const name of functions) {
      expect(existsSync(join(ROOT, `lambdas/${name}/env.ts`)), `lambdas/${name}/env.ts`).toBe(true);
      const lines = readFileSync(join(ROOT, `lambdas/${name}/handler.ts`), 'utf8').split('\n').length;
      expect(lines, `lambdas/${name}/handler.ts`).toBeLessThanOrEqual(80);
    }
  });

  it('every provider file but the template is registered under its own name, or used by gateway.config.ts', () => {
    const config = readFileSync(join(ROOT, 'gateway.config.ts'), 'utf8');
    const files = readdirSync(join(ROOT, 'providers'))
      .filter(name => name.endsWith('.ts') && !['index.ts', '_template.ts'].includes(name))
      // A person's own.
      .filter(name => !config.includes(`'./providers/${name}'`));
    expect(Object.keys(PROVIDERS).sort()).toEqual(files.map(name => name.replace(/\.ts$/, '')).sort());
  });

  it('no test and no measurement reads what a person edits', () => {
    const own = /(?:from |import\()'(?:#config'|#handlers\/(?!examples\/))|(?:ROOT|REPOSITORY), 'gateway\.config\.ts'/;
    // Both ask which provider files are a person's own.
    const allowed = ['test/architecture.test.ts', 'test/written/provider-index.ts'];
    const readers = [...filesBelow('test'), ...filesBelow('bench')].filter(
      file =>
        !allowed.includes(file) && !file.startsWith('bench/peers') && own.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    // These two put the fixture in the place of it, in a copy.
    expect(readers.filter(file => !file.startsWith('test/e2e/gateway-under-test'))).toEqual([]);
  });

  it('every regression test names above it the invariant it holds', () => {
    const files = filesBelow('test/proof/journeys', '.test.ts').filter(file =>
      /\/(?:regressions|subtle-bugs)/.test(file),
    );
    const mute = files.flatMap(file => {
      const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
      return lines.filter((line, n) => /^(?:it|describe)\b/.test(line) && !/^\/\/ Holds I\d/.test(lines[n - 1] ?? ''));
    });
    expect(files.length).toBeGreaterThan(3);
    expect(mute).toEqual([]);
  });

  it('every metric is emitted somewhere', () => {
    const code = [...filesBelow('core'), ...filesBelow('lambdas')]
      .filter(file => file !== 'core/metrics.ts')
      .map(file => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
    const silent = allMetrics().filter(name => !code.includes(`'${name}'`));
    expect(silent).toEqual([]);
  });

  it('what a class keeps to itself is `#private`; only a constructor can be `private`', () => {
    const folders = [
      'core',
      'adapters',
      'lambdas',
      'lib',
      'sdk',
      'operator',
      'cli',
      'console',
      'local',
      'cdk',
      'bench',
      'test',
    ];
    const odd = folders
      .flatMap(folder => filesBelow(folder))
      .filter(file => !file.includes('node_modules/'))
      .filter(file => /^\s*private (?!constructor\b)/m.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(odd).toEqual([]);
  });

  it('files are kebab-case, but in handlers/, where people name theirs', () => {
    const odd = ['core', 'adapters', 'lambdas', 'lib', 'providers', 'local', 'cli', 'operator', 'console']
      .flatMap(folder => filesBelow(folder))
      .filter(file => !/^(?:[a-z0-9-]+\/)*_?[a-z0-9-]+(?:\.test)?\.ts$/.test(file));
    expect(odd).toEqual([]);
  });
});

/** As the JSON reporter of Biome prints it. */
interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string };
}
