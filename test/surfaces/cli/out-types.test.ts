/** `holdfast out types` over the real API in memory: what an import of a document of OpenAPI says and writes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { producerWorld } from '#test/kit/producer-world.ts';
import { CliWorld } from './cli-world.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-types-'));
afterAll(() => rmSync(folder, { recursive: true }));

const YAML = `
openapi: 3.1.0
info: { title: Acme, version: 1.0.0 }
webhooks:
  invoice.paid:
    post:
      summary: An invoice was paid.
      tags: [Money]
      requestBody:
        content:
          application/json:
            schema: { $ref: '#/components/schemas/Paid' }
            example: { amount: 5 }
      responses: { '200': { description: ok } }
  order.made:
    post: { deprecated: true, responses: { '200': { description: ok } } }
components:
  schemas:
    Paid: { type: object, required: [amount], properties: { amount: { $ref: '#/components/schemas/Cents' } } }
    Cents: { type: integer }
`;

function world() {
  const producer = producerWorld();
  const cli = new CliWorld();
  const gateway = { delivery: () => Promise.resolve(producer.api) };
  const file = join(folder, 'openapi.yaml');
  writeFileSync(file, YAML);
  const run = (...args: string[]) => cli.run(['out', 'types', ...args], { gateway, realTime: true });
  const json = async (...args: string[]) =>
    (await cli.json(['out', 'types', ...args], { gateway, realTime: true })).value;
  const put = (name: string, type: object) => producer.call('PUT /v1/event-types/{name}', { name }, type);
  return { ...producer, run, json, put, file };
}

describe('import', () => {
  it('says what it would add, change and leave, and writes nothing in a dry run', async () => {
    const { run, json, put, file, call } = world();
    await put('order.made', { description: 'Old words' });
    await put('ping', {});
    const { code, stdout, stderr } = await run('import', file, '--dry-run');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        'add     invoice.paid',
        'change  order.made: description, deprecated',
        'stays   ping (not in the document)',
        '',
      ].join('\n'),
    });
    expect(stderr).toContain(`out types import ${file}  writes them`);
    const validated = await run('import', file, '--validate', 'reject', '--dry-run');
    expect(validated.stderr).toContain(`out types import ${file} --validate reject  writes them`);
    expect(await json('import', file, '--dry-run')).toMatchObject({ written: false, added: ['invoice.paid'] });
    expect((await call('GET /v1/event-types/{name}', { name: 'invoice.paid' })).status).toBe(404);
  });

  it('writes, and says the second time that all is the same', async () => {
    const { run, json, file, publish, call } = world();
    expect((await run('import', file)).code).toBe(2);
    expect((await run('import', file, '--validate', 'reject', '--yes')).code).toBe(0);
    expect(await json('import', file, '--yes')).toEqual({
      ...{ added: [], changed: [], left: ['invoice.paid', 'order.made'], elsewhere: [], written: true },
    });
    await call('POST /v1/apps', {}, { name: 'Acme', uid: 'acme' });
    const broken = await publish('uid:acme', '{"key":"k","type":"invoice.paid","data":{"amount":"x"}}');
    expect([broken.status, broken.body.path]).toEqual([422, '/amount']);
  });

  it('leaves what OpenAPI has no word for', async () => {
    const { run, put, call, file } = world();
    const earlier = [{ version: 'v1', example: 1 }];
    await put('invoice.paid', { version: 'v2', validate: 'warn', earlier, example: 'gone' });
    await run('import', file, '--yes');
    const { body } = await call('GET /v1/event-types/{name}', { name: 'invoice.paid' });
    expect(body).toMatchObject({ version: 'v2', validate: 'warn', group: 'Money', example: { amount: 5 } });
    expect(body.earlier).toMatchObject(earlier);
  });

  it.each([
    [YAML.replace('amount: 5', 'amount: a lot'), /invoice\.paid": example: given \/amount type/],
    [YAML.replace('type: integer', 'type: int'), /schema\.\$defs\.Cents\.type: given "int"/],
    [YAML.replace('3.1.0', '3.0.3'), /openapi: given "3.0.3"[\s\S]*convert/],
    [YAML.replace('order.made', 'order made'), /webhooks\."order made"/],
    [`${YAML}  a: &a { b: *a }\n`, /openapi\.yaml/],
    ['openapi: [', /openapi\.yaml: /],
    ['', /openapi: given nothing/],
  ])('of a broken document writes nothing: 2 (%#)', async (text, told) => {
    const { run, file, call } = world();
    writeFileSync(file, text);
    const { code, stderr } = await run('import', file, '--yes');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(told) });
    expect((await call('GET /v1/event-types')).body.data).toEqual([]);
  });

  it('knows three words for --validate', async () => {
    const { run, file } = world();
    expect(await run('import', file, '--validate', 'strict')).toMatchObject({ code: 2, stderr: /off, warn, reject/ });
  });
});

describe('export', () => {
  it('gives the same catalogue to another environment, as JSON and as YAML', async () => {
    const from = world();
    await from.run('import', from.file, '--yes');
    await from.put('order.made', {
      ...{ deprecated: true, ends_at: '2027-01-31T00:00:00Z', replacement: 'order.placed', version: 'v2' },
      earlier: [{ version: 'v1', schema: { items: { $ref: '#' } }, example: [[]] }],
    });
    const { stdout } = await from.run('export');
    for (const text of [stdout, stringify(JSON.parse(stdout))]) {
      const to = world();
      writeFileSync(to.file, text);
      expect((await to.run('import', to.file, '--yes')).code).toBe(0);
      expect((await to.call('GET /v1/event-types')).body).toEqual((await from.call('GET /v1/event-types')).body);
    }
  });
});

describe('the list', () => {
  it('has versions, groups, what is judged and what is deprecated; one type with its schema and example', async () => {
    const { run, json, put } = world();
    expect((await run()).stdout).toBe('No event type is described yet.\n');
    await put('a', { schema: {}, version: 'v2', earlier: [{ version: 'v1' }], group: 'Money', validate: 'warn' });
    await put('b', { deprecated: true, ends_at: '2027-01-31T00:00:00Z', replacement: 'a' });
    const { stdout } = await run();
    expect(stdout).toMatch(/a +v2, v1 +Money +warn +current\n/);
    expect(stdout).toMatch(/b +- +- +no schema +deprecated, ends 2027-01-31, use a\n/);
    expect((await run('b')).stdout).toMatch(
      /^b {2}deprecated, ends 2027-01-31, use a\n[\s\S]*example -\nschema {2}-\n/,
    );
    expect(await json('a')).toMatchObject({ name: 'a', schema: {} });
    expect((await run('none')).code).toBe(3);
  });
});
