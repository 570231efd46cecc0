/** What is looked at before a package is published. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a built package lacks, as sentences. */
export function missingToPublish(folder: string): readonly string[] {
  const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name } = manifest;
  const files = ['README.md', 'LICENSE'].filter(file => !existsSync(join(folder, file)));
  const fields = ['description', 'license', 'keywords'].filter(field => manifest[field] === undefined);
  return [
    ...files.map(file => `${name} has no ${file}`),
    ...fields.map(field => `${name} says no ${field}`),
    ...(manifest['private'] === true ? [`${name} is private`] : []),
    ...(manifest['repository'] === undefined
      ? ['where the repository is, without which npm refuses provenance: "repository": "https://…" in package.json']
      : []),
  ];
}

interface Component {
  readonly name: string;
  readonly version?: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
}

/**
 * How many packages a CycloneDX document lists under which licences, as one line. Throws when the package that it should be
 * about is not in it, or a package says no licence.
 */
export function billOfMaterials(document: string, about: string): string {
  const { components = [] }: { components?: readonly Component[] } = JSON.parse(document);
  if (!components.some(({ name }) => name === about)) throw new Error(`The bill of materials does not name ${about}`);
  const counts = new Map<string, number>();
  for (const { name, licenses = [] } of components) {
    const licence = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name).join(' and ');
    if (licence === '') throw new Error(`The bill of materials has no licence of ${name}`);
    counts.set(licence, (counts.get(licence) ?? 0) + 1);
  }
  const list = [...counts].sort(([, a], [, b]) => b - a).map(([licence, count]) => `${licence} ${count}`);
  return `${components.length} packages: ${list.join(', ')}`;
}
