import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { buildEnvelope, dataOf, thinBody } from '#core/outbound/publish/envelope.ts';
import { inputShaOf, type Publication } from '#core/outbound/publish/publish.ts';

const text = new TextEncoder();
const read = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const FORMATS = ['standard', 'plain', 'object', 'cloudevents'] as const;
const from = (data: string) => ({
  id: 'msg_1',
  type: 'invoice.paid',
  at: 1_795_305_600_123,
  mode: 'live' as const,
  app: 'app_1',
  key: 'k"1',
  pendingWebhooks: 3,
  data: text.encode(data),
});

test('data goes in byte for byte, in every format', () => {
  const awkward = fc.constantFrom(
    '{"a":1,"a":2}',
    '12345678901234567890',
    '1.0',
    '"\\ud800"',
    ' { "x" : [ ] } ',
    'null',
    '"}"',
    '{"data":{}}',
  );
  fc.assert(
    fc.property(fc.oneof(fc.json(), awkward), fc.constantFrom(...FORMATS), (data, format) => {
      const { bytes, dataAt } = buildEnvelope(format, from(data));
      expect(read(dataOf(bytes, dataAt))).toBe(data);
      expect(read(bytes)).toContain(data);
      const thin = JSON.parse(read(thinBody(bytes, dataAt))) as Record<string, unknown>;
      const full = JSON.parse(read(bytes)) as Record<string, unknown>;
      const { data: _, ...head } = full;
      expect(thin).toEqual(head);
    }),
  );
});

test('the members of each format', () => {
  const of = (format: (typeof FORMATS)[number]) => JSON.parse(read(buildEnvelope(format, from('{"a":1}')).bytes));
  expect(of('standard')).toEqual({
    id: 'msg_1',
    type: 'invoice.paid',
    timestamp: '2026-11-22T00:00:00.123Z',
    data: { a: 1 },
  });
  expect(of('plain')).toEqual({
    id: 'msg_1',
    type: 'invoice.paid',
    api_version: null,
    created_at: '2026-11-22T00:00:00.123Z',
    data: { a: 1 },
  });
  expect(of('object')).toEqual({
    id: 'msg_1',
    object: 'event',
    api_version: null,
    created: 1_795_305_600,
    type: 'invoice.paid',
    livemode: true,
    pending_webhooks: 3,
    request: { id: null, idempotency_key: 'k"1' },
    data: { a: 1 },
  });
  expect(of('cloudevents')).toMatchObject({
    specversion: '1.0',
    source: 'app_1',
    time: '2026-11-22T00:00:00.123Z',
    data: { a: 1 },
  });
});

test('a raw body has no data to leave out', () => {
  const raw = text.encode('<a/>');
  expect(thinBody(raw, undefined)).toBe(raw);
  expect(dataOf(raw, undefined)).toBe(raw);
});

test('the same input has the same hash; every member counts', () => {
  const given: Publication = { app: 'app_1', key: 'k', type: 't', content: { kind: 'data', json: text.encode('{}') } };
  const sha = inputShaOf(given, nodeCrypto);
  expect(inputShaOf({ ...given, key: 'other' }, nodeCrypto), 'the key is the id, not the input').toBe(sha);
  const others: Publication[] = [
    { ...given, type: 'u' },
    { ...given, apiVersion: '1' },
    { ...given, channels: ['a'] },
    { ...given, timestamp: 1 },
    { ...given, content: { kind: 'data', json: text.encode('{} ') } },
    { ...given, content: { kind: 'raw', bytes: text.encode('{}'), contentType: 'text/plain' } },
  ];
  expect(new Set([sha, ...others.map(each => inputShaOf(each, nodeCrypto))]).size).toBe(others.length + 1);
});

test('the format object has the id of the request that led to it, and null where none was given', () => {
  const requestOf = (requestId?: string) =>
    (JSON.parse(read(buildEnvelope('object', { ...from('{}'), requestId }).bytes)) as { request: unknown }).request;
  expect(requestOf('req_abc123')).toEqual({ id: 'req_abc123', idempotency_key: 'k"1' });
  expect(requestOf()).toEqual({ id: null, idempotency_key: 'k"1' });
});
