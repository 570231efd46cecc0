/** An environment that sends, as its commands reach it: over the real API and engine. */
import { expect } from 'vitest';
import { systemTimer } from '#adapters/system.ts';
import { resolveOutbound } from '#core/config/outbound-config.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import type { BlobStore } from '#core/ports.ts';
import type { DeliveryApi } from '#operator/delivery-api.ts';
import type { Gateway } from '#operator/gateway.ts';
import { type Json, producerWorld } from '#test/kit/producer-world.ts';
import { CliWorld } from './cli-world.ts';

const START = Date.parse('2026-11-22T08:00:00Z');

/** An environment with a master secret of its own. `cutAfter` breaks all writes after so many, each before it is done, or behind it. */
export function environment(master: string, at = START) {
  const world = producerWorld(at, false, undefined, master);
  const cli = new CliWorld();
  cli.vault.stored.set('holdfast/local/_outbound', { kind: 'set', text: master });
  let cut: { left: number; late: boolean } | undefined;
  const writing = async <T>(work: () => Promise<T>): Promise<T> => {
    if (cut === undefined) return work();
    cut.left -= 1;
    if (cut.left >= 0) return work();
    if (cut.late) await work();
    throw new Error('the machine went away');
  };
  const api: DeliveryApi = {
    url: world.api.url,
    send: call => (call.method === 'GET' ? world.api.send(call) : writing(() => world.api.send(call))),
  };
  const store: ItemStore = Object.assign(Object.create(world.store) as ItemStore, {
    transact: (...given: Parameters<ItemStore['transact']>) => writing(() => world.store.transact(...given)),
    put: ((write: Parameters<ItemStore['put']>[0]) => writing(() => world.store.put(write))) as ItemStore['put'],
  });
  const blobs: BlobStore = {
    get: key => world.ports.blobs.get(key),
    put: (key, bytes) => writing(() => world.ports.blobs.put(key, bytes)),
  };
  const { deployment } = cli.gateway;
  const outbound = resolveOutbound(
    { portal: { name: 'Acme' }, contacts: true, email: { from: 'webhooks@acme.com' } },
    { emulated: true, retentionDays: 30 },
  );
  const gateway: Partial<Gateway> = {
    delivery: () => Promise.resolve(api),
    outbound: () => Promise.resolve(store),
    deployment: { ...deployment, emulated: true, config: { ...deployment.config, outbound } },
    clock: world.clock,
    timer: { ...systemTimer, ...world.ports.timer },
    blobs,
  };
  const run = (args: readonly string[], more: Partial<Gateway> = {}) =>
    cli.run(args, { gateway: { ...gateway, ...more }, realTime: true });
  /** Every item of a table, by its key. */
  const items = async (table: 'registry' | 'outbox'): Promise<ReadonlyMap<string, Json>> => {
    const page = await world.store.scan(table, { segment: 0, of: 1 });
    expect(page.cursor).toBeUndefined();
    return new Map(page.items.map(item => [`${item.pk} ${item.sk}`, item]));
  };
  return {
    ...{ ...world, cli, run, items, gateway, master },
    cutAfter: (left: number, late: boolean) => {
      cut = { left, late };
    },
    mend: () => {
      cut = undefined;
    },
  };
}
export type Environment = ReturnType<typeof environment>;
