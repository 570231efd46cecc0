import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { described, holdfastManifest } from '#packages/manifest.ts';
import { billOfMaterials, missingToPublish } from '#packages/ready-to-publish.ts';
import own from '../../package.json' with { type: 'json' };

const repository = 'https://example.com/acme/holdfast';

it('names each thing that a package lacks, and nothing in a complete one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-ready-'));
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  try {
    write('package.json', '{"name":"x","private":true}');
    expect(missingToPublish(folder)).toEqual([
      'x has no README.md',
      'x has no LICENSE',
      'x says no description',
      'x says no license',
      'x says no keywords',
      'x is private',
      expect.stringContaining('where the repository is'),
    ]);
    write('package.json', JSON.stringify(holdfastManifest({ ...own, repository })));
    for (const file of ['README.md', 'LICENSE']) write(file, 'text');
    expect(missingToPublish(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('says where the repository is in all three fields, or in none', () => {
  expect(described({ ...own, repository })).toMatchObject({
    homepage: `${repository}#readme`,
    repository: { type: 'git', url: `git+${repository}.git` },
    bugs: `${repository}/issues`,
  });
  expect(Object.keys(described(own))).not.toContain('bugs');
});

it('counts the licences of a bill of materials, and refuses one that lacks a licence or its subject', () => {
  const component = (name: string, ...licenses: object[]) => ({ name, version: '1.0.0', licenses });
  const mit = { license: { id: 'MIT' } };
  const bill = (...components: object[]) => billOfMaterials(JSON.stringify({ components }), 'a');
  expect(bill(component('a', { license: { id: 'Apache-2.0' } }), component('b', mit), component('c', mit))).toBe(
    '3 packages: MIT 2, Apache-2.0 1',
  );
  expect(() => bill(component('a', mit), component('b'))).toThrow('no licence of b');
  expect(() => bill(component('b', mit))).toThrow('does not name a');
});
