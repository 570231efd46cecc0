/**
 * What each write of the protocol must accept and refuse, and that every single condition of it counts: with any one left
 * out, some verdict of the table changes. Whether a whole run suffers is the matter of write-conditions.test.ts.
 */
import { describe, expect, it } from 'vitest';
import { holds } from '#core/condition.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';
import * as writes from '#core/inbound/protocol/event-writes.ts';
import { CONDITIONS, GUARDS, type Guard, item, makeGuards } from './guarded-writes.ts';
import { dropLeaf, writeOf } from './write-leaves.ts';

const verdicts = ({ accepts, refuses }: Guard, { condition }: EventUpdate): readonly boolean[] =>
  [...accepts, ...refuses].map(change => holds(condition, { ...item(change) }));
const titled = GUARDS.map(({ update }, n) => [writeOf(update), n] as const);

describe('the writes', () => {
  it('are all in the table', () => {
    const builders = Object.entries(writes).flatMap(([name, value]) =>
      typeof value === 'function' && /condition/.test(value.toString()) ? [name] : [],
    );
    const named = new Set(titled.map(([name]) => name));
    expect(builders.filter(name => !named.has(name) && name !== 'asDeferral')).toEqual([]);
    expect(named.size).toBe(23);
  });

  it.each(titled)('%s accepts and refuses what it must', (name, n) => {
    const guard = makeGuards()[n];
    if (guard === undefined) throw new Error(name);
    expect(verdicts(guard, guard.update)).toEqual([
      ...guard.accepts.map(() => true),
      ...guard.refuses.map(() => false),
    ]);
  });
});

describe('each condition counts', () => {
  it.each(CONDITIONS)('%s', condition => {
    const [write = '', leaf = ''] = condition.split(': ');
    const noticed = makeGuards().some(guard => {
      const mutated = dropLeaf(guard.update, write, leaf);
      return verdicts(guard, guard.update).join() !== verdicts(guard, mutated).join();
    });
    expect(noticed).toBe(true);
  });
});
