/** `holdfast sources new` and `sources page`: a provider that Holdfast does not know, and what its description says. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SchemeAlgorithm } from '#core/provider/provider-spec.ts';
import { PACKAGE_ROOT, PROJECT_ROOT } from '#local/shell/workspace.ts';
import { providerOf } from '#operator/refused/verify-captured.ts';
import {
  constantOf,
  EXTENSION,
  providerTestText,
  providerText,
  samplesText,
  titleOf,
} from '#operator/sources/provider-files.ts';
import { SCHEME_EXAMPLES } from '#operator/sources/scheme-examples.ts';
import { PROVIDERS } from '#providers/index.ts';
import { usageError } from '../../cli-error.ts';
import { oneOf } from '../../filter-options.ts';
import { renderProviderPage } from '../../render-provider-page.ts';
import type { Run, RunCommand } from '../../run.ts';

const ALGORITHMS = Object.keys(SCHEME_EXAMPLES) as readonly SchemeAlgorithm[];

export function addSourcesNew(sources: RunCommand): void {
  sources
    .command('new')
    .argument('<provider>', 'its id: lower-case letters, digits and hyphens')
    .description('Write the files of a provider that Holdfast does not know')
    .option('--alg <name>', `how it signs: ${ALGORITHMS.join(', ')}`, 'hmac-sha256')
    .option('--folder <path>', 'the project (default: the one you are in)')
    .examples(
      ['holdfast sources new acme', 'an HMAC over time and body, to be changed'],
      ['holdfast sources new acme --alg token', 'a bearer token'],
    )
    .does(async (run, id: string, options: NewOptions) => writeProvider(run, id, options));

  sources
    .command('page')
    .argument('<provider>', 'the id of a provider; of your own, one that a source uses')
    .description('Print what is known of a provider: proof, identity, answer, set-up')
    .examples(
      ['holdfast sources page stripe', 'in Markdown'],
      ['holdfast sources page acme > acme.md', 'the page of your own'],
    )
    .does(async (run, id: string) => {
      const text = renderProviderPage(providerOf(run, id)).trimEnd();
      run.out.result({ provider: id, markdown: text }, () => text.split('\n'));
    });
}

interface NewOptions {
  readonly alg: string;
  readonly folder?: string;
}

function writeProvider(run: Run, id: string, { alg, folder = PROJECT_ROOT }: NewOptions): void {
  if (!/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(id) || id.includes('--'))
    throw usageError(
      `"${id.slice(0, 60)}" is no id of a provider`,
      'up to 40 lower-case letters, digits and inner hyphens, a letter first',
      'e.g. acme',
    );
  if (Object.hasOwn(PROVIDERS, id))
    throw usageError(`${id} is described already`, 'an id of your own', `use it: ${id}: { provider: '${id}' }`);
  const known = oneOf('--alg', alg, ALGORITHMS, 'choose one');
  const today = new Date(run.clock.now()).toISOString().slice(0, 10);
  // In a checkout of Holdfast the suites of all providers test it.
  const isOurs = folder === PROJECT_ROOT && PROJECT_ROOT === PACKAGE_ROOT;
  const files: readonly (readonly [string, string, string])[] = [
    [`providers/${id}.ts`, providerText({ id, alg: known, today }), 'how it signs, and what identifies an event'],
    [`providers/samples/${id}.json`, samplesText(), 'an event, which `send` sends'],
    ...(isOurs
      ? []
      : [[`test/${id}-provider.test.ts`, providerTestText(id), 'does it tell its events apart?'] as const]),
  ];
  const there = files.find(([path]) => existsSync(join(folder, path)));
  if (there) throw usageError(`${there[0]} is there already`, 'an id that has no files yet', 'change that file');
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const name = constantOf(id);
  const key = name === id ? id : `'${id}'`;
  run.out.result({ provider: id, files: files.map(([path]) => path) }, () => [
    ...files.map(([path, , about]) => `${path}: ${about}`),
    `Change them to what its documentation says: ${run.command('runbook docs/receive/add-a-provider.md')}`,
    ...(isOurs
      ? []
      : [
          '',
          `In gateway.config.ts, above and under sources:`,
          `  import { ${name} } from './providers/${id}${EXTENSION}';`,
          `  ${key}: { provider: ${name} },`,
        ]),
  ]);
  if (isOurs) run.out.next('npm run write', 'registers it; then a vector in test/fixtures/own-vectors.json');
  else
    run.out.next(
      'npm test',
      `then ${run.command(`send ${id}`)}, ${run.command(`sources page ${id}`)}: ${titleOf(id)} on one page`,
    );
}
