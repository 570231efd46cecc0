/** The package `create-holdfast`: the program, the texts it writes, and one sample event of every provider. */
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { createTestEvent } from 'holdfast/testing';
import { given } from '#core/given.ts';
import { signsUrl } from '#core/provider/source-needs.ts';
import { declaredSamples, sampleNames } from '#operator/sources/sample-event.ts';
import { PROVIDERS } from '#providers/index.ts';
import type { ProviderSample } from './create/project-files.ts';
import { described, type Manifest, versionOf } from './manifest.ts';
import { writeJson } from './write-json.ts';

/** Samples show this moment, so that the package is the same bytes whenever it is built. */
const SAMPLED_AT = new Date('2026-11-22T12:00:00Z');

/** Versions that a new project starts with. */
const PROJECT_NEEDS = ['@types/node', 'aws-cdk', 'aws-cdk-lib', 'constructs', 'typescript', 'vitest'];

export async function createPackage(folder: string, own: Manifest): Promise<string> {
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'create/main.ts')],
    outfile: join(folder, 'dist/main.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    logLevel: 'error',
  });
  await cp(join(import.meta.dirname, 'create/README.md'), join(folder, 'README.md'));
  await cp(join(import.meta.dirname, 'create/template'), join(folder, 'template'), { recursive: true });
  const versions = Object.fromEntries(PROJECT_NEEDS.map(name => [name, versionOf(own, name)]));
  await writeJson(join(folder, 'dist/versions.json'), { holdfast: own.version, ...versions });
  await writeJson(join(folder, 'dist/samples.json'), providerSamples());
  await writeJson(join(folder, 'package.json'), {
    name: 'create-holdfast',
    description: 'Makes a project with a webhook gateway of your own: npm create holdfast my-webhooks',
    ...described(own),
    bin: { 'create-holdfast': './dist/main.js' },
    files: ['dist', 'template'],
  });
  return folder;
}

/** What a test of a handler is written with. A provider whose sample is no event a handler sees gets no test. */
function providerSamples(): readonly ProviderSample[] {
  const sampled = new Set(sampleNames());
  return Object.values(PROVIDERS).map(spec => {
    const { id, title } = spec;
    const needs = { ...given({ settings: spec.settings }), ...(signsUrl(spec) ? { signsUrl: true as const } : {}) };
    const [sample] = sampled.has(id) ? declaredSamples(id, SAMPLED_AT) : [];
    if (!sample) return { id, title, ...needs };
    const headers = Object.fromEntries(Object.entries(sample.headers).map(([name, text]) => [name, masked(text)]));
    const body = masked(sample.body);
    try {
      const { type } = createTestEvent({ provider: id, headers, body });
      return { id, title, ...needs, type, headers, body };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { id, title, ...needs };
    }
  });
}

/** Random ids in a sample would make each build another. */
function masked(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000001')
    .replace(/(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g, '0123456789abcdef01234567')
    .replace(/(?<![\d.])\d{12,15}(?![\d.])/g, digits =>
      digits === String(SAMPLED_AT.getTime()) ? digits : '123456789012',
    );
}
