/** What a batch carries, under which id, and who is charged for one that is refused. */
import { expect, it } from 'vitest';
import { pause, resume } from '#core/outbound/gate/gate.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { batchesRange } from '#core/outbound/protocol/keys.ts';
import type { Publication } from '#core/outbound/publish/publish.ts';
import type { NewEndpoint } from '#core/outbound/registry/endpoints.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld, type Received, type Receiver } from '#test/kit/outbound-world.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
interface Item {
  readonly id: string;
  readonly type: string;
  readonly body: unknown;
}
const itemsOf = ({ body }: Pick<Received, 'body'>): readonly Item[] => JSON.parse(new TextDecoder().decode(body)).batch;
const idsOf = (request: Pick<Received, 'body'>): readonly string[] => itemsOf(request).map(({ id }) => id);

async function withBatches(receiver: Receiver, given: Partial<NewEndpoint> = {}, waits = [5, 300, 1_800, 7_200]) {
  const world = new OutboundWorld({ waits, idleMs: 500, publishes: 'direct' });
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, receiver, { batch: { maxEvents: 10, maxBytes: 100_000 }, ...given });
  const gate = () => ({ by: 'operator', why: 'test', now: world.clock.now() }) as const;
  const publish = async (key: string, what: Partial<Publication> = {}): Promise<MessageId> => {
    const heard = await world.clock.complete(world.publish(app, key, what));
    if (heard.kind !== 'accepted') throw new Error(heard.detail);
    return heard.id;
  };
  /** Waiting together, so that they go together. */
  const together = async (count: number): Promise<readonly MessageId[]> => {
    await world.clock.complete(world.insist(ports => pause(ports, ep, gate())));
    const all: MessageId[] = [];
    for (let n = 0; n < count; n++) all.push(await publish(`k${n}`));
    await world.clock.complete(world.insist(ports => resume(ports, ep, gate())));
    return all;
  };
  world.start();
  const recordOf = (msg: MessageId) => world.record(ep, world.message(msg));
  const open = async () => (await world.clock.complete(world.store.query(batchesRange(ep)))).items.length;
  return { world, ep, publish, together, recordOf, open };
}

it.each([500, 503])(
  'keeps members and id of a batch that fails twice with %i, whatever comes meanwhile',
  async status => {
    let failures = 2;
    const it = await withBatches(() => answered(failures-- > 0 ? status : 200));
    const { world, ep, publish, together, recordOf, open } = it;
    const all = await together(4);
    await world.until(() => world.requestsTo(ep).length > 0, HOUR_MS);
    const late = await publish('late');
    await world.until(() => [...all, late].every(msg => recordOf(msg)?.status === 'delivered'), 5 * HOUR_MS);
    const ofAll = world.requestsTo(ep).filter(request => idsOf(request).includes(all[0] as string));
    expect(ofAll).toHaveLength(3);
    expect(new Set(ofAll.map(({ id }) => id)).size).toBe(1);
    expect(ofAll.map(request => idsOf(request).toSorted())).toEqual([all, all, all].map(ids => ids.toSorted()));
    expect(await open()).toBe(0);
    world.stop();
  },
);

it.each([422, 404])('halves a batch that gets %i, and charges nobody but the one that gets it alone', async status => {
  let poison = '';
  const it = await withBatches(request => answered(idsOf(request).includes(poison) ? status : 200), {}, [5, 5]);
  const { world, ep, together, recordOf, open } = it;
  const all = await together(10);
  poison = all[6] as string;
  await world.until(() => all.every(msg => ['delivered', 'dead'].includes(recordOf(msg)?.status ?? '')), HOUR_MS);
  expect(all.map(msg => [recordOf(msg)?.status, recordOf(msg)?.attempts ?? 0])).toEqual(
    all.map(msg => (msg === poison ? ['dead', 3] : ['delivered', 0])),
  );
  const requests = world.requestsTo(ep);
  expect(requests.filter(request => idsOf(request).includes(poison)).map(it => idsOf(it).length)).toEqual([
    ...[10, 5, 3, 2, 1, 1, 1],
  ]);
  // Each part has an id of its own, and keeps it.
  const ids = new Map(requests.map(request => [idsOf(request).join(), request.id]));
  expect(new Set(ids.values()).size).toBe(ids.size);
  expect(await open()).toBe(0);
  world.stop();
});

it('lets no message die of another one that always gets 500', async () => {
  let poison = '';
  const it = await withBatches(request => answered(idsOf(request).includes(poison) ? 500 : 200), {}, [5, 5, 5, 5]);
  const { world, together, recordOf } = it;
  const all = await together(10);
  poison = all[3] as string;
  await world.until(() => all.every(msg => ['delivered', 'dead'].includes(recordOf(msg)?.status ?? '')), HOUR_MS);
  expect(all.filter(msg => recordOf(msg)?.status !== 'delivered')).toEqual([poison]);
  expect(recordOf(poison as MessageId)?.status).toBe('dead');
  world.stop();
});

it('gives each message in a batch its own id and type, and its body as it would go alone', async () => {
  const it = await withBatches(() => answered(200));
  const { world, ep, publish, recordOf } = it;
  const raw = await publish('raw', {
    type: 'file.read',
    content: { kind: 'raw', bytes: utf8('{"n":12345678901234567890.10}'), contentType: 'application/json' },
  });
  await world.until(() => recordOf(raw)?.status === 'delivered', MINUTE_MS);
  const [request] = world.requestsTo(ep);
  expect(new TextDecoder().decode(request?.body)).toBe(
    `{"batch":[{"id":"${raw}","type":"file.read","body":{"n":12345678901234567890.10}}]}`,
  );
  expect(request?.id).toMatch(/^batch_/);
  expect(request?.headers['content-type']).toBe('application/json');
  world.stop();
});
