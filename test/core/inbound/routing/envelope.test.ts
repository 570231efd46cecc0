import { describe, expect, it } from 'vitest';
import { type EventId, toSourceId } from '#core/glossary.ts';
import type { WebhookEvent } from '#core/handler/handler-contract.ts';
import { type EnvelopeFacts, referenceEnvelope, wholeEnvelope } from '#core/inbound/routing/envelope.ts';

function factsOf(body: string | Uint8Array, contentType?: string, more: Partial<WebhookEvent> = {}): EnvelopeFacts {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const event: WebhookEvent = {
    id: 'evt_stripe.evt_1' as EventId,
    source: toSourceId('stripe'),
    provider: 'stripe',
    type: 'invoice.paid',
    time: Date.UTC(2026, 10, 22),
    receivedAt: Date.UTC(2026, 10, 22, 1),
    subject: 'in_1',
    bytes,
    payload: undefined,
    attempt: 1,
    generation: 2,
    idempotencyKey: 'stripe:evt_1:2',
    headers: contentType === undefined ? {} : { 'content-type': contentType },
    ...more,
  };
  return { event, bodySha: 'ab', generation: 2, idempotencyKey: 'stripe:evt_1:2' };
}
const whole = (...given: Parameters<typeof factsOf>): string =>
  wholeEnvelope(factsOf(...given), bytes => Buffer.from(bytes).toString('base64'));

describe('the envelope of an event', () => {
  it('has the attributes of a CloudEvent, in lower-case letters and digits, and no empty ones', () => {
    const envelope = JSON.parse(whole('{"a":1}', 'application/json; charset=utf-8')) as Record<string, unknown>;
    expect(envelope).toEqual({
      specversion: '1.0',
      id: 'evt_stripe.evt_1',
      source: 'holdfast:stripe',
      type: 'invoice.paid',
      time: '2026-11-22T00:00:00.000Z',
      subject: 'in_1',
      datacontenttype: 'application/json; charset=utf-8',
      provider: 'stripe',
      receivedtime: '2026-11-22T01:00:00.000Z',
      generation: 2,
      idempotencykey: 'stripe:evt_1:2',
      bodysha256: 'ab',
      bodysize: 7,
      data: { a: 1 },
    });
    for (const name of Object.keys(envelope)) expect(name).toMatch(/^[a-z0-9]{1,20}$/);
  });

  it('has no time where the provider gave none: arrival is no time of the event', () => {
    expect(JSON.parse(whole('{}', undefined, { timeIsArrival: true }))).not.toHaveProperty('time');
  });

  it.each([
    ['{"n":12345678901234567890,"f":1.0,"s":" é "}', 'application/json'],
    [' [ 1 ,\n 2 ] ', 'application/vnd.api+json'],
    ['"text"', undefined],
    ['null', 'text/plain'],
  ])('holds JSON as it came: %j', (body, type) => {
    const text = whole(body, type);
    expect(text).toContain(`"data":${body}}`);
    expect(JSON.parse(text)).toMatchObject({ datacontenttype: type?.includes('json') ? type : 'application/json' });
  });

  it('holds other text as a text, and bytes that are none as base64', () => {
    expect(JSON.parse(whole('a=1&b="2"\n', 'application/x-www-form-urlencoded'))).toMatchObject({
      data: 'a=1&b="2"\n',
    });
    const bytes = Uint8Array.from([0xff, 0x00, 0xfe, 0x80]);
    const envelope = JSON.parse(whole(bytes, 'application/octet-stream')) as Record<string, unknown>;
    expect(envelope).not.toHaveProperty('data');
    expect([...Buffer.from(String(envelope['data_base64']), 'base64')]).toEqual([...bytes]);
  });

  it('holds nothing of an empty body', () => {
    const envelope = JSON.parse(whole('', undefined)) as Record<string, unknown>;
    expect(Object.keys(envelope).filter(name => name.startsWith('data'))).toEqual([]);
  });

  it('escapes the two characters that SQS and SNS refuse, which changes nothing for a reader', () => {
    const text = whole('{"s":"\ufffe \uffff"}', 'application/json');
    expect(text).not.toMatch(/[\ufffe\uffff]/);
    expect(JSON.parse(text)).toMatchObject({ data: { s: '\ufffe \uffff' } });
  });

  it('names the place of its body instead, where it does not fit', () => {
    const envelope = JSON.parse(
      referenceEnvelope(factsOf('{"a":1}', 'application/json'), 's3://bodies/routed/x'),
    ) as object;
    expect(envelope).toMatchObject({ dataref: 's3://bodies/routed/x', bodysha256: 'ab', bodysize: 7 });
    expect(envelope).not.toHaveProperty('data');
  });
});
