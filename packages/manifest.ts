/** The manifests of the packages, made from the one of this repository so that no version is written twice. */

export interface Manifest {
  readonly version: string;
  /** Where the repository is, https. None as long as it has no public place. */
  readonly repository?: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** What the code needs at run time though this repository lists it for development. */
const ALSO_NEEDED = [
  '@aws-cdk/cloudformation-diff',
  '@aws-sdk/client-cloudformation',
  '@aws-sdk/client-cloudwatch',
  '@aws-sdk/client-cloudwatch-logs',
  '@modelcontextprotocol/server',
  'age-encryption',
  'commander',
  'esbuild',
  'preact',
  'yaml',
];

/**
 * What the project brings. The CDK's library from the oldest version that synthesizes every stack, which
 * test/packages/peer-range.test.ts does with it and with the newest.
 */
export const PEERS = { 'aws-cdk-lib': '^2.226.0', constructs: '^10.0.0' } as const;
/** What only a deploy runs: an app with a CDK pipeline of its own need not have it. */
const OPTIONAL_PEERS = { 'aws-cdk': '^2.1000.0' } as const;

const KEYWORDS = ['webhooks', 'webhook', 'aws', 'aws-cdk', 'serverless', 'lambda', 'dynamodb', 'standard-webhooks'];

/** What all packages say of themselves. npm refuses provenance to one that does not name its repository. */
export function described({ version, license, repository }: Manifest) {
  return {
    version,
    license,
    ...(repository !== undefined && {
      homepage: `${repository}#readme`,
      repository: { type: 'git', url: `git+${repository}.git` },
      bugs: `${repository}/issues`,
    }),
    keywords: KEYWORDS,
    type: 'module',
    engines: { node: '>=22.18' },
  };
}

/** `types` first, as TypeScript wants it. */
const entry = (path: string) => ({ types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` });

export function holdfastManifest(own: Manifest) {
  const also = ALSO_NEEDED.map(name => [name, versionOf(own, name)]);
  return {
    name: 'holdfast',
    description: own.description,
    ...described(own),
    sideEffects: false,
    bin: { holdfast: './dist/bin/holdfast.js' },
    exports: {
      '.': entry('sdk/index'),
      './testing': entry('sdk/testing/index'),
      './publish': entry('sdk/publish/index'),
      './cdk': entry('cdk/index'),
      './package.json': './package.json',
    },
    files: ['dist', 'CHANGELOG.md', 'UPGRADING.md'],
    dependencies: sorted({ ...own.dependencies, ...Object.fromEntries(also) }),
    peerDependencies: { ...PEERS, ...OPTIONAL_PEERS },
    peerDependenciesMeta: Object.fromEntries(Object.keys(OPTIONAL_PEERS).map(name => [name, { optional: true }])),
  };
}

/** An exact version out of this repository's manifest. Throws for a package it does not have. */
export function versionOf({ dependencies, devDependencies }: Manifest, name: string): string {
  const version = dependencies[name] ?? devDependencies[name];
  if (version === undefined) throw new Error(`package.json has no ${name}`);
  return version;
}

const sorted = (versions: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1)));
