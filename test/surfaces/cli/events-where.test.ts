/** `events ls --where`: events by a field that their source declares. */
import { expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { searchItems } from '#core/inbound/protocol/searchable.ts';
import { PROVIDERS } from '#providers/index.ts';
import { MemorySearchStore } from '#test/kit/memory/memory-search-store.ts';
import { PAYLOADS } from '#test/kit/memory-world.ts';
import { CliWorld } from './cli-world.ts';

const GATEWAY = defineGateway({
  sources: {
    shop: { provider: 'generic', searchable: { order: '/data/order', customer: '/data/customer' } },
    pay: { provider: 'generic', searchable: { order: '/order' } },
  },
  environments: { local: {} },
});
const readDeployment = (name: string) => resolveDeployment(GATEWAY, name, PROVIDERS);

async function shop(): Promise<CliWorld> {
  const cli = new CliWorld();
  cli.world.start();
  for (const source of ['shop', 'pay'])
    for (const n of [1, 2, 3]) {
      await cli.world.post({ id: `${source}-${n}`, source });
      await cli.world.clock.advanceBy(1_000);
    }
  await cli.world.clock.advanceBy(60_000);
  cli.world.stop();
  const search = new MemorySearchStore(cli.world.database, PAYLOADS);
  for (const [source, n] of [
    ['shop', 1],
    ['shop', 3],
    ['pay', 2],
  ] as const) {
    const item = cli.world.item(`${source}-${n}`, source);
    if (item === undefined) throw new Error('no item');
    for (const found of searchItems(item, [['order', '1234']], 4_000_000_000, nodeCrypto)) await search.put(found);
  }
  // An item whose record is gone.
  const gone = { timelineHour: 'shop#x', timelineAt: `${cli.world.clock.now() - 9_000}#gone` };
  for (const found of searchItems(gone, [['order', '1234']], 4_000_000_000, nodeCrypto)) await search.put(found);
  return cli;
}

it('lists the events of all sources that declare the field, newest first, and none whose record is gone', async () => {
  const cli = await shop();
  const ls = async (...args: string[]) =>
    (await cli.json(['events', 'ls', ...args], { readDeployment })).value as {
      events: { id: string }[];
      next_cursor: string | null;
    };
  const ids = (list: Awaited<ReturnType<typeof ls>>) => list.events.map(({ id }) => id);
  expect(ids(await ls('--where', 'order=1234'))).toEqual(['evt_pay.pay-2', 'evt_shop.shop-3', 'evt_shop.shop-1']);
  expect(ids(await ls('--where', 'order=1234', '--source', 'shop'))).toEqual(['evt_shop.shop-3', 'evt_shop.shop-1']);
  expect(ids(await ls('--where', 'order=999'))).toEqual([]);
  expect(ids(await ls('--where', 'customer=ada'))).toEqual([]);
  const first = await ls('--where', 'order=1234', '--limit', '2');
  const rest = await ls('--where', 'order=1234', '--cursor', first.next_cursor ?? '');
  expect([...ids(first), ...ids(rest)]).toEqual(['evt_pay.pay-2', 'evt_shop.shop-3', 'evt_shop.shop-1']);
});

it.each([
  ['ordr=1', 'did you mean order?'],
  ['zzz=1', 'order, customer'],
  ['order', 'a field and its value'],
  ['order=', 'a field and its value'],
])('says what is wrong with --where %s', async (where, words) => {
  const { code, stderr } = await new CliWorld().run(['events', 'ls', '--where', where], { readDeployment });
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

it('says what to declare where nothing is', async () => {
  const { stderr } = await new CliWorld().run(['events', 'ls', '--where', 'order=1']);
  expect(stderr).toContain('`searchable` in gateway.config.ts');
});
