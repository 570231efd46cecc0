/** A message for every application, and one for more endpoints than one job takes. */
import { expect, it } from 'vitest';
import { endpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { fanOut } from '#core/outbound/fan-out/fan-out.ts';
import type { ItemStore, Job } from '#core/outbound/ports.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { MemoryItemStore } from '#test/kit/memory/memory-item-store.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

const NUMBER = new TextEncoder().encode('1');

it('a broadcast reaches the endpoints of every application, each once', async () => {
  const { call, publish, settle, sent } = await withEndpoint();
  await call('POST /v1/apps', {}, { name: 'All', uid: 'broadcast' });
  const other = (await call('POST /v1/apps', {}, { name: 'Other' })).body.id as string;
  await call('POST /v1/apps/{app}/endpoints', { app: other }, { url: 'https://other.customer.com/' });
  const { status, body } = await publish(undefined, '{"key":"k1","type":"terms.changed","data":{"n":1}}');
  expect(status).toBe(202);
  await settle();
  expect(sent.map(({ url }) => url).sort()).toEqual(['https://hooks.customer.com/in', 'https://other.customer.com/']);
  expect(new Set(sent.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([body.id]));
});

it('a message for more endpoints than one job takes reaches each of them once', { timeout: 300_000 }, async () => {
  const many = isLongRun() ? 10_000 : 600;
  const { app, call, publish, settle, sent, pass } = await withEndpoint();
  await call('PATCH /v1/apps/{app}', { app }, { limits: { endpoints: 10_000 } });
  for (let n = 1; n < many; n++) {
    // An application is one partition of the table in memory, which is as slow as the real one.
    if (n % 50 === 0) pass(1_000);
    await call('POST /v1/apps/{app}/endpoints', { app }, { url: `https://c${n}.customer.com/` });
  }
  pass(1_000);
  await publish(app, '{"key":"k1","type":"invoice.paid","data":{"n":1}}');
  await settle();
  expect(sent).toHaveLength(many);
  expect(new Set(sent.map(({ url }) => url)).size).toBe(many);
});

it('each of its jobs reads its own part of the endpoints, and no others', { timeout: 60_000 }, async () => {
  const many = 1_000;
  const world = new OutboundWorld({ publishes: 'job' });
  const app = await world.createApplication();
  for (let n = 0; n < many; n++) {
    if (n % 50 === 0) await world.clock.advanceBy(1_000);
    await world.createEndpoint(app, () => answered(200));
  }
  const published = await world.publishOnce({ app, key: 'k1', type: 'a', content: { kind: 'data', json: NUMBER } });
  let read = 0;
  const store: ItemStore = new MemoryItemStore(world.database);
  const query = store.query.bind(store);
  store.query = async range => {
    const page = await query(range);
    read += page.items.length;
    return page;
  };
  // A function that knows nothing yet gets all jobs of a batch.
  const run = async (jobs: readonly Job[]) => {
    const sent: Job[] = [];
    const ports = { ...world.publishPorts(world.process('fan-out')), store, endpoints: endpointsOf(store) };
    const send = async (more: readonly Job[]) => void sent.push(...more);
    const nothing = async () => {};
    const failed = await fanOut(
      {
        ...ports,
        jobs: { send },
        wake: { send: nothing },
        ...{ publishOperational: nothing, runReplay: nothing, noteRows: nothing, telemetry: world.telemetry },
      },
      world.rules,
      jobs.map(job => ({ id: job, job })),
    );
    expect([...failed.values()]).toEqual([]);
    return sent;
  };
  if (published?.kind !== 'accepted') throw new Error('it was not accepted');
  const parts = await run([{ v: 1, app, msg: published.id }]);
  expect([parts.length, read]).toEqual([4, many]);
  expect(await run(parts)).toEqual([]);
  // Each part ends where the next one begins, and reads that one, too.
  expect(read).toBe(2 * many + parts.length - 1);
  expect(world.items('outbox', 'Q#')).toHaveLength(many);
});
