/** A provider whose event stands in the query of a GET: signed, recorded once, and the handler finds what it says. */
import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';
import { QUERY_HEADER } from '#core/inbound/protocol/kept-headers.ts';
import { messagebird } from '#providers/messagebird.ts';
import { MemoryWorld, SECRET } from '#test/kit/memory-world.ts';

const URL = 'https://hooks.example.com/webhooks/default';
const QUERY = 'id=m1&recipient=31612345678&status=delivered&statusDatetime=2026-11-21T03%3A00%3A00%2B00%3A00';
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A new token each time, as MessageBird sends it: without a body it has no hash of one. */
function tokenFor(query: string, nowMs: number, more: Readonly<Record<string, string>> = {}): string {
  const times = { nbf: Math.floor(nowMs / 1_000), exp: Math.floor(nowMs / 1_000) + 60, jti: `${nowMs}` };
  const claims = { iss: 'MessageBird', ...times, url_hash: sha256(`${URL}?${query}`), ...more };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`;
}

const seen: (string | undefined)[] = [];
const handlers = () =>
  defineHandlers([
    {
      source: '*',
      type: '*',
      handle: event => {
        seen.push(event.headers[QUERY_HEADER]);
        return Promise.resolve(done({ actionTaken: 'looked' }));
      },
    },
  ]);

async function report(world: MemoryWorld, method: string, body = '', query = QUERY): Promise<number> {
  const headers = { 'content-type': undefined, 'messagebird-signature-jwt': tokenFor(query, world.clock.now()) };
  const request = world.apiEvent({ id: 'm1', rawBody: body, headers, method });
  const outcome = await world.clock.complete(world.ingest.invoke({ ...request, rawQueryString: query }));
  if (outcome.kind !== 'returned') return 0;
  return (JSON.parse(outcome.payload ?? '{}') as { readonly statusCode: number }).statusCode;
}

it.each(['GET', 'POST'])('a %s without a body is one event, however often it is signed', async method => {
  seen.length = 0;
  const calm = { queue: { duplicateRate: 0 }, deadQueue: { duplicateRate: 0 } };
  const world = new MemoryWorld({ ...calm, handlers, source: { spec: messagebird, publicUrl: URL } });
  expect(await report(world, method)).toBe(200);
  await world.clock.advanceBy(30_000);
  expect(await report(world, method)).toBe(200);
  // Another status of the same message is another event.
  expect(await report(world, method, '', QUERY.replace('delivered', 'buffered'))).toBe(200);
  // A token without a hash of the body proves nothing about one.
  expect(await report(world, method, '{"status":"delivered"}')).toBe(401);
  world.start();
  expect(await world.settle()).toBe(true);
  world.stop();
  expect(world.items().map(({ status, eventType }) => [status, eventType])).toEqual(
    expect.arrayContaining([
      ['completed', 'delivered'],
      ['completed', 'buffered'],
    ]),
  );
  expect(seen.toSorted()).toEqual([QUERY.replace('delivered', 'buffered'), QUERY]);
});
