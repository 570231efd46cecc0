/** Failures seen in other projects, one named test each: at the edges, in the queue and under a person's hand. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { toSourceId } from '#core/glossary.ts';
import { done } from '#core/handler/handler-contract.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { generic } from '#providers/generic.ts';
import { recordCalls } from '#test/kit/memory/faults.ts';
import { MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';
import { complaintsAbout } from './oracle.ts';
import { faultAt, faultWhile } from './support/fault-at.ts';
import { handlerThat } from './support/handlers.ts';
import { noise } from './support/noise.ts';
import { tracesIn, workOff } from './support/traces.ts';

// Holds I11, I12.
describe('regression: something oversized ends in a retry without end', () => {
  it('a result of a megabyte is kept up to 32 KB, with a mark', async () => {
    const handlers = handlerThat(() =>
      Promise.resolve(done({ actionTaken: 'x'.repeat(5_000), data: 'y'.repeat(1_048_576) })),
    );
    const world = new MemoryWorld({ handlers });
    await world.post({ id: 'evt_1' });
    expect(await workOff(world)).toBe(true);
    const item = world.item('evt_1');
    expect(item).toMatchObject({ status: 'completed', attempts: 1, result: '"see detail"' });
    expect(item?.actionTaken?.length).toBeLessThanOrEqual(200);
    const detail = world.database.dump(PAYLOADS).find(it => it['sk'] === 'D#1');
    expect(String(detail?.['detail']).length).toBeLessThanOrEqual(32_768);
    expect(String(detail?.['detail'])).toContain('"truncated":true');
  });

  it('an error message of a megabyte is kept up to 200 characters', async () => {
    const handlers = handlerThat(() => Promise.reject(new Error('z'.repeat(1_048_576))));
    const world = new MemoryWorld({ handlers, retry: { attempts: 1, baseSeconds: 1, capSeconds: 1 } });
    await world.post({ id: 'evt_1' });
    expect(await workOff(world)).toBe(true);
    expect(world.item('evt_1')?.lastError?.length).toBeLessThanOrEqual(200);
    expect(JSON.stringify(world.item('evt_1')).length).toBeLessThan(2_048);
  });

  it('a body too large for the queue goes through the blob store, and is refused when that fails with the table', async () => {
    const big = { noise: noise(1_600_000) };
    const world = new MemoryWorld();
    expect(await world.post({ id: 'evt_1', data: big })).toMatchObject({ status: 200 });
    expect(await workOff(world)).toBe(true);
    expect(world.effects('evt_1')).toBe(1);
    const outage = new MemoryWorld({ plan: faultWhile(/^(?:blobs|payloads|store)\./, 'error', () => true) });
    expect(await outage.post({ id: 'evt_2', data: big })).toMatchObject({ status: 503 });
    expect(outage.main.sent).toBe(0);
  });
});

// Holds I2, I7.
it('regression: one failed send of several is not taken for a success', async () => {
  const spec = { ...generic, identity: { ...generic.identity, items: 'events[]' } };
  const events = ['a', 'b', 'c'].map(event_id => ({ event_id }));
  const world = new MemoryWorld({ source: { spec }, plan: faultAt('queue.send', 3, 'error') });
  await world.post({ id: 'request', rawBody: JSON.stringify({ events }) });
  // Without the sweeper the event whose send failed waits: nothing else of the request does.
  world.mapping.enable();
  await world.clock.advanceBy(5 * MINUTE_MS);
  const unsent = world.items().filter(it => it.status === 'pending');
  expect(unsent).toHaveLength(1);
  expect(await workOff(world)).toBe(true);
  expect(['a', 'b', 'c'].map(id => world.effects(id))).toEqual([1, 1, 1]);
  expect(new Set(world.items().map(it => it.status))).toEqual(new Set(['completed']));
});

// Holds I7.
it('regression: one malformed message neither fails its batch nor disappears', async () => {
  const world = new MemoryWorld();
  for (let n = 0; n < 9; n++) await world.post({ id: `evt_${n}` });
  world.main.send('{"hello": "world"');
  expect(await workOff(world)).toBe(true);
  expect(new Set(world.items().map(it => `${it.status} ${it.attempts}`))).toEqual(new Set(['completed 1']));
  expect(world.dead.dump().map(it => it.body)).toEqual(['{"hello": "world"']);
  expect(world.telemetry.lines.filter(({ line }) => line['cause'] === 'unknown_message')).toHaveLength(1);
});

// Holds I5, I9.
it('regression: a visibility shorter than the work does not give one event to two workers', async () => {
  const slow = handlerThat(({ world }) => world.clock.sleep(20 * SECOND_MS).then(() => undefined as never));
  const world = new MemoryWorld({ handlers: slow, queue: { visibilitySeconds: 3, duplicateRate: 0 } });
  await world.post({ id: 'evt_1' });
  expect(await workOff(world)).toBe(true);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
  expect(world.outside).toHaveLength(1);
});

// Holds I2, I8.
it('regression: events of a paused source are recorded, seen, and run when the pause is over', async () => {
  const world = new MemoryWorld();
  await world.clock.complete(world.pause('default', true));
  expect(await world.post({ id: 'evt_1' })).toMatchObject({ status: 200 });
  world.start();
  await world.clock.advanceBy(SECOND_MS);
  // At once where the sweeper of a paused source does not look, or a long pause would keep it busy with nothing else.
  expect(world.item('evt_1')?.watchAt).toBe(Date.parse('9999-12-31T23:59:59Z'));
  await world.clock.advanceBy(5 * MINUTE_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'deferred', parked: true, attempts: 0 });
  expect(world.main.dump()).toEqual([]);
  expect(
    Math.max(...world.telemetry.measures.filter(it => it.metric === 'PausedOldestAge').map(it => it.value)),
  ).toBeGreaterThan(200);
  await world.clock.complete(world.pause('default', false));
  expect(await workOff(world)).toBe(true);
  expect(world.effects('evt_1')).toBe(1);
});

// Holds I2.
it('regression: a source is paused by a note of its own, not by what every object of the language has', async () => {
  const world = new MemoryWorld({ sources: ['constructor'] });
  await world.post({ id: 'evt_1', source: 'constructor' });
  expect(await workOff(world)).toBe(true);
  expect(world.item('evt_1', 'constructor')).toMatchObject({ status: 'completed', attempts: 1 });
});

// Holds I2.
it('regression: a pause that cannot be read stops nothing, and is counted and logged', async () => {
  const world = new MemoryWorld({
    planOf: role => (role === 'process' ? faultWhile('control.read', 'error', () => true) : () => undefined),
  });
  await world.clock.complete(world.pause('default', true));
  await world.post({ id: 'evt_1' });
  world.mapping.enable();
  await world.clock.advanceBy(SECOND_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed' });
  expect(world.telemetry.total('DependencyError', { dependency: 'dynamodb' })).toBe(1);
  expect(world.telemetry.lines.map(it => it.line['stage'])).toContain('pauses');
});

// Holds I11.
it('regression: with stores that never answer, the provider still gets its answer in time', async () => {
  const plan = faultWhile(/^(?!secrets)/, 'hang', () => true);
  const world = new MemoryWorld({ plan, process: { clientTimeoutMs: HOUR_MS } });
  const start = world.clock.now();
  expect(await world.post({ id: 'evt_1' })).toMatchObject({ status: 503 });
  expect(world.clock.now() - start).toBeLessThanOrEqual(3 * SECOND_MS);
});

// Holds I11.
it('regression: no work is done inside the request', async () => {
  const calls: string[] = [];
  const world = new MemoryWorld({ planOf: role => (role === 'ingest' ? recordCalls(calls) : () => undefined) });
  await world.post({ id: 'evt_1' });
  expect(calls).toHaveLength(5);
  expect(
    calls.filter(it => !/^(?:secrets\.fetch|store\.note|payloads\.putBody|store\.insert|queue\.send)$/.test(it)),
  ).toEqual([]);
  expect(world.outside).toEqual([]);
});

// Holds I13.
describe('regression: bytes that are read as text do not verify, or are not what was sent', () => {
  const bodies: [string, Buffer][] = [
    ['binary', Buffer.from(Array.from({ length: 256 }, (_, n) => n))],
    ['gzip', gzipSync('{"event_id":"evt_1"}')],
    ['Unicode', Buffer.from('{"event_id":"evt_1","s":"héé 日本 \u{1f600}"}')],
    ['a byte order mark', Buffer.from('\ufeff{"event_id":"evt_1"}')],
    ['CRLF', Buffer.from('{\r\n  "event_id": "evt_1"\r\n}\r\n')],
    ['what the queue refuses', Buffer.from('{"event_id":"evt_1","s":"\u0000\u0001\uffff\ufffe"}')],
  ];
  it.each(bodies)('%s', async (_name, rawBody) => {
    const world = new MemoryWorld();
    const headers = { 'content-type': 'application/octet-stream' };
    expect(await world.post({ id: 'evt_1', rawBody, headers })).toMatchObject({ status: 200 });
    expect(await workOff(world)).toBe(true);
    expect(Buffer.from(world.outside[0]?.bytes ?? []).equals(rawBody)).toBe(true);
  });

  it('header names in capitals', async () => {
    const world = new MemoryWorld();
    const { headers, ...request } = world.apiEvent({ id: 'evt_1' });
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const outcome = await world.clock.complete(world.ingest.invoke({ ...request, headers: shouted }));
    expect(outcome).toMatchObject({ payload: expect.stringContaining('"statusCode":200') });
  });
});

// Holds I11, I13.
it('regression: a body over the limit is refused, never shortened', async () => {
  const world = new MemoryWorld({ source: { maxBodyBytes: 100 } });
  const exact = JSON.stringify({ event_id: 'evt_1' }).padEnd(100);
  expect(await world.post({ id: 'evt_2', rawBody: `${exact} ` })).toMatchObject({ status: 413 });
  expect(tracesIn(world)).toEqual([]);
  expect(world.telemetry.total('RequestRefused', { cause: 'too_large' })).toBe(1);
  expect(await world.post({ id: 'evt_1', rawBody: exact })).toMatchObject({ status: 200 });
  expect(world.item('evt_1')?.size).toBe(100);
});

// Holds I10.
it('regression: nothing unsigned chooses the route or the event', async () => {
  const world = new MemoryWorld({ sources: ['a', 'b'] });
  const request = world.apiEvent({ id: 'evt_1', source: 'a', headers: { 'x-event-id': 'evt_2', 'x-source': 'b' } });
  await world.clock.complete(world.ingest.invoke({ ...request, rawPath: '/webhooks/b', rawQueryString: 'source=b' }));
  expect(world.items().map(it => it.pk)).toEqual(['a#evt_1']);
});

// Holds I10.
it('regression: a source without a secret accepts nothing', async () => {
  const world = new MemoryWorld();
  for (const text of ['', ' ', '{"current":""}']) {
    world.secretValues.set(toSourceId('default'), text);
    world.ingest.replaceEnvironments();
    expect(await world.post({ id: 'evt_1' })).toMatchObject({
      status: 503,
      body: expect.stringContaining('secret_not_set'),
    });
  }
  expect(tracesIn(world)).toEqual([]);
  expect(world.telemetry.total('RequestRefused', { cause: 'secret_not_set' })).toBe(3);
});

// Holds I10.
it.each([
  ['from the future', String(1_767_571_200 + 301)],
  ['from the past', String(1_767_571_200 - 301)],
  ['of no number', 'NaN'],
])('regression: a timestamp %s is a 401, not a 500 and not accepted', async (_name, timestamp) => {
  const world = new MemoryWorld();
  expect(await world.post({ id: 'evt_1', headers: { 'x-webhook-timestamp': timestamp } })).toMatchObject({
    status: 401,
  });
  expect(tracesIn(world)).toEqual([]);
});

// Holds I10.
it('regression: a changed pause or secret is seen within its stated time', async () => {
  const world = new MemoryWorld();
  world.start();
  await world.post({ id: 'evt_1' });
  await world.clock.advanceBy(2 * SECOND_MS);
  await world.clock.complete(world.pause('default', true));
  await world.clock.advanceBy(5 * SECOND_MS);
  await world.post({ id: 'evt_2' });
  await world.clock.advanceBy(2 * SECOND_MS);
  expect(world.item('evt_2')).toMatchObject({ status: 'deferred', parked: true });
  world.secretValues.set(toSourceId('default'), 'another secret');
  await world.clock.advanceBy(5 * MINUTE_MS);
  expect(await world.post({ id: 'evt_3' })).toMatchObject({ status: 401 });
  expect(complaintsAbout(world, { ids: [] }).filter(it => !it.startsWith('I3'))).toEqual([]);
});

// Holds I10.
it('regression: every refusal leaves a counter and a logged cause', async () => {
  const world = new MemoryWorld({ source: { maxBodyBytes: 200, allowList: ['198.51.100.0/24'] } });
  await world.post({ id: 'a', sourceIp: '203.0.113.1' });
  await world.post({ id: 'b', rawBody: 'x'.repeat(201) });
  await world.post({ id: 'c', method: 'PUT' });
  await world.post({ id: 'd', headers: { 'x-webhook-signature': 'sha256=00' } });
  await world.post({ id: 'e', headers: { 'x-webhook-signature': undefined } });
  const lines = world.telemetry.lines.map(it => it.line).filter(it => it['stage'] === 'refused');
  expect(lines[3]).toMatchObject({ cause: 'malformed', hint: 'signature_encoding' });
  const logged = lines.map(it => it['cause']);
  expect(logged).toHaveLength(5);
  expect(logged.slice(0, 3)).toEqual(['forbidden_source', 'too_large', 'method']);
  for (const cause of logged)
    expect(world.telemetry.total('RequestRefused', { cause: String(cause) })).toBeGreaterThan(0);
  expect(world.telemetry.total('RequestRefused')).toBe(5);
});
