/** Secrets are sealed anew page by page, under the master secret that is current; what no master secret opens is named. */
import { expect, it } from 'vitest';
import { aesSealer } from '#adapters/crypto/aes-sealer.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { SecretsItem } from '#core/outbound/protocol/items.ts';
import { secretsKey } from '#core/outbound/protocol/keys.ts';
import { reseal } from '#core/outbound/registry/secrets.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

const [OLD, NEW] = ['m'.repeat(64), 'n'.repeat(64)];

async function world() {
  const it = await withEndpoint();
  const ep = it.ep as EndpointId;
  const stored = async () => (await it.store.get(secretsKey(ep), 'consistent')) as SecretsItem;
  const sealed = async () => (await stored()).keys.map(key => key.sealed);
  const under = (current: string, previous?: string) => ({
    store: it.store,
    sealer: aesSealer({ current, ...(previous === undefined ? {} : { previous }) }),
  });
  return { ...it, ep, stored, sealed, under };
}

it('seals each live key anew, the same bytes under the same names, and a second time changes nothing', async () => {
  const { call, app, ep, clock, stored, under } = await world();
  await call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', { app, ep }, {});
  const before = await stored();
  const to = under(NEW, OLD);
  expect(await reseal(to, ep, clock.now())).toBe('done');
  const after = await stored();
  const plain = ({ keys }: SecretsItem, master: string) =>
    keys.map(({ sealed, ...key }) => ({ ...key, bytes: [...aesSealer({ current: master }).open(sealed, ep)] }));
  expect(plain(after, NEW)).toEqual(plain(before, OLD));
  expect(after.keys).toHaveLength(2);
  expect(await reseal(to, ep, clock.now())).toBe('nothing to do');
  expect(await stored()).toEqual(after);
});

it('leaves what is over as it is, and names an endpoint whose secret neither master secret opens', async () => {
  const { call, app, ep, clock, pass, sealed, under } = await world();
  await call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', { app, ep }, { grace_seconds: 60 });
  pass(61_000);
  const [, over] = await sealed();
  expect(await reseal(under(NEW, OLD), ep, clock.now())).toBe('done');
  expect((await sealed())[1]).toBe(over);
  const before = await sealed();
  expect(await reseal(under('x'.repeat(64)), ep, clock.now())).toBe('lost');
  expect(await sealed()).toEqual(before);
});

it('keeps a secret that somebody rotated in between', async () => {
  const { call, app, ep, clock, store, stored, under } = await world();
  let rotated = '';
  const to = under(NEW, OLD);
  const between = {
    ...to,
    store: {
      get: store.get.bind(store),
      update: (async (write: never) => {
        if (rotated === '')
          rotated = (await call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', { app, ep }, {})).body.key_id;
        return store.update(write);
      }) as typeof store.update,
    },
  };
  expect(await reseal(between, ep, clock.now())).toBe('done');
  const { keys } = await stored();
  expect(keys.map(({ kid }) => kid)).toContain(rotated);
  for (const { sealed } of keys) expect(to.sealer.isCurrent(sealed, ep)).toBe(true);
});
