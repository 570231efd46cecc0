/**
 * Random conditions and random sequences of writes, for the comparison of the memory adapters with DynamoDB Local.
 * Values come from small sets, so that equal, neighbouring and mistyped ones meet often.
 */
import fc from 'fast-check';
import type { Condition, Scalar } from '#core/condition.ts';
import type { EventPk } from '#core/glossary.ts';
import type { EventStore, EventUpdate } from '#core/inbound/ports.ts';
import type { EffectWrite } from '#core/ports.ts';
import { makeEventItem } from './event-item-fixture.ts';

const ATTRIBUTES = ['status', 'owner', 'gen', 'leaseUntil', 'parked', 'size', 'result'] as const;

const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', 'A', 'é', '\u{10000}', '\ufffd', '10', '9'),
  fc.constantFrom(-1, 0, 1, 2, 9, 10, 1.5, 1e-7, Number.MAX_SAFE_INTEGER),
  fc.boolean(),
);
const orderable = scalar.filter(value => typeof value !== 'boolean');

const leaf: fc.Arbitrary<Condition> = fc.constantFrom(...ATTRIBUTES).chain(attribute =>
  fc.oneof(
    fc.constantFrom<Condition>({ attribute, op: 'exists' }, { attribute, op: 'missing' }),
    scalar.chain(value => fc.constantFrom<Condition>({ attribute, op: 'eq', value }, { attribute, op: 'ne', value })),
    orderable.chain(value =>
      fc.constantFrom<Condition>(
        { attribute, op: 'lt', value },
        { attribute, op: 'le', value },
        { attribute, op: 'gt', value },
        { attribute, op: 'ge', value },
      ),
    ),
    fc.array(scalar, { minLength: 1, maxLength: 3 }).map((values): Condition => ({ attribute, op: 'in', values })),
  ),
);

/** Any condition DynamoDB parses, up to three levels deep. */
export const condition: fc.Arbitrary<Condition> = fc.letrec<{ node: Condition }>(tie => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((parts): Condition => ({ all: parts })),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((parts): Condition => ({ any: parts })),
  ),
})).node;

/** Attributes of an item, most of them present. */
export const attributes: fc.Arbitrary<Record<string, Scalar>> = fc.dictionary(fc.constantFrom(...ATTRIBUTES), scalar, {
  noNullPrototype: true,
});

const KEYS = ['a', 'b', 'c'] as const;
const pkOf = (source: string, key: string): EventPk => `${source}#${key}` as EventPk;

/** One call of the port, as data, so that both stores get the same. */
export type Step =
  | { kind: 'insert'; key: string; more: Record<string, Scalar> }
  | { kind: 'update'; update: Omit<EventUpdate, 'pk'>; key: string }
  | { kind: 'transact'; update: Omit<EventUpdate, 'pk'>; key: string; effects: EffectStep[]; token: string }
  | { kind: 'get'; key: string }
  | { kind: 'getMany' };
type EffectStep = { kind: 'put' | 'update' | 'delete' | 'check'; id: string; condition: Condition; n: number };

const change: fc.Arbitrary<Omit<EventUpdate, 'pk'>> = fc
  .record({
    condition,
    set: attributes,
    add: fc.dictionary(fc.constantFrom('attempts', 'resends', 'run'), fc.constantFrom(-1, 0, 1, 5)),
    remove: fc.uniqueArray(fc.constantFrom('owner', 'leaseUntil', 'result', 'cause'), { maxLength: 3 }),
    watch: fc.constantFrom<Record<string, Scalar>>(
      {},
      {},
      { watchShard: 'w', watchAt: 3 },
      { watchShard: 'w', watchAt: 4 },
    ),
  })
  .map(({ set, remove, add, watch, condition: guard }) => ({
    condition: guard,
    set: { ...set, ...watch },
    add,
    remove: remove.filter(name => !(name in set)),
  })) as fc.Arbitrary<Omit<EventUpdate, 'pk'>>;

const effect: fc.Arbitrary<EffectStep> = fc.record({
  kind: fc.constantFrom('put', 'update', 'delete', 'check'),
  id: fc.constantFrom('1', '2', '3'),
  condition,
  n: fc.integer({ min: -2, max: 2 }),
});

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('insert'), key: fc.constantFrom(...KEYS), more: attributes }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('update'), key: fc.constantFrom(...KEYS), update: change }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('transact'),
      key: fc.constantFrom(...KEYS),
      update: change,
      effects: fc.uniqueArray(effect, { maxLength: 3, selector: each => each.id }),
      token: fc.constantFrom('t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('get'), key: fc.constantFrom(...KEYS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('getMany') }) },
) as fc.Arbitrary<Step>;

/** Runs one step; a refusal by the service becomes a value, so that it can be compared. */
export async function runStep(subject: { store: EventStore; effectsTable: string }, source: string, given: Step) {
  const { store, effectsTable: table } = subject;
  try {
    switch (given.kind) {
      case 'insert':
        return await store.insert(makeEventItem(source, given.key, given.more as never));
      case 'update':
        return await store.update({ pk: pkOf(source, given.key), ...given.update });
      case 'transact': {
        const effects = given.effects.map((each): EffectWrite => {
          const key = { id: `${source}${each.id}` };
          if (each.kind === 'put') {
            return { kind: 'put', table, item: { ...key, gen: each.n }, condition: each.condition };
          }
          if (each.kind !== 'update') return { kind: each.kind, table, key, condition: each.condition };
          return { kind: 'update', table, key, add: { size: each.n }, set: { gen: each.n }, condition: each.condition };
        });
        const update = { pk: pkOf(source, given.key), ...given.update };
        return await store.transact(update, effects, `${source}${given.token}`);
      }
      case 'get':
        return { item: await store.get(pkOf(source, given.key)) };
      case 'getMany': {
        const items = await store.getMany(KEYS.map(key => pkOf(source, key)));
        return { items: items.toSorted((a, b) => (a.pk < b.pk ? -1 : 1)) };
      }
    }
  } catch (error) {
    return { error: (error as { outcome?: unknown }).outcome };
  }
}

/** Everything the steps could have changed. */
export async function finalState(
  subject: { store: EventStore; readEffect(id: string): Promise<unknown> },
  source: string,
): Promise<unknown> {
  const items = await subject.store.getMany(KEYS.map(key => pkOf(source, key)));
  const effects = await Promise.all(['1', '2', '3'].map(id => subject.readEffect(`${source}${id}`)));
  return { items: items.toSorted((a, b) => (a.pk < b.pk ? -1 : 1)), effects };
}
