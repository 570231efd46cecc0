import { env } from 'node:process';
import { expect, it } from 'vitest';
import { exists } from '#core/condition.ts';
import type { Item, ItemStore, ItemUpdate } from '#core/outbound/ports.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { findNoticingWalk } from '#test/proof/conformance/find-noticing-walk.ts';
import type { StoreBug } from './drain-session.ts';
import { drainWalk } from './drain-walk.ts';

const FIRST_SEED = Number(env['HOLDFAST_SEED'] ?? 1);
const WALKS = isLongRun() ? 3_000 : 300;
const MAX_STEPS = 60;
/** The seeds that noticed the bugs which few walks notice. */
const NOTICED_BY: Readonly<Record<string, number>> = {};

it('the real session does only what the model may do, at every call', async () => {
  let steps = 0;
  const actions = new Set<string>();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + WALKS; seed++) {
    const walked = await drainWalk(seed, MAX_STEPS);
    steps += walked.length;
    for (const action of walked) actions.add(action);
  }
  console.log(`Sessions by the model: ${WALKS} walks, ${steps} steps, ${actions.size} different actions`);
  recordRun(['O3', 'O4', 'O5', 'O6', 'O7', 'O9', 'O10'], 'drain-conformance', steps);
  expect(steps).toBeGreaterThan(WALKS * 25);
  for (const rare of RARE) expect(actions).toContain(`drainer: ${rare}`);
}, 1_800_000);

/** What a walk must have met. */
const RARE = [
  'takes the lease (own retry recognised)',
  'finds nothing due: drops the wake-up',
  'is refused the lease: on hold or held: drops the wake-up',
  'is refused the lease: gate shut: drops the wake-up',
  'finds that it lost the lease',
  'finds the gate shut',
  'sees that the attempt is recorded',
  'sees that the row is done',
  'records that it was dropped',
  'fails, breaker opens, records attempt 1',
  '429 with Retry-After, not charged',
  'disables the endpoint',
  'lost the lease or the gate: disables nothing',
  'releases; somebody else has it',
  'gives up at query',
  'gives up at check',
  'gives up at sent',
  'gives up at put',
  'releases after an error, returns its wake-up',
  'release fails, returns its wake-up',
  'queries again: there is more',
  'CRASHES at sent',
  'CRASHES at put',
  'CRASHES at release',
];

/** What the code sees is not what there is, or what it writes is not written. */
const BUGS: Readonly<Record<string, StoreBug>> = {
  'no record is read before a request': store => ({
    ...store,
    getMany: async (keys, read) => {
      const items = await store.getMany(keys, read);
      return keys[0]?.pk.startsWith('D#') ? (items.map(() => undefined) as unknown as typeof items) : items;
    },
  }),
  'a session sees the gate and the owner of before': store => {
    const seen = new Map<string, Item>();
    return {
      ...store,
      get: async (key, read) => {
        const item = await store.get(key, read);
        if (item !== undefined && !seen.has(key.pk)) seen.set(key.pk, item as Item);
        return (seen.get(key.pk) ?? item) as typeof item;
      },
    };
  },
  'the row of the next attempt is not put': store => ({
    ...store,
    put: async write => ({ kind: 'applied', item: write.item }),
  }),
  'a row that is done stays': store => ({ ...store, delete: async () => {} }),
  'the lease and the gate are written whatever they are': onUpdates(write =>
    write.key.table === 'registry' ? { ...write, condition: exists('pk') } : write,
  ),
  'the release sets no wakeAt': onUpdates(write => {
    const { gpk: _, gsk: __, ...set } = write.set ?? {};
    return { ...write, set };
  }),
  'nothing is due after the release': store => {
    let released = false;
    return {
      ...store,
      update: write => {
        released = (write.remove ?? []).includes('owner' as never);
        return store.update(write);
      },
      query: async range => (released ? { items: [] } : await store.query(range)),
    };
  },
};

function onUpdates(change: (write: ItemUpdate) => ItemUpdate): StoreBug {
  return (store: ItemStore) => ({
    ...store,
    update: <T>(write: ItemUpdate<T>) => store.update(change(write as ItemUpdate) as ItemUpdate<T>),
  });
}

it.each(Object.keys(BUGS))('a walk notices when %s', async name => {
  const seed = await findNoticingWalk(it => drainWalk(it, MAX_STEPS, BUGS[name]), NOTICED_BY[name]);
  // The bug is what it noticed: the same walk without it is fine.
  await drainWalk(seed, MAX_STEPS);
});
