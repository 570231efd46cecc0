/** Which schemas the catalogue takes. Oracle: ajv, which knows the meta-schema of 2020-12. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lazySchemaJudge } from '#adapters/json-schema/lazy-schema-judge.ts';
import { jsonSchema } from '#core/outbound/catalogue/schema-check.ts';
import type { ConfigProblem } from '#core/problem.ts';
import { isShallow } from '#core/scan/json-object.ts';

const problemsOf = (schema: unknown): readonly ConfigProblem[] => {
  const problems: ConfigProblem[] = [];
  jsonSchema(schema, 'schema', each => problems.push(each));
  return problems;
};
const nested = (levels: number): object =>
  Array.from({ length: levels }).reduce<object>(inner => ({ properties: { a: inner } }), { type: 'string' });

describe('a schema is refused with the place', () => {
  it.each([
    [{ type: 'objekt' }, 'schema.type', /did you mean "object"/],
    [{ properties: { amount: { type: ['number', 'number'] } } }, 'schema.properties.amount.type', /null/],
    [{ requird: ['a'] }, 'schema.requird', /did you mean required/],
    [{ required: ['a', 'a'] }, 'schema.required', /second/],
    [{ properties: { a: { nullable: true } } }, 'schema.properties.a.nullable', /"null"/],
    [{ definitions: {} }, 'schema.definitions', /\$defs/],
    [{ $id: 'https://acme.com/x' }, 'schema.$id', /remove/],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, 'schema.$schema', /leave it out/],
    [{ $ref: 'https://evil.com/schema.json' }, 'schema.$ref', /nothing is fetched/],
    [{ $ref: 'other.json#/a' }, 'schema.$ref', /nothing is fetched/],
    [{ $ref: '#/$defs/a%' }, 'schema.$ref', /nothing is fetched/],
    [{ items: { $ref: '#/$defs/none' } }, 'schema.items.$ref', /\$defs/],
    [{ items: { $ref: '#/items/enum' }, enum: [1] }, 'schema.items.$ref', /\$defs/],
    [{ anyOf: [] }, 'schema.anyOf', /remove/],
    [{ allOf: [{ type: 1 }] }, 'schema.allOf[0].type', /./],
    [{ properties: [] }, 'schema.properties', /\{ … \}/],
    [{ properties: { 'a b': 5 } }, 'schema.properties."a b"', /\{ … \}/],
    [{ pattern: '(' }, 'schema.pattern', /correct/],
    [{ pattern: 'a'.repeat(501) }, 'schema.pattern', /shorten/],
    [{ patternProperties: { '[': true } }, 'schema.patternProperties', /correct/],
    [{ multipleOf: 0 }, 'schema.multipleOf', /./],
    [{ minLength: -1 }, 'schema.minLength', /./],
    [{ maximum: '5' }, 'schema.maximum', /digits/],
    [{ uniqueItems: 1 }, 'schema.uniqueItems', /true or false/],
    [{ enum: [] }, 'schema.enum', /./],
    [{ dependentRequired: { a: 'b' } }, 'schema.dependentRequired.a', /brackets/],
    [{ $ref: '#' }, 'schema.$ref', /./],
    [{ $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } }, /\$ref$/, /./],
    [nested(33), /properties\.a/, /\$defs/],
    [{ description: 'x'.repeat(33_000) }, 'schema', /shorten/],
    [true, 'schema', /./],
    [null, 'schema', /./],
  ])('%j', (schema, path, fix) => {
    const [problem] = problemsOf(schema);
    expect(problem?.path).toMatch(path);
    if (typeof path === 'string') expect(problem?.path).toBe(path);
    expect(problem?.fix).toMatch(fix);
  });

  it('tells every problem at once', () => {
    expect(problemsOf({ type: 'x', properties: { a: { type: 'y' } }, colour: 1 }).map(({ path }) => path)).toEqual([
      'schema.type',
      'schema.properties.a.type',
      'schema.colour',
    ]);
  });

  it('is not exhausted by depth', () => {
    let deep: unknown = 1;
    for (let n = 0; n < 100_000; n++) deep = [deep];
    expect(problemsOf({ const: deep })[0]?.given).toBe('deeper');
    expect(isShallow(deep, 64)).toBe(false);
  });
});

describe('a schema is taken', () => {
  it.each([
    [{}],
    [{ type: ['string', 'null'], format: 'date-time', 'x-pii': true, example: 'a', discriminator: {} }],
    [{ properties: { children: { items: { $ref: '#' } }, 'a/b~c d': true }, required: ['children'] }],
    [{ properties: { a: { $ref: '#/properties/x~1y%20z' }, 'x/y z': { type: 'integer' } } }],
    [{ $defs: { money: { type: 'integer', minimum: 0 } }, properties: { a: { $ref: '#/$defs/money' } } }],
    [nested(15)],
  ])('%j', async schema => {
    expect(problemsOf(schema)).toEqual([]);
    // What is taken can judge.
    expect(
      await lazySchemaJudge(60_000)(schema, { a: 1, children: [{ children: [] }], 'x/y z': 1 }),
    ).not.toContainEqual(expect.objectContaining({ rule: 'cannot be judged' }));
  });
});

describe('beside ajv', () => {
  const word = fc.constantFrom('string', 'number', 'object', 'null', 5, true);
  const data = fc.oneof(word, fc.integer({ min: -2, max: 9 }), fc.array(word, { maxLength: 2 }), fc.constant({}));
  const { schema } = fc.letrec<{ schema: unknown }>(tie => ({
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.boolean(),
      fc.dictionary(
        fc.constantFrom('type', 'enum', 'required', 'minLength', 'multipleOf', 'uniqueItems', 'pattern', 'title'),
        data,
        { maxKeys: 2 },
      ),
      fc.record(
        {
          properties: fc.oneof(fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')), data),
          allOf: fc.oneof(fc.array(tie('schema'), { maxLength: 2 }), data),
          items: tie('schema'),
          dependentRequired: fc.oneof(fc.dictionary(fc.constantFrom('a'), fc.array(word)), data),
        },
        { requiredKeys: [] },
      ),
    ),
  }));

  it('takes what the meta-schema takes, and refuses what it refuses', () => {
    const ajv = new Ajv2020({ strict: false });
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(schema, it => {
        if (typeof it === 'boolean') return;
        // Only recommended by the meta-schema: a list that is not empty (of enum).
        const empty = JSON.stringify(it).includes('"enum":[]');
        const ours = problemsOf(it).length === 0;
        if (!empty) expect(ours, JSON.stringify(it)).toBe(ajv.validateSchema(it as object));
        seen[ours ? 'taken' : 'refused']++;
      }),
      // About 140 are taken.
      { numRuns: 1_000 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(50);
  });
});
