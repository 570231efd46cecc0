/**
 * Claim: an upgrade finds deliveries in every state, and old items are read for ever. What an older version left in its tables
 * (test/kit/samples/leave-sending.ts), its queues empty, is carried on by this one.
 */
import { describe, expect, it } from 'vitest';
import { fromAttributes } from '#adapters/dynamodb/marshal.ts';
import type { Item, OutboundTable, Placed } from '#core/outbound/ports.ts';
import type { EndpointItem, MessageItem, RecordItem } from '#core/outbound/protocol/items.ts';
import { FINAL_STATUSES } from '#core/outbound/protocol/items.ts';
import { parseItem } from '#core/outbound/protocol/parse-item.ts';
import { replayDelivery } from '#core/outbound/replay/replay-delivery.ts';
import { DAY_MS, HOUR_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';
import { storedSamples } from '#test/kit/samples/stored-samples.ts';

const TABLES = ['registry', 'outbox'] as const;
/** The samples are named for what became of their one message; these were open. */
const OPEN = ['pending', 'replayed', 'retrying'];

describe.each(storedSamples('sending/states'))('stored by $version in every state', ({ at = 0, tables }) => {
  const of = (table: OutboundTable) => (tables[table] ?? []).map(item => fromAttributes<Placed<Item>>(item));
  const endpoints = of('registry').filter(({ sk }) => sk.startsWith('E#')) as unknown as readonly EndpointItem[];
  const messages = of('outbox').filter(({ pk }) => pk.startsWith('M#')) as unknown as readonly MessageItem[];
  /** Each with the endpoint of its name; the tombstone has lost it. */
  const deliveries = messages.map(message => {
    const endpoint = endpoints.find(each => each.types[0] === message.type) ?? endpoints.find(each => each.deletedAt);
    if (endpoint === undefined) throw new Error(`no endpoint ${message.type}`);
    return { name: message.type, ep: endpoint.id, url: endpoint.url, message };
  });

  async function upgraded(): Promise<OutboundWorld> {
    const world = new OutboundWorld({ waits: [3_600], retentionMs: DAY_MS, publishes: 'direct', longPolling: true });
    await world.clock.advanceTo(at);
    for (const table of TABLES) for (const item of of(table)) world.database.write({ kind: 'put', table, item });
    for (const { url } of endpoints) world.receivers.set(url, () => answered(200));
    world.start();
    return world;
  }
  const statuses = (world: OutboundWorld) =>
    Object.fromEntries(deliveries.map(({ name, ep, message }) => [name, world.record(ep, message)?.status]));

  it('there is a delivery in each state, and every item is read as it is', async () => {
    const world = await upgraded();
    world.stop();
    // Nobody had tried the one yet; the other was replayed.
    const named = Object.fromEntries([...FINAL_STATUSES, 'retrying'].map(name => [name, name]));
    expect(statuses(world)).toEqual({ ...named, pending: undefined, replayed: 'pending' });
    for (const table of TABLES) for (const item of of(table)) expect(parseItem(table, item)).toEqual(item);
  });

  it('what waited is delivered once, and what had ended stays as it was', async () => {
    const world = await upgraded();
    const before = statuses(world);
    const isOver = () => OPEN.every(name => statuses(world)[name] === 'delivered');
    expect(await world.until(isOver, 2 * HOUR_MS)).toBe(true);
    world.stop();
    expect(statuses(world)).toEqual({ ...before, ...Object.fromEntries(OPEN.map(name => [name, 'delivered'])) });
    expect(world.requests.map(({ url }) => new URL(url).hostname.split('.')[0]).sort()).toEqual(OPEN);
    for (const { ep } of deliveries) expect(world.rows(ep)).toEqual([]);
  });

  it('what had ended is replayed when somebody asks, while its message and its endpoint are there', async () => {
    const world = await upgraded();
    const ended = deliveries.filter(({ name }) => !OPEN.includes(name));
    const answers = new Map<string, string>();
    for (const { name, ep, message } of ended) {
      const request = { ep, msg: message.id, requestId: 'r2', by: 'ada' };
      const asked = world.insist(ports => replayDelivery(ports, world.rules.retentionMs, request));
      const answer = await world.clock.complete(asked);
      answers.set(name, answer.kind === 'refused' ? answer.cause : answer.kind);
    }
    const again = ended.filter(({ name }) => name !== 'canceled');
    expect(answers).toEqual(
      new Map([...again.map(({ name }) => [name, 'accepted'] as const), ['canceled', 'gate_closed']]),
    );
    const records = (): readonly (RecordItem | undefined)[] => again.map(it => world.record(it.ep, it.message));
    expect(await world.until(() => records().every(it => it?.status === 'delivered'), 2 * HOUR_MS)).toBe(true);
    world.stop();
    expect(records().map(it => it?.gen)).toEqual(again.map(() => 2));
  });
});
