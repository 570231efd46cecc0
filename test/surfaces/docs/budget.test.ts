/**
 * How many words a page may have that people write (blocks made from code, and files that a page shows, are not counted). Lower a
 * number, never raise it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GUIDE_CODE, ROOT, readPages } from './pages.ts';

const CEILINGS: Readonly<Record<string, number>> = {
  'README.md': 790,
  'CONTRIBUTING.md': 450,
  'SECURITY.md': 380,
  'CHANGELOG.md': 400,
  'AGENTS.md': 150,
  'UPGRADING.md': 120,
  'docs/README.md': 160,
  'docs/receive/first-event.md': 800,
  'docs/receive/add-a-provider.md': 860,
  'docs/receive/your-own-project.md': 750,
  'docs/receive/handlers.md': 1_040,
  'docs/receive/ordering.md': 650,
  'docs/receive/routing.md': 850,
  'docs/receive/missing-events.md': 500,
  'docs/receive/changed-payloads.md': 430,
  'docs/receive/on-a-laptop.md': 600,
  'docs/send/first-message.md': 596,
  'docs/send/publish.md': 800,
  'docs/send/feed.md': 240,
  'docs/send/retries.md': 418,
  'docs/send/batches.md': 270,
  'docs/send/signatures.md': 330,
  'docs/send/event-types.md': 600,
  'docs/send/portal.md': 620,
  'docs/send/contacts.md': 150,
  'docs/send/for-your-customers.md': 560,
  'docs/send/moving.md': 750,
  'docs/send/fixed-address.md': 380,
  'docs/operate/deploy.md': 1_120,
  'docs/operate/prove.md': 430,
  'docs/operate/cdk.md': 300,
  'docs/operate/prove-local.md': 600,
  'docs/operate/secrets.md': 560,
  'docs/operate/alarms.md': 430,
  'docs/operate/watch.md': 490,
  'docs/operate/agents.md': 250,
  'docs/operate/scale.md': 1_000,
  'docs/operate/recover.md': 1_100,
  'docs/operate/service-levels.md': 380,
  'docs/operate/traces.md': 300,
  'docs/operate/address-limit.md': 420,
  'docs/understand/guarantees.md': 700,
  'docs/understand/how-receiving-works.md': 2_200,
  'docs/understand/how-sending-works.md': 2_210,
  'docs/understand/architecture.md': 800,
  'docs/understand/threats.md': 1_050,
  'docs/understand/proof.md': 630,
  'docs/understand/measured.md': 230,
  'docs/api/README.md': 220,
  'docs/api/delivery.md': 170,
  'docs/reference/cli.md': 380,
  'docs/reference/words.md': 560,
};

/** Pages that a command makes whole: they grow with the code. */
const MADE: Readonly<Record<string, number>> = {
  'docs/operate/costs.md': 430,
  'docs/reference/configuration.md': 2_660,
  'docs/reference/limits.md': 360,
  'docs/reference/metrics.md': 700,
  'docs/reference/exports.md': 630,
  'docs/reference/providers.md': 1_050,
  'docs/understand/aws-assumptions.md': 1_650,
};

/** Pages that a run makes whole. */
const BY_RUNS: Readonly<Record<string, number>> = {
  'docs/operate/prove-local.md': 600,
  'bench/RESULTS.md': 4_150,
  'test/oracles/RESULTS.md': 1_070,
};

/** All that people write, in every page of the repository. */
const SUM = 44_300;

/** One page of a provider, on average. */
const PROVIDER_PAGE = 101;

/** All that is made: whole pages, and blocks of others. Of the providers, as many pages as there were when this was set. */
const MADE_SUM = 31_300;
const PROVIDERS_COUNTED = 108;

/** All pages of a folder together. */
const FOLDERS: Readonly<Record<string, number>> = {
  'docs/runbooks/': 4_200,
  'docs/decisions/': 5_800,
};

const wordsIn = (text: string): number => text.split(/\s+/).filter(Boolean).length;
/** Those that people write. */
const wordsOf = (text: string): number =>
  wordsIn(text.replaceAll(/<!-- written:[\s\S]*?<!-- \/written -->/g, '').replaceAll(new RegExp(GUIDE_CODE, 'g'), ''));
const isProvider = (path: string): boolean => path.startsWith('docs/providers/');
const pages = readPages().filter(({ path }) => !isProvider(path));
const files = execFileSync('git', ['ls-files', '--', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter(path => existsSync(join(ROOT, path)))
  .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
const made = [...Object.keys(MADE), ...Object.keys(BY_RUNS)];

const sumOf = (some: typeof files, count: (text: string) => number): number =>
  some.reduce((sum, { text }) => sum + count(text), 0);

it('each page keeps to its number', () => {
  const wrong = pages
    .filter(({ path }) => !Object.keys(FOLDERS).some(folder => path.startsWith(folder)))
    .map(({ path, text }) => ({ path, words: wordsOf(text), may: CEILINGS[path] ?? MADE[path] ?? 0 }))
    .filter(({ words, may }) => words > may);
  expect(wrong).toEqual([]);
});

it('each page that a run makes keeps to its number', () => {
  for (const [path, may] of Object.entries(BY_RUNS))
    expect(wordsOf(readFileSync(join(ROOT, path), 'utf8')), path).toBeLessThanOrEqual(may);
});

it('each folder keeps to its number', () => {
  for (const [folder, may] of Object.entries(FOLDERS)) {
    const words = pages.filter(it => it.path.startsWith(folder)).reduce((sum, { text }) => sum + wordsOf(text), 0);
    expect(words, folder).toBeLessThanOrEqual(may);
  }
});

it('all pages that people write keep to one number together', () => {
  const paths = files.map(({ path }) => path);
  expect(made.filter(path => !paths.includes(path))).toEqual([]);
  const byHand = files.filter(({ path }) => !made.includes(path) && !isProvider(path));
  const words = sumOf(byHand, wordsOf);
  expect(words).toBeGreaterThan(30_000);
  expect(words).toBeLessThanOrEqual(SUM);
});

it('all that is made keeps to one number together, and a page of a provider to one on average', () => {
  const providers = files.filter(({ path }) => isProvider(path));
  const average = sumOf(providers, wordsIn) / providers.length;
  expect(average).toBeLessThanOrEqual(PROVIDER_PAGE);

  const rest = files.filter(({ path }) => !isProvider(path));
  const inPages = sumOf(
    rest.filter(({ path }) => made.includes(path)),
    wordsIn,
  );
  const byHand = rest.filter(({ path }) => !made.includes(path));
  const inBlocks = sumOf(byHand, wordsIn) - sumOf(byHand, wordsOf);
  expect(inPages + inBlocks + average * PROVIDERS_COUNTED).toBeLessThanOrEqual(MADE_SUM);
});
