import { expect, it } from 'vitest';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import type { KeyRange, TableKey } from '#core/outbound/ports.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';

/** Applications with so many endpoints each. `asked`: the partitions that were read; `got`: single endpoints. */
function storeWith(counts: Readonly<Record<string, number>>) {
  const asked: string[] = [];
  const got: string[] = [];
  const query = async ({ partition, from = '', to = '' }: KeyRange) => {
    asked.push(partition);
    const count = counts[partition.slice(2)] ?? 0;
    const items = Array.from({ length: count }, (_, n) => ({ id: `ep_${n}` }));
    return { items: items.filter(({ id }) => `E#${id}` >= from && `E#${id}` <= to) };
  };
  const changed = new Map<string, object>();
  const get = async ({ sk }: TableKey) => {
    got.push(sk);
    return changed.get(sk);
  };
  return { asked, got, changed, endpoints: endpointsOf({ query, get } as never) };
}
const [A, B, C] = ['app_a', 'app_b', 'app_c'] as AppId[] as [AppId, AppId, AppId];
const at = { endpointVersion: 1 };

it('reads an application once while its version stays, and again when it changed', async () => {
  const { asked, endpoints } = storeWith({ [A]: 3 });
  for (const endpointVersion of [1, 1, 2, 2]) expect(await endpoints(A, { endpointVersion })).toHaveLength(3);
  expect(asked).toEqual([`A#${A}`, `A#${A}`]);
});

it('reads only the endpoint that changed, where it is one', async () => {
  const { asked, got, changed, endpoints } = storeWith({ [A]: 3 });
  await endpoints(A, at);
  changed.set('E#ep_1', { id: 'ep_1', url: 'https://new.example' });
  const changedTo = (endpointVersion: number, id: string) =>
    endpoints(A, { endpointVersion, changedEndpoint: id as EndpointId });
  expect(await changedTo(2, 'ep_1')).toEqual([
    { id: 'ep_0' },
    { id: 'ep_1', url: 'https://new.example' },
    { id: 'ep_2' },
  ]);
  changed.set('E#ep_12', { id: 'ep_12' });
  expect((await changedTo(3, 'ep_12')).map(({ id }) => id)).toEqual(['ep_0', 'ep_1', 'ep_12', 'ep_2']);
  // Its tombstone is gone, too.
  expect((await changedTo(4, 'ep_0')).map(({ id }) => id)).toEqual(['ep_1', 'ep_12', 'ep_2']);
  expect([asked.length, got]).toEqual([1, ['E#ep_1', 'E#ep_12', 'E#ep_0']]);
  // Two changes at once: the first of them is not named.
  expect((await changedTo(6, 'ep_1')).map(({ id }) => id)).toEqual(['ep_0', 'ep_1', 'ep_2']);
  expect(asked).toHaveLength(2);
});

it('remembers 501 applications that publish in turn', async () => {
  const apps = Array.from({ length: 501 }, (_, n) => `app_${n}` as AppId);
  const { asked, endpoints } = storeWith(Object.fromEntries(apps.map(app => [app, 2])));
  for (let round = 0; round < 3; round++) for (const app of apps) await endpoints(app, at);
  expect(asked).toHaveLength(501);
});

it('keeps 20,000 endpoints in memory; of more, those of the application that was asked for longest ago go', async () => {
  const { asked, endpoints } = storeWith({ [A]: 9_000, [B]: 9_000, [C]: 9_000 });
  for (const app of [A, B, A, C, A]) expect(await endpoints(app, at)).toHaveLength(9_000);
  expect(asked).toEqual([`A#${A}`, `A#${B}`, `A#${C}`]);
  await endpoints(B, at);
  expect(asked).toHaveLength(4);
  // One that is changed again and again counts once.
  for (let endpointVersion = 2; endpointVersion < 10; endpointVersion++) await endpoints(A, { endpointVersion });
  const before = asked.length;
  await endpoints(B, at);
  expect(asked).toHaveLength(before);
});

it('reads a part alone, and takes it from memory where all are known', async () => {
  const { asked, endpoints } = storeWith({ [A]: 6 });
  const part = async (from?: string, to?: string) => (await endpoints(A, at, { from, to })).map(({ id }) => id);
  const parts = async () => [await part(undefined, 'ep_2'), await part('ep_2', 'ep_4'), await part('ep_4')];
  const wanted = [
    ['ep_0', 'ep_1'],
    ['ep_2', 'ep_3'],
    ['ep_4', 'ep_5'],
  ];
  expect(await parts()).toEqual(wanted);
  // A part is not taken for all of them.
  expect(await endpoints(A, at)).toHaveLength(6);
  expect(asked).toHaveLength(4);
  expect(await parts()).toEqual(wanted);
  expect(asked).toHaveLength(4);
});
