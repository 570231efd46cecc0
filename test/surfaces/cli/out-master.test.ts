/** `holdfast out rotate-master` over the real API in memory: cut off at every call of the vault and of the API, and run again. */
import { expect, it } from 'vitest';
import { aesSealer } from '#adapters/crypto/aes-sealer.ts';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import type { Sealer } from '#core/outbound/ports.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { SecretsItem } from '#core/outbound/protocol/items.ts';
import { secretsKey } from '#core/outbound/protocol/keys.ts';
import { MINUTE_MS } from '#core/time.ts';
// The API loads it on its first use, and a virtual clock does not wait for a file.
import '#core/outbound/registry/contacts.ts';
import type { DeliveryApi } from '#operator/delivery-api.ts';
import { producerWorld } from '#test/kit/producer-world.ts';
import { CliWorld, MemoryVault } from './cli-world.ts';

const OLD = 'm'.repeat(64);
const NAME = 'holdfast/local/_outbound';
/** A function reads the secret again after five minutes, and its session may be at work for ninety seconds more. */
const STALE_MS = 5 * MINUTE_MS + 90_000;

/** Three endpoints of two customers. `cutAt`: the call, of vault and API together, that never comes back. */
async function world() {
  const it = producerWorld();
  const eps: EndpointId[] = [];
  for (const uid of ['acme', 'bolt']) {
    await it.call('POST /v1/apps', {}, { name: uid, uid });
    for (let n = 0; n < (uid === 'acme' ? 2 : 1); n++) {
      const made = await it.call(
        'POST /v1/apps/{app}/endpoints',
        { app: `uid:${uid}` },
        { url: `https://${uid}.com/${n}` },
      );
      eps.push(made.body.id);
    }
  }
  const vault = new MemoryVault(() => it.clock.now());
  await vault.write(NAME, OLD);
  const versions = [{ at: it.clock.now() - 60 * MINUTE_MS, text: OLD }];
  const sealerOf = (text: string): Sealer => {
    const parsed = parseSecret(text);
    if (parsed.kind !== 'secret') throw new Error(text);
    return aesSealer(parsed.secret);
  };
  /** What a function may still hold now, the oldest first: any version that was there within the time. */
  const held = (): readonly Sealer[] => {
    const since = versions.findLastIndex(({ at }) => at <= it.clock.now() - STALE_MS);
    return versions.slice(Math.max(0, since)).map(({ text }) => sealerOf(text));
  };
  let [calls, cutAt] = [0, Number.POSITIVE_INFINITY];
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls === cutAt) throw new Error('the laptop was closed');
    const done = await work();
    await everyFunctionOpensAll();
    return done;
  };
  let isLost = false;
  const everyFunctionOpensAll = async (): Promise<void> => {
    if (isLost) return;
    for (const ep of eps) {
      const stored = await it.store.get(secretsKey(ep), 'consistent');
      for (const { sealed } of stored?.keys ?? []) for (const each of held()) each.open(sealed, ep);
    }
  };
  const api: DeliveryApi = {
    ...it.api,
    send: call =>
      step(() => {
        (it.ports as { sealer: Sealer }).sealer = held()[0] as Sealer;
        return it.api.send(call);
      }),
  };
  const gateway = {
    delivery: () => Promise.resolve(api),
    clock: it.clock,
    timer: { sleep: async (ms: number) => it.pass(ms) },
    secrets: {
      read: (name: string) => vault.read(name),
      write: (name: string, text: string) =>
        step(async () => {
          versions.push({ at: it.clock.now(), text });
          await vault.write(name, text);
        }),
    },
  };
  const cli = new CliWorld();
  const run = (args: readonly string[] = ['--yes']) =>
    cli.run(['out', 'rotate-master', ...args], { gateway: gateway as never });
  return {
    ...{ ...it, run, eps, vault, held, versions },
    cut: (at: number) => {
      [calls, cutAt] = [0, at];
    },
    lose: (is: boolean) => {
      isLost = is;
    },
    calls: () => calls,
    secret: async () => (await vault.read(NAME)).text ?? '',
  };
}

it('seals every secret under a new one, which every function opens at every moment, and says so', async () => {
  const { run, eps, secret, store, calls } = await world();
  const { code, stdout, stderr } = await run();
  expect(stderr).toMatch(/until 2026-\S+Z: every function reads [\s\S]*until 2026-\S+Z: every function seals /);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('The secrets of 3 endpoints are under the new master secret, 3 of them'),
  ]);
  expect(await secret()).toMatch(/^[\w-]{64}$/);
  const fresh = aesSealer({ current: await secret() });
  for (const ep of eps)
    for (const { sealed } of (await store.get(secretsKey(ep), 'consistent'))?.keys ?? []) fresh.open(sealed, ep);
  expect(calls()).toBeGreaterThan(8);
});

it('may be cut off at each of its calls, and run again', async () => {
  for (let at = 1, more = true; more; at++) {
    const { run, cut, secret, calls } = await world();
    cut(at);
    const first = await run();
    more = first.code !== 0;
    expect(calls()).toBe(more ? at : calls());
    cut(Number.POSITIVE_INFINITY);
    if (more) expect((await run()).code).toBe(0);
    expect(await secret()).toMatch(/^[\w-]{64}$/);
    expect(await secret()).not.toBe(OLD);
  }
});

it('keeps both where a function has not read the new one yet', async () => {
  const { run, secret, vault, versions, clock } = await world();
  await vault.write(NAME, JSON.stringify({ current: 'n'.repeat(64), previous: OLD }));
  vault.stored.set(NAME, { kind: 'set', text: await secret(), changedAt: 0 });
  versions.push({ at: clock.now(), text: await secret() });
  const early = await run();
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('has not read the new master secret yet')]);
  expect(JSON.parse(await secret()).previous).toBe(OLD);
});

it('keeps both where neither opens the secret of an endpoint, and says of which', async () => {
  const { run, eps, secret, store, call, lose, pass } = await world();
  const [ep] = eps as [EndpointId];
  const there = (await store.get(secretsKey(ep), 'consistent')) as SecretsItem;
  const sealed = aesSealer({ current: 'x'.repeat(64) }).seal(new Uint8Array(32), ep);
  const keys = there.keys.map(key => ({ ...key, sealed }));
  await store.put({ kind: 'put', key: secretsKey(ep), item: { ...there, keys } });
  lose(true);
  const first = await run();
  expect([first.code, first.stderr]).toEqual([1, expect.stringContaining(`the secrets of 1 endpoints: ${ep}. `)]);
  expect(JSON.parse(await secret()).previous).toBe(OLD);
  // What it says to do.
  const route = 'POST /v1/apps/{app}/endpoints/{ep}/secret/rotate';
  expect((await call(route, { app: 'uid:acme', ep }, { grace_seconds: 0 })).status).toBe(201);
  pass(1);
  expect((await run()).code).toBe(0);
});

it('says what is missing where there is no master secret, and does nothing without an answer', async () => {
  const { run, vault, secret } = await world();
  const refused = await run([]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('add --yes')]);
  expect(await secret()).toBe(OLD);
  vault.stored.delete(NAME);
  expect((await run()).stderr).toContain(`There is no master secret ${NAME}`);
});
