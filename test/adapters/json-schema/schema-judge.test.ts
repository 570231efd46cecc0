/** The judge of the catalogue's schemas: where data breaks one, and that no pattern stops the function. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaJudge } from '#adapters/json-schema/schema-judge.ts';

// Long enough that no busy machine decides what is too slow.
const judge = schemaJudge(60_000);

describe('data', () => {
  it.each([
    [{ required: ['a/b'] }, {}, { path: '/a~1b', rule: 'required' }],
    [{ properties: { a: { items: { type: 'integer' } } } }, { a: [1, 'x'] }, { path: '/a/1', rule: 'type' }],
    [
      { properties: { a: true }, additionalProperties: false },
      { a: 1, 'ü z': 1 },
      { path: '/ü z', rule: 'not allowed' },
    ],
    [{ oneOf: [{ type: 'string' }, { required: ['q'] }] }, { a: 1 }, { path: '', rule: 'oneOf' }],
    [{ $ref: '#/$defs/a%20b', $defs: { 'a b': { type: 'null' } } }, 1, { path: '', rule: 'type' }],
    [{ properties: { at: { format: 'date-time' } } }, { at: 'yesterday' }, { path: '/at', rule: 'format' }],
    [{ properties: { a: { const: 'c4nary' } } }, { a: 'other' }, { path: '/a', rule: 'const' }],
  ])('%j breaks at the place', async (schema, data, place) => {
    expect((await judge(schema, data))[0]).toEqual(place);
  });

  it('has no value of the data or the schema in what is told', async () => {
    const schema = { properties: { a: { enum: ['k3pt'] }, b: { pattern: '^k3pt$' }, c: { maxLength: 1 } } };
    const told = await judge(schema, { a: 'c4nary', b: 'c4nary', c: 'c4nary' });
    expect(JSON.stringify(told)).not.toMatch(/c4nary|k3pt/);
  });

  it('inside itself thousands of times is broken, not an outage', async () => {
    let deep: unknown = 1;
    for (let n = 0; n < 50_000; n++) deep = [deep];
    expect(await judge({ items: { $ref: '#' } }, deep)).toEqual([{ path: '', rule: 'cannot be judged' }]);
  });

  it('with tens of thousands of broken places is broken', async () => {
    const many = Array.from({ length: 60_000 }, () => 'x');
    expect((await judge({ items: { type: 'integer' } }, many))[0]).toEqual({ path: '/0', rule: 'type' });
  });
});

it.each([
  ['exponential', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
  ['quadratic', { pattern: '\\s+$' }, `${' '.repeat(250_000)}!`],
  ['names', { patternProperties: { '^(a+)+$': true } }, { [`${'a'.repeat(60)}!`]: 1 }],
])('a pattern that takes %s time is stopped, and the judge goes on', async (_, schema, data) => {
  const quick = schemaJudge(300);
  const from = process.cpuUsage();
  expect(await quick(schema, data)).toBe('too_slow');
  expect(process.cpuUsage(from).user / 1_000).toBeLessThan(1_500);
  expect(await quick({ type: 'string' }, 5)).toEqual([{ path: '', rule: 'type' }]);
});

it('says of data what ajv says', async () => {
  const ajv = new Ajv2020({ strict: false });
  const schemas = [
    { type: 'object', required: ['a'], properties: { a: { type: 'integer' }, b: { type: ['string', 'null'] } } },
    {
      type: 'object',
      properties: { a: true },
      patternProperties: { '^b': { minLength: 1 } },
      additionalProperties: false,
    },
    { anyOf: [{ required: ['a'] }, { required: ['b'] }], unevaluatedProperties: false, properties: { a: {}, b: {} } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword
    { if: { required: ['a'] }, then: { required: ['b'] }, dependentRequired: { b: ['a'] }, minProperties: 1 },
    { type: 'array', prefixItems: [{ type: 'integer' }], items: { const: null }, uniqueItems: true },
    { type: 'array', contains: { type: 'integer' }, maxContains: 1 },
    {
      $ref: '#/$defs/tree',
      $defs: { tree: { properties: { a: { $ref: '#/$defs/tree' } }, maxProperties: 2, not: { required: ['c'] } } },
    },
  ];
  const { value } = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constantFrom(null, 0, 1, 1.5, '', 'x', true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'bb', 'c'), tie('value'), { maxKeys: 3 }),
    ),
  }));
  const both = schemas.map(schema => [schema, ajv.compile(schema)] as const);
  const seen = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...both), value, async ([schema, validate], data) => {
      const fits = validate(data);
      seen[Number(fits)]!++;
      const broken = await judge(schema, data);
      expect(broken.length === 0, JSON.stringify([schema, data, broken])).toBe(fits);
    }),
    { numRuns: 400 },
  );
  expect(Math.min(...seen)).toBeGreaterThan(40);
});
