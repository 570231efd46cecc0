/**
 * `npm run where -- core/ask.ts`: the suites that load a file, the nearest first, and the command that runs the nearest ones.
 * Made from the imports of the tests; what a bundle loads at run time is added by hand below.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { argv, cwd } from 'node:process';
import { distancesFrom } from './import-graph.ts';

const ROOT = join(import.meta.dirname, '../..');
const SHOWN = 12;

const filesBelow = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(ending) && !name.includes('node_modules'))
    .map(name => `${folder}/${name}`);

const FUNCTIONS = readdirSync(join(ROOT, 'lambdas')).filter(name => name !== 'shared');
const HANDLERS = FUNCTIONS.map(name => `lambdas/${name}/handler.ts`);

/** What is deployed or bundled is loaded too, and no import says so. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  'test/e2e/gateway-under-test.ts': HANDLERS,
  'test/e2e/npm-start.test.ts': HANDLERS,
  'test/surfaces/lambdas/exported-handlers.test.ts': HANDLERS,
  'test/lib/synth/routes.test.ts': filesBelow('adapters/targets', '.ts'),
};

export interface Suite {
  readonly test: string;
  /** Imports between the test and the file; 1: the test imports it itself. */
  readonly far: number;
}

const suites = filesBelow('test', '.test.ts').map(test => ({ test, loaded: distancesFrom(test, UNSEEN) }));

/** The tests that load this file (its path from the repository's root): the one of its name first, then the nearest. */
export function suitesOf(file: string): readonly Suite[] {
  const own = `test/${file.replace(/\.tsx?$/, '.test.ts')}`;
  const rank = ({ test, far }: Suite): number => (test === own ? 0 : far);
  return suites
    .flatMap(({ test, loaded }) => {
      const far = loaded.get(file);
      return far === undefined || far === 0 ? [] : [{ test, far }];
    })
    .toSorted((a, b) => rank(a) - rank(b) || (a.test < b.test ? -1 : 1));
}

function tell(given: string): boolean {
  const file = relative(ROOT, normalize(join(cwd(), given)));
  if (!existsSync(join(ROOT, file))) {
    console.error(`There is no file ${given}. Give a file of the product, such as core/ask.ts.`);
    return false;
  }
  const found = suitesOf(file);
  if (found.length === 0) {
    console.error(`No test loads ${file}.`);
    return false;
  }
  const near = found.filter(({ far }) => far <= (found[0]?.far ?? 0));
  console.log(`${found.length} suites load ${file}:`);
  for (const { test, far } of found.slice(0, SHOWN))
    console.log(`  ${test}${far === 1 ? '' : ` (through ${far - 1} ${far === 2 ? 'file' : 'files'})`}`);
  if (found.length > SHOWN) console.log(`  and ${found.length - SHOWN} more`);
  console.log(
    `\nThe nearest: npx vitest run ${near
      .slice(0, SHOWN)
      .map(({ test }) => test)
      .join(' ')}`,
  );
  return true;
}

if (import.meta.main) {
  const given = argv.slice(2);
  if (given.length === 0) console.error('Give one or more files, such as: npm run where -- core/ask.ts');
  if (given.length === 0 || !given.map(tell).every(it => it)) process.exitCode = 1;
}
