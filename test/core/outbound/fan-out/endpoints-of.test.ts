import { expect, it } from 'vitest';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import type { KeyRange } from '#core/outbound/ports.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';

/** Applications with so many endpoints each; `asked` are the partitions that were read. */
function storeWith(counts: Readonly<Record<string, number>>) {
  const asked: string[] = [];
  const query = async ({ partition }: KeyRange) => {
    asked.push(partition);
    const count = counts[partition.slice(2)] ?? 0;
    return { items: Array.from({ length: count }, (_, n) => ({ id: `ep_${n}` })) };
  };
  return { asked, endpoints: endpointsOf({ query } as never) };
}
const [A, B, C] = ['app_a', 'app_b', 'app_c'] as AppId[] as [AppId, AppId, AppId];

it('reads an application once while its version stays, and again when it changed', async () => {
  const { asked, endpoints } = storeWith({ [A]: 3 });
  for (const endpointVersion of [1, 1, 2, 2]) expect(await endpoints(A, { endpointVersion })).toHaveLength(3);
  expect(asked).toEqual([`A#${A}`, `A#${A}`]);
});

it('keeps 20,000 endpoints of all applications in memory, and not more', async () => {
  const { asked, endpoints } = storeWith({ [A]: 10_000, [B]: 10_000, [C]: 1 });
  const at = { endpointVersion: 1 };
  await endpoints(A, at);
  await endpoints(B, at);
  await endpoints(A, at);
  expect(asked).toHaveLength(2);
  expect(await endpoints(C, at)).toHaveLength(1);
  expect(await endpoints(A, at)).toHaveLength(10_000);
  expect(asked).toHaveLength(4);
  // One that is changed again and again counts once.
  for (let endpointVersion = 2; endpointVersion < 10; endpointVersion++) await endpoints(A, { endpointVersion });
  const before = asked.length;
  await endpoints(C, at);
  expect(asked).toHaveLength(before);
});
