/** The files of a new project, as texts. */

/** A provider, and an event of it as a handler would get it. Without one there is a handler and no test. */
export interface ProviderSample {
  readonly id: string;
  readonly title: string;
  /** What the source must say beside the provider: name to what it is. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The URL given to the provider is part of what it signs. */
  readonly signsUrl?: true;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ProjectPlan {
  readonly name: string;
  readonly providers: readonly ProviderSample[];
  /** By package; `holdfast` may be the path of a tarball. */
  readonly versions: Readonly<Record<string, string>>;
  /** With its exact version where it is not npm: `{ name: 'pnpm', version: '11.2.0' }`. */
  readonly manager: { readonly name: 'npm' } | { readonly name: 'pnpm'; readonly version: string };
  /** Files that are the same in every project. `{{name}}` and `{{providers}}` are filled in. */
  readonly template: ReadonlyMap<string, string>;
}

/** Providers that `holdfast prove` can sign for. */
export const PROVABLE: readonly string[] = ['generic', 'stripe', 'github', 'shopify', 'standard-webhooks'];

/** The workflow and its page, where there is nothing that could be proved. */
function withoutProof(text: string): string {
  return text
    .replace(/ {2}# Sends ten thousand[\s\S]*?(?= {2}prod:)/, '')
    .replace('needs: prove', 'needs: dev')
    .replace(', is proved in an environment of its own', '')
    .replace(/, is proved in the environment `prove`[\s\S]*? at most\)/, '')
    .replace(/ In dev `PowerUserAccess`, as[\s\S]*?made\./, '')
    .replace('In prod it may', 'It may');
}

/** Path to text. */
export function projectFiles(plan: ProjectPlan): ReadonlyMap<string, string> {
  const { name, providers, template, manager } = plan;
  const fill = (text: string): string =>
    text
      .replaceAll('{{name}}', name)
      .replaceAll('{{providers}}', providers.map(({ title }) => title).join(', '))
      .replaceAll('{{first}}', providers[0]?.id ?? 'generic');
  const fits = (text: string) => (providers.some(({ id }) => PROVABLE.includes(id)) ? text : withoutProof(text));
  const worded = (text: string) => (manager.name === 'pnpm' ? forPnpm(text, manager.version) : text);
  const files = new Map([...template].map(([path, text]) => [path, worded(fill(fits(text)))]));
  files.set('package.json', `${JSON.stringify(manifest(plan), null, 2)}\n`);
  // pnpm runs no install script that is not named here.
  if (manager.name === 'pnpm') files.set('pnpm-workspace.yaml', 'allowBuilds:\n  esbuild: true\n');
  files.set('gateway.config.ts', configText(providers));
  files.set('handlers/index.ts', registryText(providers));
  for (const provider of providers) {
    files.set(`handlers/${provider.id}.ts`, handlerText(provider));
    const test = testText(provider);
    if (test !== undefined) files.set(`test/${provider.id}.test.ts`, test);
  }
  return files;
}

function manifest({ name, versions, manager }: ProjectPlan) {
  const pick = (...names: readonly string[]) => Object.fromEntries(names.map(each => [each, versions[each]]));
  return {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    ...(manager.name === 'npm' && { allowScripts: { esbuild: true } }),
    scripts: {
      start: 'holdfast start',
      test: 'tsc && holdfast check && vitest run',
      'test:e2e': 'holdfast start --once',
      drill: 'holdfast drill',
      synth: 'cdk synth --quiet "**"',
      deploy: 'holdfast deploy',
      diff: 'holdfast diff',
      destroy: 'holdfast destroy',
      holdfast: 'holdfast',
    },
    dependencies: pick('aws-cdk-lib', 'constructs', 'holdfast'),
    devDependencies: pick('@types/node', 'aws-cdk', 'typescript', 'vitest'),
  };
}

/** Commands of npm in the template's texts, as pnpm has them. */
function forPnpm(text: string, version: string): string {
  return text
    .replaceAll('npm ci', 'pnpm install --frozen-lockfile')
    .replaceAll('npx ', 'pnpm ')
    .replaceAll('npm install holdfast@latest', 'pnpm add holdfast@latest')
    .replace(/npm (test|start)/g, 'pnpm $1')
    .replace(/npm run ([\w:]+) --/g, 'pnpm $1')
    .replace(/npm run /g, 'pnpm ')
    .replaceAll('cache: npm', 'cache: pnpm')
    .replace(
      /^( +)- uses: actions\/setup-node/gm,
      `$1- uses: pnpm/action-setup@v4\n$1  with: { version: ${version} }\n$1- uses: actions/setup-node`,
    );
}

function configText(providers: readonly ProviderSample[]): string {
  const sources = providers.map(sourceText).join('\n');
  // A provider that signs its URL must be told which one it is.
  const url = providers.some(each => each.signsUrl) ? `publicUrl: 'https://hooks.example.com'` : '';
  const dev = ["alarms: 'essential'", url].filter(Boolean).join(', ');
  const ofProof = ['disposable: true', url].filter(Boolean).join(', ');
  const proof = providers.some(({ id }) => PROVABLE.includes(id))
    ? `    // Made, broken and removed by holdfast prove.\n    prove: { ${ofProof} },\n`
    : '';
  return `/** What you receive, and where it runs. Your editor shows what each key means and its default. */
import { defineGateway } from 'holdfast';

export const gateway = defineGateway({
  sources: {
${sources}
  },
  environments: {
    // Runs on this machine: npm start.
    local: {},
    // In the account and region of your AWS credentials, unless you give account: '123456789012', region: 'eu-central-1'.
    dev: { ${dev} },
${proof}    prod: {
${url === '' ? '' : `      ${url},\n`}      // Who is told: alarmTargets: { page: [{ email: 'oncall@example.com' }], ticket: [{ email: 'team@example.com' }] }.
    },
  },
});
`;
}

/** Settings are left to fill in, each with what it is. */
function sourceText({ id, settings }: ProviderSample): string {
  if (settings === undefined) return `    ${keyOf(id)}: { provider: '${id}' },`;
  const lines = Object.entries(settings).map(
    ([name, about]) => `        // ${about}\n        ${name}: 'REPLACE_ME_${'0'.repeat(24)}',`,
  );
  return `    ${keyOf(id)}: {\n      provider: '${id}',\n      settings: {\n${lines.join('\n')}\n      },\n    },`;
}

function registryText(providers: readonly ProviderSample[]): string {
  const imports = providers.map(({ id }) => `import { ${functionOf(id)} } from './${id}.ts';`).join('\n');
  const lines = providers.map(({ id }) => `  { source: '${id}', type: '*', handle: ${functionOf(id)} },`).join('\n');
  return `/** Which handler runs for which event. The most exact entry wins: a longer type before a shorter one. */
import { defineHandlers } from 'holdfast';
${imports}

export const handlers = defineHandlers([
${lines}
]);
`;
}

function handlerText({ id, title }: ProviderSample): string {
  return `/** What happens for an event of ${title}. Throw to have it tried again; PermanentError when no retry can help. */
import { done, type Handler, handlerEnv } from 'holdfast';

export const ${functionOf(id)}: Handler = async (event, context) => {
  // Written in one transaction with the event's completion: each event counts once, whatever crashes or repeats.
  context.transact([
    {
      kind: 'update',
      table: handlerEnv('COUNTS_TABLE'),
      key: { type: \`\${event.source} \${event.type}\` },
      add: { events: 1 },
      set: { lastEventId: event.id },
    },
  ]);
  return done({ actionTaken: 'counted' });
};
`;
}

function testText({ id, title, type, headers, body }: ProviderSample): string | undefined {
  if (type === undefined || body === undefined) return undefined;
  return `import { createTestEvent, runHandler } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { ${functionOf(id)} } from '../handlers/${id}.ts';

const event = createTestEvent({
  provider: '${id}',
  headers: ${indented(JSON.stringify(headers, null, 2))},
  body: ${isJson(body) ? indented(JSON.stringify(JSON.parse(body), null, 2)) : JSON.stringify(body)},
});
const options = { env: { COUNTS_TABLE: 'counts' }, tables: { counts: { key: 'type' } } };

it('counts an event of ${title.replaceAll("'", "\\'")} once, although the first attempt fails', async () => {
  let calls = 0;
  const run = await runHandler(
    async (given, context) => {
      const outcome = await ${functionOf(id)}(given, context);
      if (++calls === 1) throw new Error('the connection broke');
      return outcome;
    },
    event,
    options,
  );
  expect(run.status, run.lastError).toBe('completed');
  expect(run.tables['counts']).toMatchObject([{ type: ${JSON.stringify(`${id} ${type}`)}, events: 1 }]);
});
`;
}

/** Text that is no JSON, or a number JavaScript would round, goes into the test as it is. */
function isJson(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !/\d{16,}(?=\s*[,}\]])/.test(body);
  } catch {
    return false;
  }
}

const indented = (text: string): string => text.replaceAll('\n', '\n  ');
const keyOf = (id: string): string => (/^[a-z]+$/.test(id) ? id : `'${id}'`);
const functionOf = (id: string): string =>
  `on${id
    .split('-')
    .map(part => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')}`;
