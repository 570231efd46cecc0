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
import { circleOf, forbiddenImports, importsIn, targetOf } from './rooms/imports.ts';
import { ROOMS } from './rooms/rooms.ts';

const ROOT = join(import.meta.dirname, '..');
const biome = join(ROOT, 'node_modules/.bin/biome');

function filesBelow(folder: string, ending = '.ts'): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(ending))
    .map(name => `${folder}/${name}`);
}

/** The folder of a file of core/; `ground` for what lies in core/ itself. The ports of an engine are of its protocol. */
function folderOf(path: string): string {
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
  /** Each: a file, an import that its room may not have. */
  const FORBIDDEN_IMPORTS = [
    ['core/x.ts', 'node:crypto'],
    ['core/x.ts', '@aws-sdk/client-sqs'],
    ['core/x.ts', '#adapters/codec/node-codec.ts'],
    ['core/x.ts', '#core/verification/verdict.ts'],
    ['core/scan/x.ts', '#core/provider/provider-spec.ts'],
    ['core/verification/x.ts', '#core/inbound/protocol/event-item.ts'],
    ['core/handler/x.ts', '#core/verification/../config/resolved-config.ts'],
    ['core/retry/x.ts', '#core/config/resolved-config.ts'],
    ['core/inbound/protocol/x.ts', '#core/config/resolved-config.ts'],
    ['core/inbound/search/x.ts', '#core/inbound/replay/replay-job.ts'],
    ['core/config/x.ts', '#core/inbound/ingest/accept-request.ts'],
    ['core/inbound/replay/x.ts', '#core/inbound/sweep/sweep.ts'],
    ['core/inbound/ingest/x.ts', '#core/inbound/process/process-event.ts'],
    ['core/inbound/process/x.ts', '#core/inbound/ingest/accept-request.ts'],
    ['core/inbound/process/x.ts', '#core/inbound/replay/replay-event.ts'],
    ['core/inbound/sweep/x.ts', '#core/inbound/process/process-event.ts'],
    ['core/inbound/api/x.ts', '#core/inbound/ingest/reply.ts'],
    ['core/inbound/api/x.ts', '#core/outbound/ports.ts'],
    ['core/outbound/drain/x.ts', '#core/inbound/ports.ts'],
    ['core/outbound/drain/x.ts', '../ports.ts'],
    ['core/outbound/drain/x.ts', '#core/outbound/drain/pace.ts'],
    ['adapters/x.ts', '#handlers/index.ts'],
    ['adapters/x.ts', '#operator/operator.ts'],
    ['providers/x.ts', '#adapters/crypto/node-crypto.ts'],
    ['providers/x.ts', '#core/condition.ts'],
    ['lambdas/ingest/x.ts', 'aws-cdk-lib'],
    ['lambdas/ingest/x.ts', 'zod'],
    ['lib/stacks/x.ts', '@aws-sdk/client-sqs'],
    ['lib/stacks/x.ts', '#lambdas/ingest/handler.ts'],
    ['cli/x.ts', 'aws-cdk-lib'],
    ['cli/x.ts', '#console/server/start-console.ts'],
    ['operator/x.ts', '#cli/main.ts'],
    ['operator/events/x.ts', '#console/server/start-console.ts'],
    ['operator/x.ts', 'commander'],
    ['operator/sources/x.ts', '#local/project/sources.ts'],
    ['console/server/x.ts', '#cli/main.ts'],
    ['console/app/x.ts', '../server/start-console.ts'],
    ['console/app/x.ts', '#core/time.ts'],
    ['ui/x.ts', '../console/wire.ts'],
    ['local/stacks/x.ts', '#lib/construct-id.ts'],
    ['local/shell/x.ts', '#local/stacks/zip.ts'],
    ['handlers/x.ts', '#adapters/sqs/sqs-work-queue.ts'],
    ['handlers/x.ts', '../core/handler/handler-contract.ts'],
    ['gateway.config.ts', './core/condition.ts'],
    ['bench/growth/x.ts', '../isolation/scenario.ts'],
    ['bench/report/x.ts', '#test/kit/bundles.ts'],
  ] as const;
  const ALLOWED_IMPORTS = [
    ['core/x.ts', './condition.ts'],
    ['core/inbound/process/x.ts', '#core/handler/handler-contract.ts'],
    ['core/inbound/protocol/x.ts', '#core/inbound/ports.ts'],
    ['operator/events/x.ts', '#adapters/system.ts'],
    ['lib/stacks/x.ts', '#lambdas/ingest/env.ts'],
    ['handlers/x.ts', 'node:timers/promises'],
    ['handlers/x.ts', 'holdfast'],
    ['handlers/x.ts', './b.ts'],
    ['gateway.config.ts', './providers/mine.ts'],
    ['test/x.test.ts', '#core/condition.ts'],
  ] as const;
  const importing = (spec: string): string => `import type {\n  X,\n} from '${spec}';\n\nexport type Y = X;\n`;

  it.each(FORBIDDEN_IMPORTS)('%s may not import %s', (file, spec) => {
    expect(forbiddenImports(file, importing(spec))).toEqual([expect.stringContaining(`${file} imports ${spec}: `)]);
    expect(forbiddenImports(file, `const x = await import('${spec}');\n`)).toHaveLength(1);
  });

  it.each(ALLOWED_IMPORTS)('%s may import %s', (file, spec) => {
    expect(forbiddenImports(file, importing(spec))).toEqual([]);
  });

  it('every file imports what it may', () => {
    const files = [...new Set(Object.keys(ROOMS).map(room => room.split('/')[0] ?? room))]
      .flatMap(top => (top.endsWith('.ts') ? [top] : [...filesBelow(top), ...filesBelow(top, '.tsx')]))
      .filter(file => !file.includes('node_modules/'));
    expect(files.length).toBeGreaterThan(800);
    expect(files.flatMap(file => forbiddenImports(file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });

  it('no test but those of the measurements imports a measurement', () => {
    const readers = filesBelow('test').filter(
      file =>
        !file.startsWith('test/bench/') &&
        importsIn(readFileSync(join(ROOT, file), 'utf8')).some(spec => targetOf(spec, file).startsWith('bench/')),
    );
    expect(readers).toEqual([]);
  });

  const FORBIDDEN_CODE = [
    ['core', 'export const x = Date.now();\n', 'noRestrictedGlobals'],
    ['core', "export const x = process.env['X'];\n", 'noProcessEnv'],
    ['lambdas', "export const x = process.env['X'];\n", 'noProcessEnv'],
    ['operator', "export const x = process.env['X'];\n", 'noProcessEnv'],
    [
      'core',
      'async function f(): Promise<void> {}\nexport const g = (): void => {\n  f();\n};\n',
      'noFloatingPromises',
    ],
  ] as const;
  let found: ReturnType<typeof lint> = {};

  // One run of the linter over all of them: a run for each took half a minute.
  beforeAll(() => {
    found = lint(Object.fromEntries(FORBIDDEN_CODE.map(([folder, code], n) => [`${folder}/forbidden-${n}.ts`, code])));
  });

  it.each(FORBIDDEN_CODE.map((each, n) => [...each, n] as const))(
    'lint fails for a file in %s that says %j (%s)',
    (folder, _code, rule, n) => {
      expect(found[`${folder}/forbidden-${n}.ts`]).toEqual(expect.arrayContaining([expect.stringContaining(rule)]));
    },
  );

  const everywhere = [
    ...'core adapters lambdas lib cdk sdk operator cli console portal ui local bench packages test'.split(' '),
  ]
    .flatMap(folder => [...filesBelow(folder), ...filesBelow(folder, '.tsx')])
    .filter(file => !file.includes('node_modules/') && !file.startsWith('test/fixtures/'));

  it('no folder holds more than 25 files, but for cases', () => {
    const files = everywhere.filter(file => !/\.(?:test|suite|watch|contract)\.ts$/.test(file));
    const full = [...Map.groupBy(files, file => dirname(file))].filter(([, inside]) => inside.length > 25);
    expect(full.map(([folder, { length }]) => `${folder}: ${length}`)).toEqual([]);
  });

  it('no two files import each other, however far round', () => {
    const known = new Set(everywhere);
    const importedBy = (file: string) =>
      importsIn(readFileSync(join(ROOT, file), 'utf8'))
        .map(spec => targetOf(spec, file))
        .filter(it => known.has(it));
    const arrows = new Map(everywhere.map(file => [file, new Set(importedBy(file))]));
    expect([...arrows.values()].reduce((sum, { size }) => sum + size, 0)).toBeGreaterThan(5_000);
    expect(circleOf(arrows)).toEqual([]);
  });

  it('no two folders of core import each other, however far round', () => {
    const files = filesBelow('core');
    const arrows = new Map(files.map(file => [folderOf(file), new Set<string>()]));
    for (const file of files)
      for (const spec of importsIn(readFileSync(join(ROOT, file), 'utf8'))) {
        const to = folderOf(targetOf(spec, file));
        if (to !== folderOf(file)) arrows.get(folderOf(file))?.add(to);
      }
    expect(circleOf(arrows)).toEqual([]);
  });

  it('core never draws random numbers of its own', () => {
    const drawing = filesBelow('core').filter(file => readFileSync(join(ROOT, file), 'utf8').includes('Math.random'));
    expect(drawing).toEqual([]);
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
      .filter(name => name.endsWith('.ts') && !['all.ts', 'index.ts', '_template.ts'].includes(name))
      // A person's own.
      .filter(name => !config.includes(`'./providers/${name}'`));
    expect(Object.keys(PROVIDERS).sort()).toEqual(files.map(name => name.replace(/\.ts$/, '')).sort());
  });

  it('no test and no measurement reads what a person edits', () => {
    const own = /(?:from |import\()'(?:#config'|#handlers\/(?!examples\/))|(?:ROOT|REPOSITORY), 'gateway\.config\.ts'/;
    // Two ask which provider files are a person's own; the third stands around the fixture's handlers, in a bundle only.
    const allowed = ['test/architecture.test.ts', 'test/written/provider-index.ts', 'test/bundles/handlers.ts'];
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

  it('the units of time are declared in core/time.ts, and nowhere else', () => {
    const unit = /const (?:SECOND|MINUTE|HOUR|DAY)(?:_MS|_SECONDS)? = [^;]*(?:000|3_?600|86_?400|\b60 \*)/;
    const folders = [
      'core',
      'adapters',
      'lambdas',
      'lib',
      'operator',
      'cli',
      'local',
      'console/server',
      'sdk',
      'bench',
    ];
    const own = [...folders, 'test']
      .flatMap(folder => filesBelow(folder))
      .filter(file => {
        // These two run where there is no core/.
        if (file.startsWith('test/packages/') || file.startsWith('test/oracles/')) return false;
        return unit.test(readFileSync(join(ROOT, file), 'utf8'));
      });
    expect(own).toEqual(['core/time.ts']);
  });

  it('every metric is emitted somewhere', () => {
    const code = [...filesBelow('core'), ...filesBelow('lambdas')]
      .filter(file => file !== 'core/metrics.ts')
      .map(file => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
    const silent = allMetrics().filter(name => !code.includes(`'${name}'`));
    expect(silent).toEqual([]);
  });

  it('every metric has a reader: an alarm, a graph, or a page that sends a person to it', () => {
    const readers = [...filesBelow('lib/alarms'), ...filesBelow('lib/constructs'), ...filesBelow('docs/operate', '.md')]
      .map(file => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
    expect(allMetrics().filter(name => !readers.includes(`'${name}'`) && !readers.includes(`\`${name}\``))).toEqual([]);
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
      'mcp',
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

  it.each(['bench/peers', 'test/mutation', 'test/oracles'])(
    'a folder with a package.json of its own imports nothing by a name of ours, which Node would not find there (%s)',
    folder => {
      expect(existsSync(join(ROOT, folder, 'package.json'))).toBe(true);
      const odd = filesBelow(folder)
        .filter(file => !file.includes('node_modules/'))
        .flatMap(file => importsIn(readFileSync(join(ROOT, file), 'utf8')).map(spec => `${file} imports ${spec}`))
        .filter(line => line.includes(' imports #'));
      expect(odd).toEqual([]);
    },
  );

  it('files are kebab-case, but in handlers/, where people name theirs', () => {
    const odd = ['core', 'adapters', 'lambdas', 'lib', 'providers', 'local', 'cli', 'operator', 'console', 'mcp']
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
