import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { compactErrors } from '#lib/bundling/compact-errors.ts';

const MODULES = join(import.meta.dirname, '../../../node_modules/@aws-sdk');

/** The error classes of a client, from its own file or from the compacted text of it. */
async function load(client: string, change: (source: string) => string): Promise<Record<string, unknown>> {
  const folder = join(MODULES, `client-${client}/dist-es/models`);
  const contents = change(await readFile(join(folder, 'errors.js'), 'utf8'));
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
  });
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
}
type ErrorClass = { new (options: object): Error & Record<string, unknown>; shapeId?: string };

describe.each(['dynamodb', 'sqs', 'secrets-manager', 's3'])('the compacted errors of %s', client => {
  it('behave as the generated ones', async () => {
    const source = await readFile(join(MODULES, `client-${client}/dist-es/models/errors.js`), 'utf8');
    if (['dynamodb', 'sqs'].includes(client)) expect(compactErrors(source).length).toBeLessThan(source.length * 0.6);

    const theirs = await load(client, text => text);
    const ours = await load(client, compactErrors);
    expect(Object.keys(ours)).toEqual(Object.keys(theirs));
    for (const name of Object.keys(theirs)) {
      const [their, our] = [theirs, ours].map(all => all[name] as ErrorClass);
      const options = { $metadata: { httpStatusCode: 400 }, message: 'why', Item: { pk: 1 }, name };
      const [expected, error] = [new (their as ErrorClass)(options), new (our as ErrorClass)(options)];
      expect({ ...error, message: error.message }, name).toEqual({ ...expected, message: expected.message });
      expect(our?.shapeId).toBe(their?.shapeId);
      expect(error).toBeInstanceOf(our as ErrorClass);
      expect(error).toBeInstanceOf(Error);
      for (const [other, type] of Object.entries(ours)) {
        if (other !== name && typeof type === 'function')
          expect(error instanceof type, `${name} is no ${other}`).toBe(false);
      }
    }
  });
});

it('leaves alone what it does not know', () => {
  const odd = 'export class Odd extends __BaseException {\n  name = "Odd";\n  extra = 1;\n}\n';
  expect(compactErrors(odd)).toBe(odd);
});
