import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join, relative } from 'node:path';
import type { ResolvedPortal } from '#core/config/portal-config.ts';
import type { ResolvedConfig, ResolvedSource } from '#core/config/resolved-config.ts';
import type { SourceHead } from '#core/config/source-head.ts';
import { PAGE_FILES } from '#lambdas/portal/env.ts';
import { buildPage } from '../../ui/build-page.ts';
import { type BuiltCode, buildCode, HOLDFAST } from './build-code.ts';
import { BundleError } from './bundle-error.ts';
import { type Bundles, FUNCTION_NAMES, type FunctionName, OUTBOUND_FUNCTION_NAMES } from './function-names.ts';
import { oneLazyFile } from './lean-plugins.ts';
import { projectHandlers } from './project-handlers.ts';
import { type Insertion, replaceAndNote } from './source-maps.ts';
import { unusedFiles } from './unused-files.ts';

/** What only few sources need: in `ingest` one file, which exports all of it. */
const LAZY_IN_INGEST = ['core/verification/on-demand', 'adapters/crypto/public-keys', 'adapters/http/fetch-guarded'];
/** A file of ours: `.ts` in this repository, `.js` in the package. */
const ours = (path: string): string => join(HOLDFAST, `${path}${extname(import.meta.filename)}`);
/** In the built code until the configuration of an environment takes its place. */
const CONFIG_PLACE = '@@HOLDFAST_CONFIG@@';

/** Where code keeps texts that it reads on first use, from beside itself. */
const TEXTS_FOLDER = 'adapters/codec/dictionaries';

/** About fifteen providers: below it, one file is read faster than two. */
const INLINE_SOURCES_BYTES = 20_000;

export interface BundleOptions {
  /** One per environment. */
  readonly configs: readonly ResolvedConfig[];
  /** @default all */
  readonly functions?: readonly FunctionName[];
  /** The folder whose `handlers/index.ts` the process function runs. @default this repository */
  readonly project?: string;
  /** By environment, a file that takes the place of `handlers/index.ts` and may import it. @default none */
  readonly aroundHandlers?: Readonly<Record<string, string>>;
  /** Gets a folder per environment. @default `.holdfast/bundles` in the project */
  readonly outputFolder?: string;
}

/**
 * Bundles the functions once, bakes the configuration of each environment into a copy (a function's environment holds
 * 4 KB in all, too little for it), and returns the folders by environment. The SDK is bundled: the runtime's own starts
 * twice as slow. The same sources and configuration give the same bytes. Throws when a handler file is missing or does
 * not compile.
 */
export async function bundleFunctions(options: BundleOptions): Promise<ReadonlyMap<string, Bundles>> {
  const { project = HOLDFAST, aroundHandlers = {} } = options;
  const root = options.outputFolder ?? join(project, '.holdfast/bundles');
  const names = options.functions ?? namesFor(options.configs);
  const missing = names.filter(name => !existsSync(handlerFile(name)));
  if (missing.length > 0) {
    const files = missing.map(name => relative(HOLDFAST, handlerFile(name))).join(', ');
    throw new BundleError(`There is nothing to bundle: ${files} is missing. Each must export \`handler\`.`);
  }
  const built = new Map<string, Promise<BuiltFunction>>();
  const written = options.configs.flatMap(config =>
    namesWanted(names, config).map(async name => {
      const around = name === 'process' ? aroundHandlers[config.environment] : undefined;
      const unused = unusedFiles(name, config);
      const variant: Variant = { name, project, around, unused };
      // Environments share what is the same for them.
      const key = [name, around, ...unused].join();
      const code = built.get(key) ?? buildFunction(variant);
      built.set(key, code);
      await writeBundle(await code, config, join(folderOf(root, config), name));
    }),
  );
  await Promise.all(written);
  return new Map(options.configs.map(config => [config.environment, foldersIn(folderOf(root, config))]));
}

/** Of one environment of one gateway: an app may hold several. */
const folderOf = (root: string, { environment, prefix = '' }: ResolvedConfig): string =>
  join(root, prefix, environment);

/** Empty folders in the place of bundles, for an environment that the CLI did not ask for: never deployed. */
export async function placeholderBundles(environment: string, project = HOLDFAST): Promise<Bundles> {
  const folder = join(project, '.holdfast/bundles/not-bundled', environment);
  await mkdir(folder, { recursive: true });
  // Another process may be hashing the folder now: the file is never half there, and nothing lies beside it.
  const whole = `${folder}.${randomUUID()}`;
  await writeFile(whole, 'throw new Error("This environment was not bundled by this run.");\n');
  await rename(whole, join(folder, 'index.mjs'));
  return Object.fromEntries(ALL_NAMES.map(name => [name, folder])) as Bundles;
}

const ALL_NAMES: readonly FunctionName[] = [...FUNCTION_NAMES, ...OUTBOUND_FUNCTION_NAMES];
const isOutbound = (name: FunctionName): boolean => OUTBOUND_FUNCTION_NAMES.some(it => it === name);

/** Functions of the delivery stack are bundled where an environment has one. */
function namesFor(configs: readonly ResolvedConfig[]): readonly FunctionName[] {
  return ALL_NAMES.filter(name => configs.some(config => isWanted(name, config)));
}
function namesWanted(names: readonly FunctionName[], config: ResolvedConfig): readonly FunctionName[] {
  return names.filter(name => isWanted(name, config));
}
const isWanted = (name: FunctionName, { outbound }: ResolvedConfig): boolean =>
  name === 'portal' || name === 'contacts'
    ? outbound?.[name] !== undefined
    : outbound !== undefined || !isOutbound(name);

/** What a function is built from. */
interface Variant {
  readonly name: FunctionName;
  readonly project: string;
  readonly around: string | undefined;
  /** Files that the configuration does not need. */
  readonly unused: ReadonlySet<string>;
}

/** What esbuild recorded about a bundle: which module brought how many bytes into which file. */
export function metafilePath(bundleFolder: string): string {
  return `${bundleFolder}.meta.json`;
}

function handlerFile(name: FunctionName): string {
  return join(HOLDFAST, 'lambdas', name, `handler${extname(import.meta.filename)}`);
}

function foldersIn(folder: string): Bundles {
  return Object.fromEntries(ALL_NAMES.map(name => [name, join(folder, name)])) as Bundles;
}

interface BuiltFunction extends BuiltCode {
  readonly name: FunctionName;
}

/** With a place for the configuration. */
async function buildFunction({ name, project, around, unused }: Variant): Promise<BuiltFunction> {
  const code = await buildCode({
    name,
    entry: handlerFile(name),
    project,
    unused,
    plugins: [
      ...(name === 'ingest' ? LAZY_IN_INGEST.map(it => oneLazyFile(ours(it), ours('lambdas/ingest/on-demand'))) : []),
      projectHandlers(join(project, 'handlers/index.ts'), around),
    ],
    define: { __HOLDFAST_CONFIG__: JSON.stringify(CONFIG_PLACE) },
  });
  const files = new Map(code.files);
  if (Object.keys(code.metafile.inputs).some(path => dirname(path) === TEXTS_FOLDER)) {
    for (const [file, text] of await readTexts()) files.set(file, text);
  }
  if (name === 'portal') {
    const { script, style } = await buildPage(join(HOLDFAST, 'portal/app'));
    for (const [file, bytes] of Object.entries({ [PAGE_FILES.script]: script, [PAGE_FILES.style]: style }))
      files.set(file, new TextDecoder().decode(bytes));
  }
  return { name, files, metafile: code.metafile };
}

async function readTexts(): Promise<readonly (readonly [file: string, text: string])[]> {
  const folder = join(HOLDFAST, TEXTS_FOLDER);
  const names = (await readdir(folder)).filter(name => name.endsWith('.txt'));
  return Promise.all(names.map(async name => [name, await readFile(join(folder, name), 'utf8')] as const));
}

/** Makes these the only files of a folder, and leaves alone what is the same: another run may be reading it just now. */
async function writeBundle(code: BuiltFunction, config: ResolvedConfig, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const baked = bake(code.name, withoutProse(withoutPortal(code.name, config)));
  const literal = toLiteral(JSON.stringify(baked.config));
  const place = new RegExp(`(["'\`])${CONFIG_PLACE}\\1`, 'g');
  const used = [...code.files];
  const wanted = new Map(baked.files);
  const moved = new Map<string, readonly Insertion[]>();
  for (const [name, code] of used.filter(it => !isMap(it[0]))) {
    const { text, inserted } = replaceAndNote(code, place, literal);
    wanted.set(name, text);
    if (inserted.length > 0) moved.set(`${name}.map`, inserted);
  }
  for (const [name, text] of used.filter(it => isMap(it[0]))) {
    const inserted = moved.get(name);
    wanted.set(name, inserted === undefined ? text : JSON.stringify({ ...JSON.parse(text), inserted }));
  }
  for (const [name, text] of wanted) {
    const present = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (present === text) continue;
    const unfinished = `${folder}.${process.pid}.part`;
    await writeFile(unfinished, text);
    await rename(unfinished, join(folder, name));
  }
  for (const name of await readdir(folder)) {
    if (!wanted.has(name)) await rm(join(folder, name), { force: true });
  }
  await writeFile(metafilePath(folder), JSON.stringify(code.metafile));
}

const isMap = (name: string): boolean => name.endsWith('.map');

interface Baked {
  /** What takes the place in the code. */
  readonly config: unknown;
  /** Files beside it, by name. */
  readonly files: ReadonlyMap<string, string>;
}

/** Ingest, whose cold start a provider waits for, reads sources one by one where there are many. */
function bake(name: FunctionName, config: ResolvedConfig): Baked {
  if (name !== 'ingest' || JSON.stringify(config.sources).length <= INLINE_SOURCES_BYTES)
    return { config, files: new Map() };
  const heads = config.sources.map(({ id, paths }): SourceHead => ({ id, paths, file: `source-${id}.json` }));
  const files = config.sources.map(source => [`source-${source.id}.json`, JSON.stringify(source)] as const);
  return { config: { ...config, sources: heads }, files: new Map(files) };
}

/** Whom each function that knows of the portal shows it: links of operational events lead into the platform's own page. */
const OF_PORTAL: Readonly<Partial<Record<FunctionName, readonly (keyof ResolvedPortal)[]>>> = {
  'delivery-api': ['name', 'accent', 'frameAncestors', 'origins', 'url'],
  contacts: ['name', 'url', 'pageUrl'],
  'fan-out': ['pageUrl'],
  tend: ['pageUrl'],
};

/** The portal with its logo is for its own function. */
function withoutPortal(name: FunctionName, config: ResolvedConfig): ResolvedConfig {
  if (config.outbound?.portal === undefined || name === 'portal') return config;
  const { portal, ...outbound } = config.outbound;
  const known = Object.fromEntries(Object.entries(portal).filter(([key]) => OF_PORTAL[name]?.some(it => it === key)));
  if (Object.keys(known).length === 0) return { ...config, outbound };
  return { ...config, outbound: { ...outbound, portal: known as unknown as ResolvedPortal } };
}

/** JSON as a string of JavaScript; single quotes, because JSON is full of double ones. */
function toLiteral(json: string): string {
  return `'${json.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Fields of a spec that no function reads. */
const PROSE = ['title', 'docs', 'checkedOn', 'source', 'unconfirmed', 'ips', 'types', 'retries', 'setup'];

/**
 * Without the text of the specs that only people read (a kilobyte per source that each cold start would parse), and
 * without the region, which Lambda tells: the same code goes to every region.
 */
function withoutProse(config: ResolvedConfig): ResolvedConfig {
  const short = (source: ResolvedSource): ResolvedSource => {
    const spec = Object.entries(source.spec).filter(([name]) => !PROSE.includes(name));
    return { ...source, spec: Object.fromEntries(spec) as unknown as ResolvedSource['spec'] };
  };
  const { probe } = config;
  return { ...config, region: '', sources: config.sources.map(short), ...(probe && { probe: short(probe) }) };
}
