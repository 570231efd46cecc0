/**
 * Every file that is made from code, by what makes it. `npm run write` writes them; a test of the default run fails when one
 * is out of date. Recordings and pictures that need a browser or the local AWS have commands of their own (`npm run docs:*`).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countedUnits } from '#operator/cost/counted-units.ts';
import { FIXED_COSTS_FILE } from '#operator/cost/fixed-costs.ts';
import { predictCost } from '#operator/cost/predict-cost.ts';
import { literal } from '#operator/sources/provider-files.ts';
import { SCHEME_EXAMPLES } from '#operator/sources/scheme-examples.ts';
import { countStreams } from '#test/bench/metric-streams.ts';
import { renderSizing } from '#test/bench/sizing-page.ts';
import { POLL_FILES } from '#test/kit/samples/poll-clients.ts';
import { alarmLines, listAlarms } from '#test/lib/synth/alarm-list.ts';
import { computeFixedCosts, renderIdleCostPage } from '#test/lib/synth/idle-cost.ts';
import { deliveryDocument } from '#test/surfaces/api/delivery-document.ts';
import { portalDocument } from '#test/surfaces/api/portal-document.ts';
import { statusDocument } from '#test/surfaces/api/status-document.ts';
import { recordTroubles } from '#test/surfaces/api/troubles.ts';
import { everyCommand } from '#test/surfaces/cli/every-command.ts';
import { renderTerminals } from '#test/surfaces/cli/terminals.ts';
import { renderConfigPage } from '#test/surfaces/docs/config-page.ts';
import { drawNight } from '#test/surfaces/docs/dashboard/draw-night.ts';
import { GUIDE_CODE, readPages } from '#test/surfaces/docs/pages.ts';
import { jsonText } from '#test/written/json-text.ts';
import { renderProviderDocs } from '#test/written/provider-docs.ts';
import { FORMS, LANGUAGES, type Language, verifyCode } from '../../portal/app/verify-code.ts';
import { renderAwsPage } from './aws-rules.ts';
import { withBlock } from './block.ts';
import { renderExportsPage } from './exports-page.ts';
import { licencesOf } from './licences.ts';
import { writesTable } from './outbound-writes.ts';
import { renderProviderList } from './provider-index.ts';
import { renderLimitsPage, renderMetricsPage } from './reference-pages.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** Texts by path from the repository's root; `undefined` for a file that has to go. */
export type Written = ReadonlyMap<string, string | undefined>;

/** The text that a file has now, `undefined` where there is none. */
export function readWritten(path: string): string | undefined {
  const file = join(ROOT, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

const SENDING = 'docs/understand/how-sending-works.md';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const one = (path: string, text: string): Written => new Map([[path, text]]);

async function idleCost(): Promise<Written> {
  const [page, costs] = [await renderIdleCostPage(), await computeFixedCosts()];
  const dollars = (level: keyof typeof costs): string =>
    `$${costs[level].reduce((sum, line) => sum + line.dollars, 0).toFixed(2)}`;
  const each = (millions: number): string =>
    `at ${millions}M a day $${predictCost(millions * 1e6, countedUnits().body, 'all').perMillion.toFixed(2)}`;
  const readme = withBlock(
    withBlock(readWritten('README.md') ?? '', 'cost', `${each(1)}, ${each(10)}`),
    'idle-cost',
    dollars('all'),
  );
  return new Map([
    ['docs/operate/costs.md', page],
    [FIXED_COSTS_FILE.slice(ROOT.length + 1), jsonText(costs)],
    ['README.md', readme],
  ]);
}

function providerPages(): Written {
  const pages = renderProviderDocs();
  const gone = readdirSync(join(ROOT, 'docs/providers'))
    .map(name => `docs/providers/${name}`)
    .filter(path => !pages.has(path));
  return new Map<string, string | undefined>([...pages, ...gone.map(path => [path, undefined] as const)]);
}

async function runbookTables(): Promise<Written> {
  const alarms = await listAlarms();
  const paths = readdirSync(join(ROOT, 'docs/runbooks')).filter(name => name !== 'README.md');
  return new Map(
    paths.map(name => {
      const path = `docs/runbooks/${name}`;
      return [path, withBlock(readWritten(path) ?? '', 'alarms', alarmLines(alarms, name.replace(/\.md$/, '')))];
    }),
  );
}

const ENDS = {
  'Node.js': 'mjs',
  Python: 'py',
  Go: 'go',
  Java: 'java',
  Ruby: 'rb',
  PHP: 'php',
} as const satisfies Readonly<Record<Language, string>>;

/** One program is in the page; the others are a link away. */
const folded = (summary: string, code: string): string =>
  `\n<details><summary>${summary}</summary>\n\n\`\`\`js\n${code}\`\`\`\n\n</details>\n`;

/** What the portal shows to one customer, for every form. */
function signaturesPage(): Written {
  const path = 'docs/send/signatures.md';
  const all = Object.entries(FORMS).flatMap(([form, shape]) =>
    LANGUAGES.map(language => ({
      ...{ form, language, file: `verify/${form}.${ENDS[language]}` },
      code: verifyCode(language, shape, 'WEBHOOK_SECRET'),
    })),
  );
  const rows = Object.keys(FORMS).map(form => {
    const links = all.filter(it => it.form === form).map(({ language, file }) => `[${language}](${file})`);
    return `- \`${form}\`: ${links.join(', ')}`;
  });
  const [first] = all;
  const shown = folded('<code>standard</code> in Node.js', first?.code ?? '');
  return new Map([
    [path, withBlock(readWritten(path) ?? '', 'verify-code', `\n${rows.join('\n')}\n${shown}`)],
    ...all.map(({ file, code }) => [`docs/send/${file}`, code] as const),
  ]);
}

/** Clients of the feed, as they are run by a test. */
function pollClients(): Written {
  const path = 'docs/send/feed.md';
  const links = LANGUAGES.map(it => `[${it}](poll/${POLL_FILES[it]})`).join(', ');
  const code = readWritten(`docs/send/poll/${POLL_FILES['Node.js']}`) ?? '';
  return one(path, withBlock(readWritten(path) ?? '', 'poll-clients', `\n${links}.\n${folded('Node.js', code)}`));
}

/** Pages show files of the repository, which compile and are tested: each stands behind a comment with its path. */
function guideCode(): Written {
  const pages = readPages().filter(({ text }) => GUIDE_CODE.test(text));
  return new Map(
    pages.map(({ path, text }) => [
      path,
      text.replace(new RegExp(GUIDE_CODE, 'g'), (_, mark, file) => `${mark}\`\`\`ts\n${readWritten(file) ?? ''}\`\`\``),
    ]),
  );
}

/** The first awkward order, as the local AWS is held to it. */
function orderTimeline(): Written {
  const path = 'docs/receive/ordering.md';
  const [, first = ''] = (readWritten('test/fixtures/ordering-timelines.txt') ?? '').split(/^## .*$/m);
  const shown = first.slice(first.indexOf('**Latest wins**')).trim();
  return one(path, withBlock(readWritten(path) ?? '', 'timeline', `\n${shown}\n`));
}

/** Each route of the delivery API with what it does, from its OpenAPI document. */
function routeList(): Written {
  const path = 'docs/api/delivery.md';
  const { paths } = deliveryDocument() as { paths: Record<string, Record<string, { summary: string }>> };
  const lines = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => `- \`${method.toUpperCase()} ${route}\`: ${summary}`),
  );
  return one(path, withBlock(readWritten(path) ?? '', 'routes', `\n${lines.join('\n')}\n`));
}

/** Each command with its arguments and the first sentence of the program's own help. */
function commandList(): Written {
  const path = 'docs/reference/cli.md';
  const lines = everyCommand().map(({ path: words, command }) => {
    const args = command.registeredArguments.map(it => (it.required ? `<${it.name()}>` : `[${it.name()}]`));
    const [sentence = ''] = /^.*?(?=\. |$)/.exec(command.description()) ?? [];
    return `- \`${[...words, ...args].join(' ')}\`: ${sentence}`;
  });
  return one(path, withBlock(readWritten(path) ?? '', 'commands', `\n${lines.join('\n')}\n`));
}

/** Each way to sign, and the entry that `sources new` writes for the first. */
function schemeTable(): Written {
  const path = 'docs/receive/add-a-provider.md';
  const all = Object.entries(SCHEME_EXAMPLES);
  const rows = all.map(([alg, { has }]) => `- \`${alg}\`: ${has}`);
  const [[alg, { entry }] = ['', { entry: {} }]] = all;
  const lines = ['', ...rows, '', 'An entry of `verify`:', '', '```ts', literal({ alg, ...entry }), '```', ''];
  return one(path, withBlock(readWritten(path) ?? '', 'schemes', lines.join('\n')));
}

/** What deliveries take, as the benchmark found it. */
function sizingTable(): Written {
  const path = 'docs/operate/scale.md';
  return one(path, withBlock(readWritten(path) ?? '', 'sizing', renderSizing()));
}

export const WRITERS: Readonly<Record<string, () => Written | Promise<Written>>> = {
  'what we assume of AWS': () => one('docs/understand/aws-assumptions.md', renderAwsPage()),
  'the list of providers': () => one('providers/all.ts', renderProviderList()),
  'the keys of the configuration': () => one('docs/reference/configuration.md', renderConfigPage()),
  'what the packages export': () => one('docs/reference/exports.md', renderExportsPage()),
  'the sizing of deliveries': sizingTable,
  'the commands': commandList,
  'the ways to sign': schemeTable,
  'the metrics': () => one('docs/reference/metrics.md', renderMetricsPage(readWritten('core/metrics.ts') ?? '')),
  'the limits': () =>
    one(
      'docs/reference/limits.md',
      renderLimitsPage(path => readWritten(path) ?? ''),
    ),
  'the writes of sending': () =>
    one(
      SENDING,
      withBlock(
        readWritten(SENDING) ?? '',
        'writes',
        writesTable(readWritten('core/outbound/protocol/delivery-writes.ts') ?? ''),
      ),
    ),
  'the code of the guides': guideCode,
  'the awkward order of the guide': orderTimeline,
  'the routes of the delivery API': routeList,
  'the requests of the status API': () =>
    one('docs/api/openapi.json', json(statusDocument(readWritten('docs/api/openapi.json') ?? ''))),
  'the delivery API': () => one('docs/api/delivery-openapi.json', json(deliveryDocument())),
  'the API of the portal': () => one('docs/api/portal-openapi.json', json(portalDocument())),
  'code that verifies a signature': signaturesPage,
  'clients of the feed': pollClients,
  'what customers see of each trouble': async () => one('docs/api/troubles.json', json(await recordTroubles())),
  'the alarms of each runbook': runbookTables,
  'what an idle environment costs': idleCost,
  'the pages of the providers': providerPages,
  'what commands print': async () => one('test/surfaces/cli/terminals.txt', await renderTerminals()),
  'how many metrics are billed': async () => one('operator/cost/counted-streams.json', jsonText(await countStreams())),
  'the licences of what a project installs': () => {
    const [own, { packages }] = ['package.json', 'package-lock.json'].map(path => JSON.parse(readWritten(path) ?? ''));
    return one('SECURITY.md', withBlock(readWritten('SECURITY.md') ?? '', 'licences', licencesOf(own, packages)));
  },
  'the picture of the dashboard': async () => one('docs/operate/dashboard.svg', await drawNight()),
};
