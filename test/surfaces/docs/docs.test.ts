/** README and docs are claims: what they name must be there. One case per kind of name, over every page. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as cloudformation from '@aws-sdk/client-cloudformation';
import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import * as logs from '@aws-sdk/client-cloudwatch-logs';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as secretsmanager from '@aws-sdk/client-secrets-manager';
import * as sqs from '@aws-sdk/client-sqs';
import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '#cli/main.ts';
import { CommandSet, type Services } from '#cli/run.ts';
import { allMetrics } from '#core/metrics.ts';
import { FUNCTION_NAMES, OUTBOUND_FUNCTION_NAMES } from '#lib/bundling/function-names.ts';
import { toConstructId } from '#lib/construct-id.ts';
import { isPage } from '#packages/shipped-pages.ts';
import { type SynthesizedEnvironment, synthEnvironment } from '../../lib/synth/synth-environment.ts';
import { anchorsOf, commandLines, inlineCode, type Page, ROOT, readPages, relativeLinks } from './pages.ts';

const CLIENTS: Readonly<Record<string, object>> = { cloudformation, cloudwatch, dynamodb, logs, secretsmanager, sqs };
/** Outputs of the delivery stack, beside its functions (delivery-stack.test.ts). */
const DELIVERY_OUTPUTS = ['DeliveryApiUrl', 'RegistryTable', 'OutboxTable', 'JobsQueueUrl'];
/** Actions of IAM without a command of their own. */
const THEIRS = ['ConditionCheckItem'];
/** What a reader is asked to make. */
const MADE_UP = [
  'docs/providers/acme.md',
  'providers/acme.ts',
  'providers/samples/acme.json',
  'handlers/acme.ts',
  'test/acme.test.ts',
  'handlers/stripe.ts',
  'test/stripe.test.ts',
];

const pages = readPages();
/** `page: what` of everything a check finds wrong. The changelog is history: what it names may be gone. */
function wrongOnPages(check: (page: Page) => readonly string[]): readonly string[] {
  return pages
    .filter(({ path }) => path !== 'CHANGELOG.md')
    .flatMap(page => check(page).map(it => `${page.path}: ${it}`));
}

let prod: SynthesizedEnvironment;
beforeAll(async () => {
  prod = await synthEnvironment('prod');
});

describe('every page', () => {
  it('is seen', () => {
    expect(pages.map(it => it.path)).toEqual(
      expect.arrayContaining(['README.md', 'docs/understand/how-receiving-works.md']),
    );
    expect(pages.length).toBeGreaterThan(100);
  });

  it('links to files and headings that exist', () => {
    const wrong = wrongOnPages(page =>
      relativeLinks(page).flatMap(({ file, anchor }) => {
        if (!existsSync(join(ROOT, file))) return [`${file} does not exist`];
        if (anchor === '' || !file.endsWith('.md')) return [];
        return anchorsOf(readFileSync(join(ROOT, file), 'utf8')).has(anchor)
          ? []
          : [`${file} has no heading #${anchor}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('links to code for readers that ships with the pages', () => {
    const outside = (file: string) =>
      /\.(?:go|java|mjs|php|py|rb)$/.test(file) && !(file.startsWith('docs/') && isPage(file));
    const wrong = wrongOnPages(page =>
      page.path.startsWith('docs/')
        ? relativeLinks(page)
            .map(({ file }) => file)
            .filter(outside)
        : [],
    );
    expect(wrong).toEqual([]);
  });

  it('speaks plainly: none of the words that readers stumbled over', () => {
    const odd =
      /\bmend(?:s|ed|ing)?\b|\bfor ever\b|\bat most so (?:long|many|much)\b|\bfirst way\b|\bbecame of\b|\bhears? of\b|\bthat came meanwhile\b|\bso many (?:events|seconds|messages|runs)\b|\bgoes on with\b|\bwake[- ]tokens?\b|\bclosed gates?\b|\bgate (?:is )?closed\b/i;
    const wrong = wrongOnPages(page =>
      page.path.startsWith('docs/decisions/') ? [] : page.text.split('\n').filter(line => odd.test(line)),
    );
    expect(wrong).toEqual([]);
  });

  it('names files of the repository that exist', () => {
    const folders = readdirSync(ROOT, { withFileTypes: true }).filter(
      it => it.isDirectory() && !it.name.startsWith('.'),
    );
    const path = new RegExp(`^(?:${folders.map(it => it.name).join('|')})/[\\w./-]*$`);
    const wrong = wrongOnPages(page =>
      inlineCode(page).filter(
        code =>
          path.test(code) &&
          !code.startsWith('node_modules/') &&
          !MADE_UP.includes(code) &&
          !existsSync(join(ROOT, code)),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('has blocks that can be pasted into zsh, which knows no comments at the prompt', () => {
    const wrong = wrongOnPages(page =>
      [...page.text.matchAll(/^```bash\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
        block.split('\n').filter(line => /^[A-Z_]+=\S*\s+#/.test(line) || /^#.*['`]/.test(line)),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const wrong = wrongOnPages(page =>
      commandLines(page).flatMap(line =>
        [...line.matchAll(/\bnpm (?:run ([\w:-]+)|(test|start)\b)/g)]
          .map(([, script, short]) => script ?? short ?? '')
          .filter(script => !Object.hasOwn(scripts, script)),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('names commands of the CLI, with options, that exist', () => {
    const program = buildProgram(new CommandSet({} as Services), {
      io: { env: {}, stdout: { columns: 80 }, stderr: { columns: 80 } } as unknown as Services['io'],
    });
    let seen = 0;
    const wrong = wrongOnPages(page =>
      commandLines(page).flatMap(line => {
        // At the beginning, or inside $(…) or behind a pipe; never the word in a sentence or a path.
        const match = /(?:^|\$\(|[|;&]\s*)(?:npm run holdfast --|npx holdfast|holdfast)\s+([a-z].*)$/.exec(line);
        if (!match) return [];
        seen += 1;
        return problemsOfCall((match[1] ?? '').split(/[|;&)]/)[0] ?? '', program).map(it => `${line}: ${it}`);
      }),
    );
    expect(wrong).toEqual([]);
    expect(seen).toBeGreaterThan(8);
  });

  it('names commands of the AWS CLI that exist', () => {
    const waits = ['wait'];
    const theirOwn = ['logs tail'];
    let seen = 0;
    const wrong = wrongOnPages(page =>
      commandLines(page).flatMap(line =>
        [...line.matchAll(/(?:^|\$\(|[|;&"]\s*)aws ([a-z0-9-]+) ([a-z0-9-]+)/g)].flatMap(
          ([, service = '', verb = '']) => {
            const client = CLIENTS[service];
            if (client === undefined || waits.includes(verb) || theirOwn.includes(`${service} ${verb}`)) return [];
            seen += 1;
            const name = verb.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
            return Object.hasOwn(client, `${name}Command`) ? [] : [`aws ${service} ${verb}`];
          },
        ),
      ),
    );
    expect(wrong).toEqual([]);
    expect(seen).toBeGreaterThan(5);
  });

  it('names outputs of the stack that exist', () => {
    // Some functions are deployed only where the configuration asks for them.
    const functions = FUNCTION_NAMES.map(name => `${toConstructId(name)}Function`);
    const delivery = [...OUTBOUND_FUNCTION_NAMES, 'drain-fast', 'drain-slow'].map(
      name => `${toConstructId(name)}Function`,
    );
    const outputs = [...Object.keys(prod.gateway.findOutputs('*')), ...functions, ...delivery, ...DELIVERY_OUTPUTS];
    const wrong = wrongOnPages(page =>
      [...page.text.matchAll(/(?:\$\(out|\blogs) ([A-Z]\w+)/g)]
        .map(([, name = '']) => name)
        .filter(name => !outputs.includes(name)),
    );
    expect(wrong).toEqual([]);
  });

  it('names alarms that exist', () => {
    const alarms = ['Alarm', 'CompositeAlarm'].flatMap(type =>
      Object.values(prod.gateway.findResources(`AWS::CloudWatch::${type}`)).map(it =>
        String(it['Properties'].AlarmName),
      ),
    );
    const ids = alarms.map(name => name.replace(/^holdfast-prod-/, ''));
    const runbooks = pages
      .filter(it => it.path.startsWith('docs/runbooks/'))
      .flatMap(it => [
        it.path.replace(/^.*\/|\.md$/g, ''),
        ...[...it.text.matchAll(/`([a-z-]+?)(?:-…)?` \((?:page|ticket|notice), /g)].map(([, id = '']) => id),
      ]);
    const wrong = wrongOnPages(page =>
      inlineCode(page)
        .map(code => code.replace(/^holdfast-(?:<\w+>|prod|local|drill|\$ENV)-(?=\w)/, ''))
        .filter(code => /^(?:ingest|process|processing|sweep|reconcile|probe)-[a-z-]+$/.test(code))
        .filter(id => !ids.includes(id) && !runbooks.includes(id)),
    );
    expect(wrong).toEqual([]);
  });

  it('names metrics, types and attributes that the code has', () => {
    const words = new Set([...allMetrics(), ...THEIRS]);
    for (const client of Object.values(CLIENTS))
      for (const name of Object.keys(client)) words.add(name.replace(/Command$/, ''));
    const folders = [
      'adapters',
      'bin',
      'cdk',
      'cli',
      'core',
      'handlers',
      'lambdas',
      'lib',
      'local',
      'providers',
      'sdk',
      'test',
    ];
    for (const folder of folders) {
      for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
        if (!name.endsWith('.ts') || join(ROOT, folder, name) === import.meta.filename) continue;
        for (const [word] of readFileSync(join(ROOT, folder, name), 'utf8').matchAll(/\b[A-Z]\w+\b/g)) words.add(word);
      }
    }
    for (const template of [prod.gateway, prod.data]) {
      for (const [word] of JSON.stringify(template.toJSON()).matchAll(/\b[A-Z]\w+\b/g)) words.add(word);
    }
    // The pages of providers quote the providers.
    const wrong = wrongOnPages(page =>
      page.path.startsWith('docs/providers/')
        ? []
        : inlineCode(page).filter(code => /^[A-Z][a-z]+(?:[A-Z][a-z0-9]+)+$/.test(code) && !words.has(code)),
    );
    expect(wrong).toEqual([]);
  });
});

/** What is wrong with a command line of ours (without `holdfast`); placeholders stand for values. */
function problemsOfCall(line: string, program: Command): readonly string[] {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  let command = program;
  const problems: string[] = [];
  for (const [index, word] of words.entries()) {
    if (word.startsWith('-') && word !== '-') {
      const name = word.split('=')[0] ?? '';
      const known = [...chainOf(command)].some(it =>
        it.options.some(each => each.long === name || each.short === name),
      );
      if (!known && name !== '--help' && name !== '--') problems.push(`no option ${name}`);
      continue;
    }
    const child = command.commands.find(it => it.name() === word || it.aliases().includes(word));
    if (child !== undefined && words[index - 1]?.startsWith('--') !== true) command = child;
    else if (command === program && !(words[index - 1] ?? '').startsWith('-')) return [`no command ${word}`];
  }
  return problems;
}

function* chainOf(command: Command): Generator<Command> {
  for (let at: Command | null = command; at !== null; at = at.parent) yield at;
}
