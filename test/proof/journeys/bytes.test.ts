/** The handler gets the bytes of the wire, whatever they are (I13), and nothing unverified leaves a trace (I10). */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { isLongRun } from '#test/kit/long-run.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { anyCharacter } from '#test/kit/samples/any-character.ts';
import { noise } from './support/noise.ts';
import { tracesIn, workOff } from './support/traces.ts';

const RUNS = isLongRun() ? 20_000 : 300;
const MIB = 1_048_576;
const runs = { bytes: 0, unverified: 0 };
afterAll(() => {
  recordRun(['I13'], 'bytes', runs.bytes);
  recordRun(['I10', 'I11'], 'bytes', runs.unverified);
});

const contentType = fc.constantFrom('application/octet-stream', 'text/html', 'application/xml', 'image/png');
const hostile = fc.oneof(
  fc.uint8Array({ maxLength: 5_000 }).map(bytes => Buffer.from(bytes)),
  fc.string({ unit: anyCharacter, maxLength: 500 }).map(text => Buffer.from(text)),
  fc.json().map(text => Buffer.from(text)),
  fc
    .constantFrom('{"__proto__":{"event_id":"x"}}', '{"event_id":"\\ud800"}', '{"event_id":"\uffff"}', '\ufeff{}')
    .map(text => Buffer.from(text)),
  fc.integer({ min: 1, max: 3_000 }).map(depth => Buffer.from('{"a":'.repeat(depth))),
);

async function expectSameBytes(rawBody: Buffer, type: string, asText = false): Promise<void> {
  const world = new MemoryWorld({ queue: { duplicateRate: 0 } });
  const request = world.apiEvent({ id: 'x', rawBody, headers: { 'content-type': type } });
  const wire = asText ? { ...request, body: rawBody.toString(), isBase64Encoded: false } : request;
  expect(await world.clock.complete(world.ingest.invoke(wire))).toMatchObject({
    payload: expect.stringContaining('"statusCode":200'),
  });
  expect(await workOff(world)).toBe(true);
  expect(world.outside).toHaveLength(1);
  expect(Buffer.from(world.outside[0]?.bytes ?? []).equals(rawBody)).toBe(true);
  expect(world.items()).toMatchObject([{ status: 'completed', size: rawBody.length }]);
  runs.bytes += 1;
}

it('gives the handler the bytes of the wire, whatever they are', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, contentType, (body, type) => expectSameBytes(body, type)),
    { numRuns: RUNS },
  );
});

it('gives the handler the bytes of a text that came as text', async () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(text, body => expectSameBytes(Buffer.from(body), 'text/html', true)),
    { numRuns: RUNS / 5 },
  );
});

it.each([
  ['64 KiB that do not compress', Buffer.from(noise(65_536))],
  ['a megabyte', Buffer.from(noise(MIB))],
  ['the largest allowed', Buffer.alloc(4 * MIB, noise(90_000))],
])('gives the handler %s', async (_name, rawBody) => {
  await expectSameBytes(rawBody, 'application/octet-stream');
});

it('leaves no trace of a request that does not verify, and answers nothing but 401 or 413', async () => {
  const world = new MemoryWorld({ source: { maxBodyBytes: 4_000 } });
  const header = fc.option(fc.string({ unit: anyCharacter, maxLength: 200 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(hostile, header, header, async (rawBody, signature, timestamp) => {
      const headers = { 'x-webhook-signature': signature, 'x-webhook-timestamp': timestamp };
      const answer = await world.post({ id: 'x', rawBody, headers });
      expect(answer?.status).toBe(rawBody.length > 4_000 ? 413 : 401);
      runs.unverified += 1;
    }),
    { numRuns: RUNS },
  );
  expect(tracesIn(world)).toEqual([]);
});
