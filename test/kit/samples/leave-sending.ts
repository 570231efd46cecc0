/** The same for the sending half (leave-receiving.ts): a delivery in each state. `node test/leave-sending.ts '<version>'`. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { enableEndpoint, pause, resume } from '#core/outbound/gate/gate.ts';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import { deleteEndpoint } from '#core/outbound/registry/endpoints.ts';
import { replayDelivery } from '#core/outbound/replay/replay-delivery.ts';
import { answered, OutboundWorld, type Receiver } from '#test/kit/outbound-world.ts';

const [version] = process.argv.slice(2);
const minutes = (many: number): number => many * 60_000;
const retentionMs = minutes(1_440);
// Two attempts, and a day in which a delivery must end.
const world = new OutboundWorld({ waits: [3_600], retentionMs, publishes: 'direct', longPolling: true });
const { clock } = world;
const run = <T>(work: Promise<T>): Promise<T> => clock.complete(work, minutes(60));
const app = await run(world.createApplication({ uid: 'acme' }));
const ids: Record<string, EndpointId> = {};
const messages: Record<string, MessageId> = {};
const add = async (name: string, receiver: Receiver): Promise<void> => {
  ids[name] = await run(world.createEndpoint(app, receiver, { url: `https://${name}.example.com/in`, types: [name] }));
};
const at = (name: string): EndpointId => ids[name] as EndpointId;
const publish = async (name: string): Promise<void> => {
  const published = await run(world.publish(app, `${name}-1`, { type: name }));
  if (published.kind !== 'accepted') throw new Error(`${name}: ${published.kind}`);
  messages[name] = published.id;
};
const act = () => ({ by: 'operator', why: 'samples', now: clock.now() }) as const;
const ok: Receiver = () => answered(200, {}, 'ok');

world.start();
for (const name of ['expired', 'dropped', 'canceled', 'delivered', 'replayed', 'pending']) await add(name, ok);
for (const name of ['retrying', 'dead']) await add(name, () => answered(422, {}, 'no'));
await add('aborted', () => answered(422, { 'webhook-delivery': ['abort-message'] }));
for (const name of ['expired', 'dropped', 'canceled']) await run(world.insist(ports => pause(ports, at(name), act())));
await publish('expired');
await clock.advanceBy(retentionMs + minutes(60));
for (const name of ['dropped', 'canceled', 'delivered', 'replayed', 'dead', 'aborted']) await publish(name);
await clock.advanceBy(minutes(61));
await run(world.insist(ports => resume(ports, at('expired'), act())));
await run(
  world.insist(ports => deleteEndpoint(ports, app, at('canceled'), { by: 'customer', why: 'samples', ...world.rules })),
);
await world.database.write({
  ...{ kind: 'update', table: 'registry', key: { pk: `R#${at('dropped')}`, sk: 'META' }, set: { gate: 'disabled' } },
});
await run(world.insist(ports => enableEndpoint(ports, at('dropped'), act(), { kind: 'drop' })));
await publish('retrying');
await clock.advanceBy(minutes(10));
// From here on nothing is sent, and what the queues hold is lost.
world.stop();
await publish('pending');
const request = { ep: at('replayed'), msg: messages['replayed'] as MessageId, requestId: 'r1', by: 'ada' };
await run(world.insist(ports => replayDelivery(ports, world.rules.retentionMs, request)));
const encode = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
const [registry, outbox] = ['registry', 'outbox'].map(table => world.database.dump(table).map(item => marshall(item)));
process.stdout.write(
  `${JSON.stringify({ version, at: clock.now(), tables: { registry, outbox }, messages: [] }, encode, 1)}\n`,
);
process.exit(0);
