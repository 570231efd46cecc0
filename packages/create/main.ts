#!/usr/bin/env node
/** `npm create holdfast my-webhooks`: writes a project with a gateway, a handler and a test for each chosen provider. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { askForProviders, chosenProviders } from './choose-providers.ts';
import { type ProjectPlan, type ProviderSample, projectFiles } from './project-files.ts';

const USAGE = `Usage: npm create holdfast <folder> -- [--providers stripe,github] [--holdfast <version>]
  also: pnpm create holdfast <folder> …, which makes a project for pnpm
  <folder>      where the project is made; it must be new or empty
  --providers   who sends you webhooks, separated by commas (asked for at a terminal; else generic)
  --holdfast    the version (or tarball) of holdfast the project depends on (default: of this program)`;

const HERE = import.meta.dirname;
const MANAGER = packageManager();
const PROGRAM = MANAGER.name === 'npm' ? 'npm run holdfast --' : 'pnpm holdfast';

interface Choice {
  readonly folder: string;
  readonly providers: readonly ProviderSample[];
  readonly holdfast: string | undefined;
}

async function main(): Promise<number> {
  const samples: readonly ProviderSample[] = JSON.parse(await readFile(join(HERE, 'samples.json'), 'utf8'));
  const { folder, providers, holdfast } = await choose(samples);
  const versions = JSON.parse(await readFile(join(HERE, 'versions.json'), 'utf8')) as Record<string, string>;
  const template = await readTemplate(join(HERE, '../template'));
  const name =
    basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'webhooks';
  const files = projectFiles({
    name,
    providers,
    versions: { ...versions, ...(holdfast && { holdfast }) },
    manager: MANAGER,
    template,
  });
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  console.log(`Made ${files.size} files in ${folder}, for ${providers.map(({ title }) => title).join(', ')}.\n
Next:
  cd ${folder}
  ${MANAGER.name} install
  ${MANAGER.name} test                   types, configuration, your tests: some seconds
  ${MANAGER.name} start                  the real stacks on this machine, with a signed event through them (needs Python 3.10)
  ${MANAGER.name} run deploy${MANAGER.name === 'npm' ? ' --' : ''} dev      the same stacks in your AWS account\n\nREADME.md goes on from there.`);
  return 0;
}

async function choose(samples: readonly ProviderSample[]): Promise<Choice> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { providers: { type: 'string' }, holdfast: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  const [target, ...others] = positionals;
  if (values.help || target === undefined || others.length > 0) throw new UsageError(USAGE, values.help ? 0 : 2);
  const folder = resolve(target);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UsageError(`${folder} is not empty. Give the name of a new folder.`, 2);
  if (values.providers === undefined && process.stdin.isTTY)
    return { folder, providers: await ask(samples), holdfast: values.holdfast };
  const providers = chosenProviders(values.providers ?? '', samples, PROGRAM);
  if (typeof providers === 'string') throw new UsageError(providers, 2);
  return { folder, providers, holdfast: values.holdfast };
}

/** Who started this program: both name themselves in a variable. */
function packageManager(): ProjectPlan['manager'] {
  const version = /^pnpm\/(\d+\.\d+\.\d+)/.exec(process.env['npm_config_user_agent'] ?? '')?.[1];
  return version === undefined ? { name: 'npm' } : { name: 'pnpm', version };
}

async function ask(samples: readonly ProviderSample[]): Promise<readonly ProviderSample[]> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await askForProviders(samples, text => terminal.question(text), console.log, PROGRAM);
  } finally {
    terminal.close();
  }
}

/** Path to text. A leading `_` keeps npm from leaving a file out of the package, or from reading it. */
async function readTemplate(folder: string): Promise<ReadonlyMap<string, string>> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  const texts = paths.map(async entry => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(folder.length + 1).replace(/(^|\/)_/g, '$1.'), await readFile(path, 'utf8')] as const;
  });
  return new Map(await Promise.all(texts));
}

class UsageError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  if (!isUsage) throw error;
  console.error(error.message);
  process.exitCode = error instanceof UsageError ? error.exitCode : 2;
}
