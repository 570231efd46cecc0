/**
 * What the engine tells about customers' endpoints, it sends by itself: to the endpoints of the application
 * `uid:operations`, signed and retried as everything is, each kind once an hour and endpoint, and never about themselves.
 */
import { expect, it } from 'vitest';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { RuntimeItem } from '#core/outbound/protocol/items.ts';
import { startReplayJob } from '#core/outbound/replay/replay-job.ts';
import { eventsOf } from '#core/outbound/tend/operational-events.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld, type Received } from '#test/kit/outbound-world.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { runningReplayJob } from '#test/kit/running-replay-job.ts';

interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A customer with one endpoint that answers so, and an operations application that takes everything. */
async function world(answerOf: (request: Received, n: number) => ReturnType<typeof answered>, operations = 200) {
  const it = new OutboundWorld({ waits: [1, 1, 1, 1, 1], idleMs: 500, longPolling: true, auditMinutes: 1 });
  const app = await it.clock.complete(it.createApplication({ uid: 'acme' }));
  const ops = await it.clock.complete(it.createApplication({ uid: 'operations' }));
  let n = 0;
  const ep = await it.clock.complete(it.createEndpoint(app, request => answerOf(request, ++n)));
  const own = await it.clock.complete(it.createEndpoint(ops, () => answered(operations)));
  it.start();
  const publish = async (key: string): Promise<MessageId> => {
    const heard = await it.clock.complete(it.publish(app, key));
    if (heard.kind !== 'accepted') throw new Error(heard.detail);
    return heard.id;
  };
  const told = (of: EndpointId = own): readonly Told[] =>
    it.requestsTo(of).map(({ body }) => JSON.parse(new TextDecoder().decode(body)) as Told);
  return { it, app, ops, ep, own, publish, told };
}

const typesOf = (told: readonly Told[]): readonly string[] => told.map(each => each.type).sort();

it('tells of an endpoint that used up the attempts of a message, once an hour, with what a person looks up', async () => {
  const { it, app, ep, publish, told } = await world(() => answered(422));
  const first = await publish('k1');
  const second = await publish('k2');
  await it.clock.advanceBy(10 * MINUTE_MS);
  // Attempts are charged and the breaker stays closed: the message is refused, not the endpoint gone.
  expect(it.requestsTo(ep)).toHaveLength(12);
  expect(typesOf(told())).toEqual(['delivery.dead', 'message.failing']);
  for (const each of told()) expect(each.data).toMatchObject({ endpoint: ep, application: app });
  for (const each of told()) expect([first, second]).toContain(each.data['message']);
  await it.clock.advanceBy(HOUR_MS);
  await publish('k3');
  await it.clock.advanceBy(10 * MINUTE_MS);
  expect(typesOf(told())).toEqual(['delivery.dead', 'delivery.dead', 'message.failing', 'message.failing']);
  it.stop();
});

it('tells that an endpoint was disabled, and why', async () => {
  const { it, ep, publish, told } = await world(() => answered(410));
  await publish('k1');
  await it.clock.advanceBy(10 * MINUTE_MS);
  expect(it.runtime(ep).gate).toBe('disabled');
  const disabled = told().filter(each => each.type === 'endpoint.disabled');
  expect(disabled).toEqual([
    expect.objectContaining({ data: expect.objectContaining({ endpoint: ep, reason: 'gone' }) }),
  ]);
  it.stop();
});

it('carries what whoever hears it would look up, and nothing that is secret', async () => {
  const it = new OutboundWorld({
    ...{ waits: [1], idleMs: 500, longPolling: true, auditMinutes: 1 },
    pageUrl: 'https://app.acme.com/{app}/hooks/{endpoint}',
  });
  const metadata = { plan: 'gold' };
  const app = await it.clock.complete(it.createApplication({ uid: 'acme', metadata }));
  const ops = await it.clock.complete(it.createApplication({ uid: 'operations' }));
  const url = 'https://hooks.customer.com/in?token=s3cret#part';
  const ep = await it.clock.complete(
    it.createEndpoint(app, () => answered(410), { uid: 'main hook', url, metadata: { team: 'shop' } }),
  );
  const own = await it.clock.complete(it.createEndpoint(ops, () => answered(200)));
  it.start();
  await it.clock.complete(it.publish(app, 'k1'));
  await it.clock.advanceBy(10 * MINUTE_MS);
  const bodies = it.requestsTo(own).map(({ body }) => new TextDecoder().decode(body));
  const disabled = bodies.map(body => JSON.parse(body) as Told).find(({ type }) => type === 'endpoint.disabled');
  expect(disabled?.data).toEqual({
    ...{ endpoint: ep, application: app, reason: 'gone' },
    ...{ application_uid: 'acme', application_metadata: metadata },
    ...{
      endpoint_uid: 'main hook',
      endpoint_metadata: { team: 'shop' },
      url: expect.stringMatching(/^https:.*[^?#]$/),
    },
    link: 'https://app.acme.com/acme/hooks/main%20hook',
  });
  expect(bodies.join()).not.toContain('s3cret');
  it.stop();
});

it('tells that an endpoint fails, and that it has recovered', async () => {
  const from = { down: true };
  const { it, ep, publish, told } = await world(() => answered(from.down ? 500 : 200));
  // Two: of one message nobody knows whose fault a 500 is.
  await publish('k1');
  await publish('k2');
  await it.clock.advanceBy(20 * MINUTE_MS);
  const aboutEndpoint = () => typesOf(told()).filter(type => type.startsWith('endpoint.'));
  expect(aboutEndpoint()).toEqual(['endpoint.failing']);
  from.down = false;
  for (let n = 0; n < 6; n++) await publish(`more-${n}`);
  await it.clock.advanceBy(40 * MINUTE_MS);
  expect(aboutEndpoint()).toEqual(expect.arrayContaining(['endpoint.failing', 'endpoint.recovered']));
  expect(it.requestsTo(ep).filter(({ answer }) => answer?.kind === 'answered' && answer.status === 200)).toHaveLength(
    8,
  );
  it.stop();
});

it('warns after one day of failing and after three, once each, and not behind a shut gate', () => {
  const failing = { ep: 'ep_1', app: 'app_1', gate: 'open', gateSince: 0, failingSince: 0 } as unknown as RuntimeItem;
  const told = new Map<string, string>();
  for (let now = 0; now < 6 * 24 * HOUR_MS; now += 10 * MINUTE_MS) {
    for (const { type, key } of eventsOf(failing, now)) told.set(key, type);
    expect(eventsOf({ ...failing, gate: 'paused' }, now)).toEqual([]);
  }
  expect([...told]).toEqual([
    ['endpoint.failing:ep_1:0', 'endpoint.failing'],
    ['endpoint.disable_warning:ep_1:24', 'endpoint.disable_warning'],
    ['endpoint.disable_warning:ep_1:72', 'endpoint.disable_warning'],
  ]);
});

it('tells that first attempts wait for an hour, once an hour, and nothing of retries that wait for their time', async () => {
  const { it, app, ep, publish, told } = await world(() => answered(429, { 'retry-after': ['7200'] }));
  await publish('k1');
  const backlogs = () => told().filter(each => each.type === 'endpoint.backlog');
  await it.clock.advanceBy(55 * MINUTE_MS);
  expect(backlogs()).toEqual([]);
  await it.clock.advanceBy(10 * MINUTE_MS);
  const data = { endpoint: ep, application: app, waiting_since: expect.any(Number), waiting: 1, exact: true };
  expect(backlogs()).toEqual([expect.objectContaining({ data: expect.objectContaining(data) })]);
  await it.clock.advanceBy(HOUR_MS);
  expect(backlogs()).toHaveLength(2);
  it.stop();
});

it('tells that a job of replays is done, with its counts', async () => {
  const from = { bad: true };
  const { it, app, publish, told } = await world(() => answered(from.bad ? 422 : 200));
  await publish('k1');
  await it.clock.advanceBy(10 * MINUTE_MS);
  from.bad = false;
  const now = it.clock.now();
  await startReplayJob(it.store, runningReplayJob(app, now));
  await it.clock.advanceBy(10 * MINUTE_MS);
  const finished = told().filter(each => each.type === 'replay.finished');
  expect(finished.map(each => each.data)).toEqual([
    expect.objectContaining({ application: app, job: 'job_1', dry_run: false, seen: 1, replayed: 1, skipped: 0 }),
  ]);
  it.stop();
});

// Holds O16.
it('says nothing about the endpoints of operations itself: no loop (O16)', async () => {
  const { it, own, ops, publish, told } = await world(() => answered(422), 422);
  await publish('k1');
  await it.clock.advanceBy(HOUR_MS / 2);
  // Two messages about the customer, each refused six times; of those refusals nothing was said.
  expect(new Set(typesOf(told()))).toEqual(new Set(['delivery.dead', 'message.failing']));
  expect(it.requestsTo(own)).toHaveLength(12);
  const about = told().map(each => each.data['application']);
  expect(about).not.toContain(ops);
  recordRun(['O16'], 'operational-events', about.length);
  it.stop();
});

it('does nothing where nobody made the application', async () => {
  const it = new OutboundWorld({ waits: [1], idleMs: 500, longPolling: true });
  const app = await it.clock.complete(it.createApplication({ uid: 'acme' }));
  const ep = await it.clock.complete(it.createEndpoint(app, () => answered(422)));
  it.start();
  await it.clock.complete(it.publish(app, 'k1'));
  await it.clock.advanceBy(5 * MINUTE_MS);
  expect(it.requestsTo(ep)).toHaveLength(2);
  expect(it.items('outbox', 'M#')).toHaveLength(1);
  expect(it.isQuiet()).toBe(true);
  it.stop();
});
