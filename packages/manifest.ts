/** The manifests of the packages, made from the one of this repository so that no version is written twice. */

export interface Manifest {
  readonly version: string;
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
  'aws-cdk',
  'commander',
  'esbuild',
  'preact',
  'yaml',
];

/** `types` first, as TypeScript wants it. */
const entry = (path: string) => ({ types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` });

export function holdfastManifest(own: Manifest) {
  const also = ALSO_NEEDED.map(name => [name, versionOf(own, name)]);
  return {
    name: 'holdfast',
    version: own.version,
    description: own.description,
    license: own.license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=22.18' },
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
    peerDependencies: {
      'aws-cdk-lib': `^${versionOf(own, 'aws-cdk-lib')}`,
      constructs: `^${versionOf(own, 'constructs')}`,
    },
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
