import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { toAttributes } from '#adapters/dynamodb/marshal.ts';
import { holds } from '#core/condition.ts';
import { given } from '#core/given.ts';
import type { EventPk } from '#core/glossary.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { attributes, condition, finalState, runStep, step } from './agreement.ts';
import { controlStoreContract } from './control-store.contract.ts';
import { makeDynamoDbTables } from './dynamodb-tables.ts';
import { eventStoreContract } from './event-store.contract.ts';
import { itemStoreContract } from './item-store.contract.ts';
import { makeMemoryTables } from './memory-region.ts';
import { payloadStoreContract } from './payload-store.contract.ts';
import { publisherContract } from './publisher.contract.ts';
import { searchStoreContract } from './search-store.contract.ts';

const CONDITIONS = isLongRun() ? 3_000 : 80;
const SEQUENCES = isLongRun() ? 600 : 25;

/** The stores' contracts on Amazon's DynamoDB Local, and the comparison of the memory adapters with it. */
export function dynamoDbLocalSuite(url: () => string): void {
  let tables: ReturnType<typeof makeDynamoDbTables>;
  beforeAll(() => {
    tables = makeDynamoDbTables(url());
  });

  eventStoreContract(() => tables);
  controlStoreContract(() => tables);
  payloadStoreContract(() => tables);
  searchStoreContract(() => tables);
  itemStoreContract(() => tables);
  publisherContract(() => tables);

  test('agrees with `holds` on every operator over every pair of values, missing and mistyped ones included', async () => {
    const values = ['', 'a', 'b', '10', 9, 10, -1, true, false] as const;
    for (const [n, actual] of [undefined, ...values].entries()) {
      const pk = `leaf#${n}` as EventPk;
      const item = { pk, ...given({ status: actual }) };
      await tables.client.send(new PutItemCommand({ TableName: 'events', Item: toAttributes(item) }));
      const conditions = [
        ...(['exists', 'missing'] as const).map(op => ({ attribute: 'status', op })),
        ...(['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const).flatMap(op =>
          values
            .filter(value => typeof value !== 'boolean' || op === 'eq' || op === 'ne')
            .map(value => ({ attribute: 'status', op, value })),
        ),
        ...values.map(value => ({ attribute: 'status', op: 'in' as const, values: ['z', value] })),
      ];
      const kinds = await Promise.all(
        conditions.map(async guard => (await tables.store.update({ pk, condition: guard, set: {} })).kind),
      );
      expect(kinds).toEqual(conditions.map(guard => (holds(guard, item) ? 'applied' : 'refused')));
    }
  });

  test(`agrees with \`holds\` on ${CONDITIONS} random conditions over random items`, async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(condition, fc.option(attributes, { nil: undefined }), async (guard, attributes) => {
        const pk = `holds#${++n}` as EventPk;
        const item = attributes && { pk, ...attributes };
        if (item) await tables.client.send(new PutItemCommand({ TableName: 'events', Item: toAttributes(item) }));
        const result = await tables.store.update({ pk, condition: guard, set: {} });
        expect(result.kind).toBe(holds(guard, item) ? 'applied' : 'refused');
      }),
      { numRuns: CONDITIONS, seed: 20_260_105 },
    );
  });

  test(`gives the same results as the memory adapters in ${SEQUENCES} random sequences of writes`, async () => {
    let n = 0;
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async steps => {
        const memory = makeMemoryTables();
        const source = `same-${++n}`;
        for (const each of steps) {
          const theirs = await runStep(tables, source, each);
          expect(await runStep(memory, source, each)).toEqual(theirs);
          if ('kind' in theirs && theirs.kind === 'applied') applied += 1;
        }
        expect(await finalState(memory, source)).toEqual(await finalState(tables, source));
      }),
      { numRuns: SEQUENCES, seed: 20_260_105 },
    );
    // A comparison of nothing but refusals would prove nothing.
    expect(applied).toBeGreaterThan(SEQUENCES);
  });
}
