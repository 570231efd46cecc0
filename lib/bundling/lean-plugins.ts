import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, extname, join, sep } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

/**
 * Loads Node's own modules through `process.getBuiltinModule`. An ESM `import … from "http"` makes Node read every export
 * of the module, and with them load all of undici: about 21 ms of each cold start (nodejs/node issue 59686). Here only the
 * exports that the bundle imports are read. esbuild's own way from ESM to such a module would give each of its exports a
 * getter: some 500 closures at each start.
 */
export function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    setup(build) {
      build.onResolve({ filter: /^[a-z_:/0-9]+$/ }, ({ path, kind }) => {
        if (!isBuiltin(path)) return undefined;
        const namespace = kind === 'import-statement' ? 'builtin' : 'required-builtin';
        return { path: path.replace(/^node:/, ''), namespace, sideEffects: false };
      });
      build.onLoad({ filter: /.*/, namespace: 'required-builtin' }, ({ path }) => ({
        contents: `module.exports = ${loading(path)};`,
        loader: 'js',
      }));
      build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: asModule(path), loader: 'js' }));
    },
  };
}

const loading = (name: string): string => `process.getBuiltinModule(${JSON.stringify(`node:${name}`)})`;

/** As a module of its exports. A call that is marked as pure goes when nobody uses what it gives; reading a property would not. */
function asModule(name: string): string {
  const names = Object.getOwnPropertyNames(process.getBuiltinModule(`node:${name}`)).filter(it =>
    /^[a-z_$][\w$]*$/i.test(it),
  );
  const exported = names.map(
    (it, at) => `const e${at} = /* @__PURE__ */ (() => all.${it})(); export { e${at} as ${it} };`,
  );
  return [`const all = /* @__PURE__ */ ${loading(name)};`, 'export default all;', ...exported].join('\n');
}

const ADAPTERS = join(import.meta.dirname, '../../adapters');

/** The SDK's clients and the files that replace them. */
export const SIGNED_CLIENTS: Readonly<Record<string, string>> = Object.fromEntries(
  ['dynamodb', 'sqs', 'secrets-manager'].map(it => [
    `@aws-sdk/client-${it}`,
    join(ADAPTERS, `aws/signed/sdk-${it}${extname(import.meta.filename)}`),
  ]),
);

/**
 * Puts the small signed clients in the place of the SDK's three, for our adapters only: a handler that imports the SDK
 * gets the SDK. A command they do not know fails the build.
 */
export function signedClients(): Plugin {
  return {
    name: 'signed-clients',
    setup(build) {
      build.onResolve({ filter: /^@aws-sdk\/client-/ }, args => {
        const path = SIGNED_CLIENTS[args.path];
        return path !== undefined && args.importer.startsWith(join(ADAPTERS, sep)) ? { path } : undefined;
      });
      for (const [file, replacement] of [
        ['check-answers', 'no-checks'],
        ['kept-connections', 'no-agents'],
      ]) {
        const path = join(ADAPTERS, `aws/signed/${replacement}${extname(import.meta.filename)}`);
        build.onResolve({ filter: new RegExp(`/${file}\\.[jt]s$`) }, () => ({ path }));
      }
    },
  };
}

/**
 * Parts of the SDK that none of our calls reaches, and what replaces them: about 90 KB less to compile at each start with
 * the SDK (docs/decisions/0035-what-of-the-sdk-is-left-out.md).
 */
const UNUSED_PARTS: Readonly<Record<string, string>> = {
  // STS, SSO, IMDS and more clients. Our clients are given the credentials Lambda puts into the environment.
  '@aws-sdk/credential-provider-node': `
    export const defaultProvider = () => async () => {
      throw new Error('This bundle has no credential chain: give the client its credentials (adapters/aws/client-settings.ts)');
    };`,
  '@aws-sdk/middleware-endpoint-discovery': `
    export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector: () => undefined, configFileSelector: () => undefined, default: false };
    export const resolveEndpointDiscoveryConfig = config => config;`,
  '@smithy/core/event-streams': `
    const unused = () => { throw new Error('This bundle has no event streams'); };
    export const eventStreamSerdeProvider = unused;
    export class EventStreamSerde { constructor() { unused(); } }
    export const resolveEventStreamSerdeConfig = config => config;`,
};

const IN_SDK = 'node_modules/(?:@aws-sdk|@smithy)/[^/]+/dist-es/';
/** The same for single files of the SDK: what our clients are given explicitly need not be looked for. */
const REPLACED_FILES: readonly (readonly [file: RegExp, contents: string])[] = [
  [
    new RegExp(`${IN_SDK}submodules/config/node-config-provider/configLoader.js$`),
    // Neither ~/.aws/config nor further variables: adapters/aws/client-settings.ts reads what counts.
    `export const loadConfig = ({ default: value }) => async () => (typeof value === 'function' ? value() : value);`,
  ],
  [
    new RegExp(`${IN_SDK}submodules/config/defaults-mode/resolveDefaultsModeConfig.js$`),
    `export const resolveDefaultsModeConfig = () => async () => 'standard';`,
  ],
  [
    new RegExp(`${IN_SDK}submodules/retry/util-retry/AdaptiveRetryStrategy.js$`),
    `export class AdaptiveRetryStrategy { constructor() { throw new Error('This bundle has no adaptive retry mode'); } }`,
  ],
  // Lambda tells the region: no instance is asked for it.
  [
    new RegExp(`${IN_SDK}submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js$`),
    'export const getInstanceMetadataRegion = async () => undefined;',
  ],
  [
    /node_modules\/@smithy\/signature-v4\/dist-es\/HeaderFormatter.js$/,
    `export class HeaderFormatter { format() { throw new Error('This bundle has no event streams'); } }`,
  ],
  // Fallbacks for a Node without crypto.
  [new RegExp(`${IN_SDK}submodules/checksum/sha256/Sha256Js.js$`), 'export const Sha256Js = undefined;'],
  [new RegExp(`${IN_SDK}submodules/checksum/md5/Md5Js.js$`), 'export const Md5Js = undefined;'],
  ...(['dynamodb', 'sqs', 'secrets-manager'] as const).map(
    client =>
      [
        new RegExp(`node_modules/@aws-sdk/client-${client}/dist-es/endpoint/endpointResolver.js$`),
        `import { resolveEndpointOf } from ${JSON.stringify(join(ADAPTERS, `aws/region-endpoint${extname(import.meta.filename)}`))};
         export const defaultEndpointResolver = resolveEndpointOf(${JSON.stringify(client.replace('-', ''))});`,
      ] as const,
  ),
];

/** The table of partitions, which only S3's endpoint rules still read; the user agent asks the same file for a prefix. */
const REPLACED_WITHOUT_S3: typeof REPLACED_FILES = [
  [
    new RegExp(`${IN_SDK}submodules/client/util-endpoints/lib/aws/partition.js$`),
    `export const getUserAgentPrefix = () => '';
     export const partition = () => { throw new Error('This bundle has no table of partitions'); };
     export const setPartitionInfo = partition;
     export const useDefaultPartitionInfo = partition;`,
  ],
];

/** Leaves out what of the SDK is never called, and all of its package.json files but the version. */
export function withoutUnusedParts({ hasS3 }: { readonly hasS3: boolean }): Plugin {
  return {
    name: 'without-unused-parts',
    setup(build) {
      const names = new RegExp(`^(?:${Object.keys(UNUSED_PARTS).join('|')})$`);
      build.onResolve({ filter: names }, args => ({ path: args.path, namespace: 'unused-part', sideEffects: false }));
      build.onLoad({ filter: /.*/, namespace: 'unused-part' }, args => ({
        contents: UNUSED_PARTS[args.path] ?? '',
        loader: 'js',
      }));
      for (const [filter, contents] of [...REPLACED_FILES, ...(hasS3 ? [] : REPLACED_WITHOUT_S3)]) {
        build.onLoad({ filter }, args => ({ contents, loader: 'js', resolveDir: dirname(args.path) }));
      }
      build.onLoad({ filter: /node_modules[\\/]@aws-sdk[\\/][^\\/]+[\\/]package\.json$/ }, async args => {
        const { version } = JSON.parse(await readFile(args.path, 'utf8'));
        return { contents: JSON.stringify({ version }), loader: 'json' };
      });
    },
  };
}

/**
 * Gives each module that an adapter imports lazily a file of its own, which shares nothing with the rest. esbuild's own
 * chunks would move whatever both sides reach, all of the S3 protocol included, into a file that is read at every start.
 * Such a module has its own copy of what it imports: no class and no state may pass between it and its importer.
 */
export function isolatedLazyImports(isolated: Map<string, string>): Plugin {
  return {
    name: 'isolated-lazy-imports',
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, args => {
        if (args.kind !== 'dynamic-import' || !/[\\/]adapters[\\/]/.test(args.importer)) return undefined;
        const file = `lazy-${basename(args.path).replace(/\.[jt]s$/, '.mjs')}`;
        isolated.set(file, join(args.resolveDir, args.path));
        return { path: `./${file}`, external: true };
      });
    },
  };
}

/**
 * Takes one lazily read file for another that exports the same and more: with one of them, what it shares with the entry is
 * one file, and a start reads one file less.
 */
export function oneLazyFile(file: string, instead: string): Plugin {
  return {
    name: 'one-lazy-file',
    setup(build) {
      build.onResolve({ filter: new RegExp(`/${basename(file, extname(file))}\\.[jt]s$`) }, async args => {
        if (args.kind !== 'dynamic-import' || args.pluginData === file) return undefined;
        const { kind, importer, resolveDir, path } = args;
        const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: file });
        return found.path === file ? { path: instead } : undefined;
      });
    },
  };
}

/** What every build of a function has in common. */
export const LEAN_OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  legalComments: 'none',
  // The ESM variant of a package tree-shakes; esbuild's default for node takes the CommonJS one.
  mainFields: ['module', 'main'],
  metafile: true,
  write: false,
  logLevel: 'error',
} as const satisfies BuildOptions;
