import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { isEventKey } from '#core/glossary.ts';
import type { Identity, Scheme } from '#core/provider/provider-spec.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { identifyRequest, splitItems } from '#core/verification/identify-request.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { type Verified, verifyRequest } from '#core/verification/verify-request.ts';
import { contextWith, HMAC, NOW_MS, requestWith, signed, specWith } from './test-spec.ts';

const VERIFIED: Verified = { kind: 'verified', scheme: 'test', strength: 'signed', matchedSecret: 'current' };
const sha = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function identify(
  identity: Partial<Identity>,
  request: RawRequest | string,
  more: { dedupOnBody?: boolean; verdict?: Verified } = {},
) {
  const spec = specWith(HMAC, { identity: { key: [['json:id']], type: ['json:type'], ...identity } });
  const options = { crypto: nodeCrypto, settings: {}, dedupOnBody: false, verdict: VERIFIED, ...more };
  return identifyRequest(spec, typeof request === 'string' ? requestWith(request) : request, options);
}
const keyOf = (...parameters: Parameters<typeof identify>) => {
  const identified = identify(...parameters);
  return identified.kind === 'nothing' ? 'nothing' : identified.key;
};

describe('the event key', () => {
  it('is the first alternative that is all there', () => {
    const identity: Partial<Identity> = { key: [['json:event_id'], ['json:id'], ['header:x-event-id']] };
    const headers = { 'x-event-id': 'from-header' };
    expect(keyOf(identity, requestWith('{"event_id":"a","id":"b"}', { headers }))).toBe('a');
    expect(keyOf(identity, requestWith('{"id":"b"}', { headers }))).toBe('b');
    expect(keyOf(identity, requestWith('{"id":null,"event_id":""}', { headers }))).toBe('from-header');
    expect(keyOf(identity, requestWith('not json', { headers }))).toBe('from-header');
    expect(keyOf(identity, requestWith('not json'))).toBe(sha('not json'));
  });

  it('keeps every digit of a number and takes numbers and strings alike', () => {
    expect(keyOf({}, '{"id":9007199254740993}')).toBe('9007199254740993');
    expect(keyOf({}, '{"id":"9007199254740993"}')).toBe('9007199254740993');
    expect(keyOf({}, '{"id":9007199254740992}')).not.toBe(keyOf({}, '{"id":9007199254740993}'));
  });

  it('joins parts with their lengths: regression: ("1","23") and ("12","3") are different events', () => {
    const identity: Partial<Identity> = { key: [['json:a', 'json:b']] };
    expect(keyOf(identity, '{"a":"1","b":"23"}')).not.toBe(keyOf(identity, '{"a":"12","b":"3"}'));
    expect(keyOf(identity, '{"a":"1","b":"23"}')).toBe('1:1,2:23');
    fc.assert(
      fc.property(fc.tuple(fc.string(), fc.string()), fc.tuple(fc.string(), fc.string()), (one, other) => {
        const key = ([a, b]: [string, string]) =>
          keyOf({ key: [['json:a', 'json:b'], ['none']] }, JSON.stringify({ a, b }));
        const isText = [...one, ...other].every(text => text !== '' && text.isWellFormed());
        if (isText && (one[0] !== other[0] || one[1] !== other[1])) expect(key(one)).not.toBe(key(other));
      }),
    );
  });

  it('becomes a hash when it is long or not printable ASCII', () => {
    for (const id of ['a'.repeat(257), 'Zoë', 'a b', '\u0000', '\uffff']) {
      expect(keyOf({}, JSON.stringify({ id }))).toBe(sha(id));
    }
    expect(keyOf({}, JSON.stringify({ id: 'a'.repeat(256) }))).toBe('a'.repeat(256));
  });

  it('is undefined for "none" and for an empty body, so that nothing is taken for a repetition', () => {
    expect(keyOf({ key: [['none']] }, 'id=tr_1')).toBeUndefined();
    expect(keyOf({ key: [['hash:body']] }, '')).toBeUndefined();
    expect(keyOf({}, '')).toBeUndefined();
  });

  it('is the hash of the body where the source asks for it', () => {
    expect(keyOf({}, '{"id":"a"}', { dedupOnBody: true })).toBe(sha('{"id":"a"}'));
    expect(keyOf({ key: [['hash:body', 'json:id']] }, '{"id":"a"}')).toBe(`64:${sha('{"id":"a"}')},1:a`);
  });

  it('is never one that two different ill-formed ids would share', () => {
    const withByte = (byte: number) => Buffer.concat([Buffer.from('{"id":"a'), Buffer.from([byte]), Buffer.from('"}')]);
    expect(keyOf({}, requestWith(withByte(0xff)))).toBe(sha(withByte(0xff)));
    expect(keyOf({}, requestWith(withByte(0xfe)))).toBe(sha(withByte(0xfe)));
    expect(keyOf({}, '{"id":"\\ud800"}')).not.toBe(keyOf({}, '{"id":"\\udbff"}'));
  });

  it('ignores a byte order mark and __proto__', () => {
    expect(keyOf({}, '\ufeff{"id":"a"}')).toBe('a');
    expect(keyOf({}, '{"__proto__":{"id":"x"}}')).toBe(sha('{"__proto__":{"id":"x"}}'));
  });

  it('is read from forms, queries, claims, signature parts and inner documents', () => {
    const form = requestWith('id=a%20b&id2=x&payload=%7B%22trigger_id%22%3A%22t.1%22%7D', { rawQuery: 'q=1' });
    expect(keyOf({ key: [['form:id2', 'query:q']] }, form)).toBe('1:x,1:1');
    expect(keyOf({ key: [['form:id']] }, form)).toBe(sha('a b'));
    expect(keyOf({ key: [['doc:trigger_id']], document: { from: 'form:payload', format: 'json' } }, form)).toBe('t.1');
    const xml = '<!-- x --><n><kind>check</kind><s><t a="1"><id>7 &amp; 8</id></t></s></n>';
    const inner = requestWith(`bt=${encodeURIComponent(Buffer.from(xml).toString('base64'))}`);
    const document = { from: 'form:bt', encoding: 'base64', format: 'xml' } as const;
    expect(keyOf({ key: [['doc:n.kind', 'doc:n.s.*.id']], document }, inner)).toBe(sha('5:check,5:7 & 8'));
    for (const broken of ['%%%', '<n><kind>', '<a></b>', '<!DOCTYPE x [<!ENTITY a "b">]><n>&a;</n>']) {
      const body = `bt=${Buffer.from(broken).toString('base64')}`;
      expect(keyOf({ key: [['doc:n.kind']], document }, body)).toBe(sha(body));
    }
  });

  it('always is an event key or nothing, whatever the body', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map(utf8)), bytes => {
        const identified = identify({ key: [['json:a.b', 'json:id'], ['json:id'], ['form:x']] }, requestWith(bytes));
        if (identified.kind !== 'event') throw new Error('expected one event');
        expect(identified.key === undefined || isEventKey(identified.key)).toBe(true);
        expect(identified.eventType).toMatch(/^(?! )[\x20-\x7e]{1,200}(?<! )$/);
      }),
    );
  });
});

describe('type and time', () => {
  const event = (identity: Partial<Identity>, body: string, headers: Record<string, string> = {}) =>
    identify(identity, requestWith(body, { headers }));

  it('join type sources, leave absent ones out, and fall back to unknown', () => {
    const identity: Partial<Identity> = { type: ['header:x-event', 'json:action'], typeJoin: '.' };
    expect(event(identity, '{"action":"opened"}', { 'x-event': 'issues' })).toMatchObject({
      eventType: 'issues.opened',
    });
    expect(event(identity, '{}', { 'x-event': 'push' })).toMatchObject({ eventType: 'push' });
    expect(event(identity, 'junk')).toMatchObject({ eventType: 'unknown' });
    expect(event({ type: ['json:event.type', 'json:type'] }, '{"type":"b"}')).toMatchObject({ eventType: 'b' });
    expect(event({ type: ['text:ping'] }, '{}')).toMatchObject({ eventType: 'ping' });
    expect(event({}, '{"type":"a b\\nc\\u00e9"}')).toMatchObject({ eventType: 'a b_c_' });
    expect(event({}, '{"type":"  "}')).toMatchObject({ eventType: 'unknown' });
    expect(event({}, JSON.stringify({ type: ` ${'x'.repeat(198)} y` }))).toMatchObject({ eventType: 'x'.repeat(198) });
    expect(event({}, JSON.stringify({ type: 'x'.repeat(500) }))).toMatchObject({ eventType: 'x'.repeat(200) });
  });

  it('read the event time in its unit, fractions included', () => {
    const time = (unit: 's' | 'ms' | 'iso8601' | 'http-date', value: string) => {
      const identified = event({ time: { from: 'json:at', unit } }, `{"at":${value}}`);
      return identified.kind === 'event' ? identified.eventAtMs : undefined;
    };
    expect(time('s', '1790000000')).toBe(1_790_000_000_000);
    expect(time('s', '"1355517523.000005"')).toBe(1_355_517_523_000);
    expect(time('ms', '1790000000123')).toBe(1_790_000_000_123);
    expect(time('iso8601', '"2026-03-17T10:00:00Z"')).toBe(Date.parse('2026-03-17T10:00:00Z'));
    expect(time('http-date', '"Sat, 21 Nov 2026 03:00:00 GMT"')).toBe(Date.parse('2026-11-21T03:00:00Z'));
    for (const junk of ['null', '-1', '"soon"', '1e400', '{}', '"9".repeat']) expect(time('s', junk)).toBeUndefined();
  });
});

describe('requests with many events', () => {
  const identity: Partial<Identity> = { items: 'events[]', key: [['json:id']], type: ['json:type'] };

  it('give every item its own key, type and bytes', () => {
    const body = '{"events":[ {"id":1,"type":"a"} , {"type":"b" , "id":"2"}]}';
    const identified = identify(identity, body);
    expect(identified).toMatchObject({ kind: 'batch', eventType: 'test.batch', refusedItems: 0 });
    if (identified.kind !== 'batch') return;
    const items = identified.items.map(({ bytes, ...item }) => ({ ...item, text: Buffer.from(bytes).toString() }));
    expect(items).toEqual([
      { path: 'events[0]', key: '1', eventType: 'a', text: '{"id":1,"type":"a"}' },
      { path: 'events[1]', key: '2', eventType: 'b', text: '{"type":"b" , "id":"2"}' },
    ]);
    expect(identify(identity, body)).toEqual(identified);
    expect(keyOf(identity, '{"events":[{"id":"2"},{"id":1}]}')).not.toBe(identified.key);
  });

  it('have no key when an item has none', () => {
    expect(keyOf({ ...identity, key: [['none']] }, '{"events":[{}]}')).toBeUndefined();
  });

  it('that are empty are no event; a body of another shape is one event', () => {
    expect(identify(identity, '{"events":[]}')).toEqual({ kind: 'nothing' });
    expect(identify({ ...identity, items: '[]' }, '[]')).toEqual({ kind: 'nothing' });
    for (const body of ['{"id":"x"}', '{"events":{}}', '[]', 'junk', ''])
      expect(identify(identity, body).kind).toBe('event');
  });

  it('lose no element, whatever its shape', () => {
    const nested: Partial<Identity> = { ...identity, items: ['entry[].changes[]', 'entry[].messaging[]'] };
    const body = JSON.stringify({
      entry: [
        { id: 'p1', changes: [{ id: 'c1' }, { id: 'c2' }], messaging: [{ id: 'm1' }] },
        { id: 'p2', standby: [{ id: 's1' }] },
        { id: 'p3', changes: [] },
        7,
      ],
    });
    const identified = identify(nested, body);
    const paths = identified.kind === 'batch' ? identified.items.map(item => item.path) : [];
    expect(paths).toEqual([
      'entry[0].changes[0]',
      'entry[0].changes[1]',
      'entry[0].messaging[0]',
      'entry[1]',
      'entry[2]',
      'entry[3]',
    ]);
  });

  it('see the element around an item, the root and the name of its array', () => {
    const nested: Partial<Identity> = {
      items: 'entry[].changes[]',
      key: [['root:object', 'parent:id', 'json:field']],
      type: ['json:field'],
    };
    const body = '{"object":"page","entry":[{"id":"p1","changes":[{"field":"feed"}]}]}';
    expect(identify(nested, body)).toMatchObject({ items: [{ key: '4:page,2:p1,4:feed', eventType: 'feed' }] });
    const named: Partial<Identity> = { items: '*[]', key: [['item:key', 'json:id']], type: ['item:key'] };
    expect(identify(named, '{"for_user":"u","tweet_events":[{"id":1}],"like_events":[{"id":1}]}')).toMatchObject({
      items: [
        { path: 'tweet_events[0]', key: '12:tweet_events,1:1', eventType: 'tweet_events' },
        { path: 'like_events[0]', key: '11:like_events,1:1', eventType: 'like_events' },
      ],
    });
  });

  it('are split later into the same items', () => {
    const spec = specWith(HMAC, { identity: { key: [['json:id']], type: ['json:type'], items: 'events[]' } });
    const body = '{"events":[{"id":1},{"id":2,"type":"b"}]}';
    const identified = identifyRequest(spec, requestWith(body), {
      crypto: nodeCrypto,
      settings: {},
      dedupOnBody: false,
      verdict: VERIFIED,
    });
    const split = splitItems(spec, { body: utf8(body), headers: {} }, { crypto: nodeCrypto, settings: {} });
    expect(split).toEqual(identified.kind === 'batch' ? identified.items : []);
    expect(splitItems(spec, { body: utf8('{}'), headers: {} }, { crypto: nodeCrypto, settings: {} })).toBeUndefined();
  });
});

describe('batches verified item by item', () => {
  const scheme: Scheme = {
    ...HMAC,
    sig: { from: 'json:mac' },
    batch: 'items[]',
    message: '{json:id}:{json:amount?}',
  };
  const spec = specWith(scheme, { identity: { key: [['json:id']], type: ['json:type'], items: 'items[]' } });
  const good = signed(spec, '{"items":[{"id":"a","amount":1},{"id":"b"},{"id":"c"}]}');
  const text = Buffer.from(good.body).toString();

  it('let the good items through and never a forged one', async () => {
    const forged = requestWith(text.replace('"id":"b"', '"id":"forged"'));
    const verdict = await verifyRequest(spec, forged, contextWith());
    expect(verdict).toMatchObject({
      kind: 'verified',
      items: [
        { path: 'items[0]', verified: true },
        { path: 'items[1]', verified: false, cause: 'mismatch' },
        { path: 'items[2]', verified: true },
      ],
    });
    if (verdict.kind !== 'verified') return;
    const identified = identifyRequest(spec, forged, { crypto: nodeCrypto, settings: {}, dedupOnBody: false, verdict });
    expect(identified).toMatchObject({ kind: 'batch', refusedItems: 1, items: [{ key: 'a' }, { key: 'c' }] });
  });

  it('are refused when no item verifies, with the closest cause', async () => {
    const secret = { current: 'other' };
    expect(await verifyRequest(spec, good, contextWith({ secret }))).toMatchObject({
      kind: 'refused',
      cause: 'mismatch',
    });
    expect(await verifyRequest(spec, requestWith('{"items":[{"id":"a"},7]}'), contextWith())).toMatchObject({
      cause: 'missing',
    });
    expect(await verifyRequest(spec, requestWith('{"items":[]}'), contextWith())).toMatchObject({ cause: 'missing' });
    expect(await verifyRequest(spec, requestWith('junk'), contextWith())).toMatchObject({ cause: 'malformed' });
    const many = JSON.stringify({ items: Array(2_001).fill({}) });
    expect(await verifyRequest(spec, requestWith(many), contextWith())).toMatchObject({ cause: 'malformed' });
  });

  it.each([
    ['an object', '{"value":1}'],
    ['a list', '[1]'],
    ['half a character', '"1\\ud800"'],
  ])('refuse %s in the place of an optional value that was not signed', async (_name, amount) => {
    const added = requestWith(text.replace('"id":"b"', `"id":"b","amount":${amount}`));
    expect(await verifyRequest(spec, added, contextWith())).toMatchObject({
      items: [{ verified: true }, { verified: false, cause: 'missing' }, { verified: true }],
    });
    const none = requestWith(text.replace('"id":"b"', '"id":"b","amount":null'));
    expect(await verifyRequest(spec, none, contextWith())).toMatchObject({
      items: [{ verified: true }, { verified: true }, { verified: true }],
    });
  });

  it('keep each amount as it was written', async () => {
    expect(
      await verifyRequest(spec, requestWith(text.replace('"amount":1', '"amount":1.0')), contextWith()),
    ).toMatchObject({
      items: [{ verified: false }, { verified: true }, { verified: true }],
    });
  });
});

describe('an id in a header, where the signature says which headers it covers', () => {
  const v1: Scheme = {
    ...HMAC,
    id: 'v1',
    sig: { from: 'header:x-signature', parse: { item: ',', kv: '=', key: 'v1', single: ['t', 'h'] } },
    message: '{ts}.{sig:h}.{signedHeaders}.{body}',
    signedHeaders: { from: 'sig:h', sep: ' ', item: '{value}', join: '.' },
    time: { from: 'sig:t', unit: 's', past: 300, future: 300, signed: true },
  };
  const { signedHeaders: _, ...rest } = v1;
  const v0: Scheme = {
    ...rest,
    id: 'v0',
    sig: { from: 'header:x-signature', parse: { item: ',', kv: '=', key: 'v0', single: ['t'] } },
    message: '{ts}.{body}',
  };
  const spec = specWith([v1, v0], { identity: { key: [['header:x-event-id'], ['json:id']], type: ['json:type'] } });
  const mac = (text: string) => createHmac('sha256', 'secret').update(text).digest('hex');
  const seconds = NOW_MS / 1_000;
  const request = (names: string, headers: Record<string, string>, more = '') => {
    const values = names.split(' ').map(name => headers[name]);
    const sent = `t=${seconds},h=${names},v1=${mac([seconds, names, ...values, '{"id":"b"}'].join('.'))}${more}`;
    return requestWith('{"id":"b"}', { headers: { ...headers, 'x-signature': sent } });
  };
  const keyIn = async (given: RawRequest) => {
    const verdict = await verifyRequest(spec, given, contextWith());
    if (verdict.kind === 'refused') return verdict.cause;
    const options = { crypto: nodeCrypto, settings: {}, dedupOnBody: false, verdict };
    const identified = identifyRequest(spec, given, options);
    return identified.kind === 'nothing' ? undefined : identified.key;
  };

  it('counts when it is one of them', async () => {
    expect(await keyIn(request('x-kind x-event-id', { 'x-kind': 'a', 'x-event-id': 'e-1' }))).toBe('e-1');
    expect(await keyIn(request('x-kind', { 'x-kind': 'a', 'x-event-id': 'e-1' }))).toBe('b');
  });

  it('regression: could be replaced under the signature of the body alone that stands beside it', async () => {
    const genuine = request('x-event-id', { 'x-event-id': 'e-1' }, `,v0=${mac(`${seconds}.{"id":"b"}`)}`);
    expect(await keyIn(genuine)).toBe('e-1');
    expect(await keyIn({ ...genuine, headers: { ...genuine.headers, 'x-event-id': 'e-2' } })).toBe('b');
  });

  it('does not count when a part of it could belong to its neighbour', async () => {
    const genuine = request('x-event-id x-kind', { 'x-event-id': 'e-1', 'x-kind': 'order.paid' });
    expect(await keyIn(genuine)).toBe('e-1');
    const moved = { ...genuine.headers, 'x-event-id': 'e-1.order', 'x-kind': 'paid' };
    expect(await keyIn({ ...genuine, headers: moved })).toBe('b');
  });

  it('is not looked for under a name that could be a value', async () => {
    const headers = { 'x-event-id': 'e-1', 'x-kind.e-1': 'a' };
    expect(await keyIn(request('x-event-id x-kind.e-1', headers))).toBe('malformed');
  });
});
