import { isBuiltin } from 'node:module';
import { basename, extname, join, relative } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

/**
 * Loads Node's own modules through `process.getBuiltinModule`. An ESM `import … from "http"` makes Node read every export
 * of the module, and with them load all of undici: about 21 ms of each cold start (nodejs/node issue 59686). Here only the
 * exports that the bundle imports are read. esbuild's own way from ESM to such a module would give each of its exports a
 * getter: some 500 closures at each start.
 *
 * Each importer gets a few bytes of its own for it: shared, they would be a file for each module, and to read a file takes
 * longer than to compile it.
 */
export function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    setup(build) {
      build.onResolve({ filter: /^[a-z_:/0-9]+$/ }, ({ path, kind, importer }) => {
        if (!isBuiltin(path)) return undefined;
        const name = path.replace(/^node:/, '');
        if (kind === 'dynamic-import' && CHEAP.has(name)) return { path: `node:${name}`, external: true };
        const namespace = kind === 'import-statement' ? 'builtin' : 'required-builtin';
        const suffix = `?${relative(build.initialOptions.absWorkingDir ?? '', importer)}`;
        return { path: name, suffix, namespace, sideEffects: false };
      });
      build.onLoad({ filter: /.*/, namespace: 'required-builtin' }, ({ path }) => ({
        contents: `module.exports = ${loading(path)};`,
        loader: 'js',
      }));
      build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: asModule(path), loader: 'js' }));
    },
  };
}

/** Their few exports bring nothing else, so an `import()` of them needs no file. */
const CHEAP: ReadonlySet<string> = new Set(['async_hooks']);

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

/**
 * Gives each of these files of ours a build of its own: imported lazily, it is a file that shares nothing with the rest.
 * esbuild's own chunks would move what both sides reach of the SDK, all of the S3 protocol included, into a file that is read
 * at every start. Such a file has its own copy of what it imports: no class and no state of ours may pass between it and its
 * importer, and it throws nothing of ours. test/lib/synth/bundle-parts.test.ts holds that.
 */
const BUILT_APART: readonly string[] = [
  'adapters/s3/s3-client',
  ...['event-bus', 'topic', 'function', 'state-machine'].map(kind => `adapters/targets/${kind}-target`),
];

/** The file beside the code that holds a file of `BUILT_APART`. */
export const apartName = (path: string): string => `lazy-${basename(path)}.mjs`;

/** Leaves the files of `BUILT_APART` out of a build, and those that no event of the configuration needs. Notes what it met. */
export function filesApart(root: string, unused: ReadonlySet<string>, met: Set<string>): Plugin {
  return {
    name: 'files-apart',
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, args => {
        if (args.kind !== 'dynamic-import') return undefined;
        const path = relative(root, join(args.resolveDir, args.path)).replace(/\.[jt]s$/, '');
        if (!BUILT_APART.includes(path) && !unused.has(path)) return undefined;
        if (!unused.has(path)) met.add(path);
        return { path: `./${apartName(path)}`, external: true };
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

/**
 * The two whole packages that are replaced (docs/decisions/the-aws-sdk-is-the-one-client.md). The SDK's chain of credentials brings clients of STS, SSO and
 * more, and Lambda gives its functions their credentials in the environment. Its cache of discovered endpoints brings two
 * packages more.
 */
const ALIAS = {
  '@aws-sdk/credential-provider-node': ours('adapters/aws/environment-credentials'),
  '@aws-sdk/endpoint-cache': ours('adapters/aws/endpoint-cache'),
};

/** A file of ours: `.ts` in this repository, `.js` in the package. */
function ours(path: string): string {
  return join(import.meta.dirname, '../..', `${path}${extname(import.meta.filename)}`);
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
  alias: ALIAS,
  metafile: true,
  write: false,
  // Whoever builds says what was wrong (build-code.ts).
  logLevel: 'silent',
} as const satisfies BuildOptions;
