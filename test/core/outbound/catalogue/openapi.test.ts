/** The catalogue from and to OpenAPI 3.1: a real document's habits, what is refused, and the way there and back. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { given } from '#core/given.ts';
import type { CatalogueType } from '#core/outbound/catalogue/catalogue-type.ts';
import { fromOpenApi } from '#core/outbound/catalogue/from-openapi.ts';
import { atPointer, type Json, mapRefs, pointerOf } from '#core/outbound/catalogue/schema-parts.ts';
import { toOpenApi } from '#core/outbound/catalogue/to-openapi.ts';

const json = (schema: unknown, more: object = {}) => ({ content: { 'application/json': { schema, ...more } } });
const post = (body: unknown, more: object = {}) => ({ post: { requestBody: body, ...more } });
const documentOf = (webhooks: object, components: object = {}) => ({ openapi: '3.1.0', webhooks, components });
function typesOf(document: unknown): readonly CatalogueType[] {
  const { types, problems } = fromOpenApi(document);
  expect(problems).toEqual([]);
  return types;
}

describe('import', () => {
  it('takes name, words, group, deprecation, schema and example', () => {
    const amount = { type: 'object', required: ['amount'], properties: { amount: { type: 'integer' } } };
    const told = { summary: 'Paid', description: 'An invoice\n was  paid.', tags: ['Money', 'x'], deprecated: true };
    const webhooks = { 'invoice.paid': post(json(amount, { example: { amount: 5 } }), told), ping: { post: {} } };
    expect(typesOf(documentOf(webhooks))).toEqual([
      {
        ...{ name: 'invoice.paid', description: 'An invoice was paid.', group: 'Money', deprecated: true },
        ...{ schema: amount, example: { amount: 5 } },
      },
      { name: 'ping' },
    ]);
  });

  it('follows local references everywhere, takes what a schema refers to along, and ends in circles', () => {
    const components = {
      pathItems: { Paid: post({ $ref: '#/components/requestBodies/Paid' }) },
      requestBodies: {
        Paid: json({ $ref: '#/components/schemas/Invoice' }, { examples: { a: { $ref: '#/components/examples/a' } } }),
      },
      examples: { a: { value: { total: { cents: 1 } } } },
      schemas: {
        Invoice: {
          properties: {
            total: { $ref: '#/components/schemas/Money' },
            parts: { items: { $ref: '#/components/schemas/Invoice' } },
          },
        },
        Money: {
          properties: { cents: { type: 'integer' }, was: { $ref: '#/components/schemas/Money' } },
          const: { $ref: 'data' },
        },
      },
    };
    const [type] = typesOf(documentOf({ 'invoice.paid': { $ref: '#/components/pathItems/Paid' } }, components));
    expect(type).toEqual({
      name: 'invoice.paid',
      schema: {
        properties: { total: { $ref: '#/$defs/Money' }, parts: { items: { $ref: '#' } } },
        $defs: {
          Money: {
            properties: { cents: { type: 'integer' }, was: { $ref: '#/$defs/Money' } },
            const: { $ref: 'data' },
          },
        },
      },
      example: { total: { cents: 1 } },
    });
  });

  it('keeps two schemas of one name apart, and the own $defs of a schema', () => {
    const components = {
      schemas: {
        A: {
          $defs: { Money: { type: 'null' } },
          properties: { a: { $ref: '#/components/schemas/A/$defs/Money' }, b: { $ref: '#/components/schemas/Money' } },
        },
        Money: { type: 'integer' },
      },
    };
    const [type] = typesOf(documentOf({ a: post(json({ $ref: '#/components/schemas/A' })) }, components));
    expect(type?.schema).toEqual({
      $defs: { Money: { type: 'null' }, Money_2: { type: 'integer' } },
      properties: { a: { $ref: '#/$defs/Money' }, b: { $ref: '#/$defs/Money_2' } },
    });
  });

  it('takes data out of an envelope, also of one that is put together by allOf', () => {
    const base = { properties: { id: { type: 'string' }, type: { type: 'string' }, data: {} } };
    const components = { schemas: { Envelope: base, Paid: { required: ['amount'], example: { amount: 1 } } } };
    const data = { properties: { data: { $ref: '#/components/schemas/Paid' } } };
    const both = { allOf: [{ $ref: '#/components/schemas/Envelope' }, data] };
    const example = { example: { type: 'b', data: { amount: 2 } } };
    const [a, b, c] = typesOf(
      documentOf({ a: post(json(both)), b: post(json(both, example)), c: post(json(base)) }, components),
    );
    expect(a).toMatchObject({ schema: { required: ['amount'] }, example: { amount: 1 } });
    expect(b?.example).toEqual({ amount: 2 });
    expect(c).toEqual({ name: 'c' });
  });

  it.each([
    [{ openapi: '3.0.3', paths: {} }, 'openapi', /convert/],
    [{ swagger: '2.0' }, 'openapi', /convert/],
    ['text', 'openapi', /convert/],
    [{ openapi: '3.1.0' }, 'webhooks', /add/],
    [documentOf({ 'a b': post(json({})) }), 'webhooks."a b"', /event_type/],
    [documentOf({ a: { get: {} } }), 'webhooks.a', /POST/],
    [documentOf({ a: post(json({ $ref: 'common.yaml#/A' })) }), 'webhooks.a.schema', /bundle/],
    [documentOf({ a: post(json({ items: { $ref: 'https://x.com/a.json' } })) }), 'webhooks.a.schema', /bundle/],
    [documentOf({ a: post(json({ items: { $ref: '#/components/schemas/No' } })) }), 'webhooks.a.schema', /correct/],
    [documentOf({ a: post({ $ref: '#/components/requestBodies/No' }) }), 'webhooks.a', /correct/],
    [documentOf({ a: { $ref: '#/webhooks/b' }, b: { $ref: '#/webhooks/a' } }), 'webhooks.a', /correct/],
    [documentOf({ a: post({}, { 'x-holdfast': { event_type: 'b', earlier: true } }) }), 'webhooks.a', /add that/],
    [documentOf({ a: post({}), b: post({}, { 'x-holdfast': { event_type: 'a' } }) }), 'webhooks', /event_type/],
  ])('refuses %j', (document, path, fix) => {
    const [problem] = fromOpenApi(document).problems;
    expect(problem?.path).toBe(path);
    expect(problem?.fix).toMatch(fix);
  });
});

const SCHEMAS: readonly unknown[] = [
  {
    type: 'object',
    properties: { a: { $ref: '#/$defs/b%20c' }, self: { $ref: '#' } },
    $defs: { 'b c': { enum: [{ $ref: 'data' }] } },
  },
  { properties: { type: { type: 'string' }, data: { type: 'object' } }, required: ['type', 'data'] },
  { items: { $ref: '#/properties/x~1y' }, properties: { 'x/y': { minimum: 0 } }, title: 'A' },
  {},
];
const form = fc.record(
  {
    schema: fc.constantFrom(...SCHEMAS),
    example: fc.jsonValue({ maxDepth: 2 }).filter(it => it !== null),
    deprecated: fc.constant(true),
  },
  { requiredKeys: [] },
);
const type = fc
  .record(
    {
      name: fc.constantFrom('a', 'a_v1', 'invoice.paid', 'B-2', '12'),
      description: fc.constantFrom('Paid.', 'Two words'),
      group: fc.constantFrom('Money', 'Other'),
      validate: fc.constantFrom('off' as const, 'warn' as const, 'reject' as const),
      ends_at: fc.constant('2027-01-31T00:00:00.000Z'),
      replacement: fc.constant('other'),
      versions: fc.uniqueArray(fc.constantFrom('v1', 'v2', '2026-11-22'), { maxLength: 3 }),
      newest: form,
      before: fc.tuple(form, form),
    },
    { requiredKeys: ['name', 'newest', 'before', 'versions'] },
  )
  .map(
    ({ versions: [version, ...names], newest, before, ...rest }): CatalogueType => ({
      ...rest,
      ...newest,
      ...given({ version }),
      ...(names.length > 0 && { earlier: names.map((each, at) => ({ version: each, ...before[at] })) }),
    }),
  );
const catalogue = fc.uniqueArray(type, { selector: ({ name }) => name, minLength: 1, maxLength: 5 });

const byName = (types: readonly CatalogueType[]) => [...types].sort((a, b) => (a.name < b.name ? -1 : 1));

describe('export', () => {
  it('comes back as the same catalogue, through text', () => {
    fc.assert(
      fc.property(catalogue, fc.constantFrom('standard' as const, 'raw' as const), (types, format) => {
        // As text has it: no -0.
        const given = JSON.parse(JSON.stringify(types)) as readonly CatalogueType[];
        const back = typesOf(JSON.parse(JSON.stringify(toOpenApi(given, 'Acme', format))));
        expect(byName(back)).toEqual(byName(given));
      }),
      { numRuns: 200 },
    );
  });

  it('has references that all lead somewhere, and judges a body as the catalogue judges its data', () => {
    const schema = { required: ['a'], properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'integer' } } };
    const document = toOpenApi([{ name: 'x.y', schema, example: { a: 1 } }], 'Acme');
    const refs: string[] = [];
    const media = atPointer(document, '/webhooks/x.y/post/requestBody/content/application~1json') as {
      schema: Json;
      example: Json;
    };
    for (const each of [media.schema, atPointer(document, '/components/schemas/x.y')])
      mapRefs(each, ref => String(refs.push(ref)));
    expect(refs).toEqual(['#/components/schemas/x.y', '#/components/schemas/x.y/$defs/n']);
    for (const ref of refs) expect(atPointer(document, pointerOf(ref) ?? '?'), ref).toBeDefined();
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({ ...document, ...media.schema });
    expect(validate(media.example)).toBe(true);
    expect(validate({ ...media.example, data: { a: 'x' } })).toBe(false);
    expect(validate({ ...media.example, type: 'x.z' })).toBe(false);
  });
});
