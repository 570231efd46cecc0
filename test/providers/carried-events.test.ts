/**
 * Events that do not stand in the body as one JSON value:
 *
 * 1. Each is an item of its own, byte for byte, with its own key: in a form's field, one a line, in a batch.
 * 2. An array that is the data of one event stays one event.
 * 3. What brings its own certificates counts only for the app that is configured.
 * 4. The first call of Azure Event Grid is answered only to whom knows the token.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { subjectOf } from '#core/inbound/process/subject-of.ts';
import { schemeId } from '#core/provider/spec-defaults.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { answerHandshake } from '#core/verification/handshake.ts';
import { type Identification, identifyRequest, splitItems } from '#core/verification/identify-request.ts';
import type { Verified } from '#core/verification/verdict.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { providerById } from '#providers/index.ts';
import { genuineRequest, NOW_MS } from './genuine-request.ts';

function identify(provider: string, body: string, headers: Readonly<Record<string, string>> = {}): Identification {
  const spec = providerById(provider);
  const [first] = spec.verify;
  const scheme = first ? schemeId(first, spec) : '';
  const verdict: Verified = { kind: 'verified', scheme, strength: 'signed', matchedSecret: 'current' };
  const options = { crypto: nodeCrypto, settings: {}, dedupOnBody: false, verdict };
  return identifyRequest(spec, { headers, body: utf8(body) }, options);
}

const textsOf = (identified: Identification): readonly string[] =>
  identified.kind === 'batch' ? identified.items.map(it => Buffer.from(it.bytes).toString()) : [];
const keysOf = (identified: Identification): ReadonlySet<string | undefined> =>
  new Set(identified.kind === 'batch' ? identified.items.map(it => it.key) : []);

/** Signed by Apple, under the root of its tests, for com.example. */
const { testNotification } = JSON.parse(
  readFileSync(new URL('../fixtures/apple-notification.json', import.meta.url), 'utf8'),
) as { readonly testNotification: string };

describe('events of one request', () => {
  const open = '{"event":"open","ts":1790000000,"_id":"a1"}';
  const click = '{"event":"click","ts":1790000000,"_id":"a1","url":"https://example.com/é"}';

  it('in a field of a form are split (Mandrill)', () => {
    const body = `mandrill_events=${encodeURIComponent(`[${open}, ${click}]`)}`;
    const identified = identify('mandrill', body);
    expect(textsOf(identified)).toEqual([open, click]);
    expect(keysOf(identified).size).toBe(2);
    expect(identify('mandrill', 'mandrill_events=%5B%5D')).toEqual({ kind: 'nothing' });
    // The splitter finds the same.
    const split = splitItems(
      providerById('mandrill'),
      { headers: {}, body: utf8(body) },
      { crypto: nodeCrypto, settings: {} },
    );
    expect(split?.map(it => it.key)).toEqual([...keysOf(identified)]);
  });

  it.each(['\n', '\r\n', '\n\n'])('one a line, ended by %j, are split (Auth0)', end => {
    const lines = ['{"log_id":"1","data":{"type":"s"}}', '{"log_id":"2","data":{"type":"f","note":"a\\nb"}}'];
    expect(textsOf(identify('auth0', lines.join(end) + end))).toEqual(lines);
    expect(textsOf(identify('auth0', `[${lines.join(',')}]`))).toEqual(lines);
    expect(textsOf(identify('auth0', lines[0] ?? ''))).toEqual([lines[0]]);
  });

  it('are ordered by the object they are about, in both forms of QuickBooks', () => {
    const ordering = (body: unknown) => {
      const identified = identify('quickbooks', JSON.stringify(body));
      const source = { spec: providerById('quickbooks'), settings: {} };
      const request = { bytes: utf8(JSON.stringify(body)), headers: {} };
      if (identified.kind !== 'batch') throw new Error('expected several events');
      return identified.items.map(({ path, bytes, eventAtMs }) => [
        subjectOf({ itemPath: path }, { ...request, bytes }, source),
        eventAtMs,
      ]);
    };
    const time = '2026-11-22T10:00:00Z';
    const cloud = { specversion: '1.0', id: 'e-1', source: 's', type: 'qbo.invoice.updated.v1', time };
    expect(ordering([{ ...cloud, intuitentityid: '42' }])).toEqual([['42', Date.parse(time)]]);
    const entity = { name: 'Invoice', id: '42', operation: 'Update', lastUpdated: time };
    const older = { eventNotifications: [{ realmId: '1', dataChangeEvent: { entities: [entity] } }] };
    expect(ordering(older)).toEqual([['42', Date.parse(time)]]);
  });

  it('in the batched mode of CloudEvents are split, and an array that one event carries is not', () => {
    const event = (id: string) => `{"specversion":"1.0","id":"${id}","source":"/s","type":"t"}`;
    const batch = identify('cloudevents', `[${event('1')},${event('2')}]`);
    expect(textsOf(batch)).toEqual([event('1'), event('2')]);
    expect(keysOf(batch).size).toBe(2);
    const binary = identify('cloudevents', '[1,2]', { 'ce-id': '1', 'ce-source': '/s', 'ce-type': 't' });
    expect(binary).toMatchObject({ kind: 'event', eventType: 't' });
  });

  it('of every notification in a SOAP message count, whatever prefixes it has', () => {
    const soap = (prefix: string, ids: readonly string[]) =>
      `<${prefix}:Envelope><${prefix}:Body><notifications><OrganizationId>o</OrganizationId><ActionId>a</ActionId>${ids.map(id => `<Notification><Id>${id}</Id></Notification>`).join('')}</notifications></${prefix}:Body></${prefix}:Envelope>`;
    const key = (text: string) => {
      const identified = identify('salesforce', text);
      return identified.kind === 'event' ? identified.key : undefined;
    };
    expect(key(soap('soapenv', ['1', '2']))).toBe(key(soap('s', ['1', '2'])));
    expect(key(soap('s', ['1', '2']))).not.toBe(key(soap('s', ['1', '3'])));
    expect(key(soap('s', ['1', '2']))).not.toBe(key(soap('s', ['1'])));
  });
});

describe('App Store notifications', () => {
  const spec = providerById('app-store');
  const [scheme] = spec.verify;
  if (!scheme) throw new Error('no scheme');
  const body = utf8('{"notificationType":"TEST","notificationUUID":"u-1","data":{}}');

  it('are refused when they are for another app, or one byte of the token is another', async () => {
    const genuine = genuineRequest(spec, scheme, { body });
    expect(await verifyRequest(genuine.spec, genuine.request, genuine.context)).toMatchObject({ kind: 'verified' });
    const other = { ...genuine.context, settings: { bundleId: 'com.example.other' } };
    expect(await verifyRequest(genuine.spec, genuine.request, other)).toMatchObject({ cause: 'binding' });
    const token = Buffer.from(genuine.request.body).toString();
    const at = token.lastIndexOf('.') + 5;
    const flipped = utf8(token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1));
    const changed = { ...genuine.request, body: flipped };
    expect(await verifyRequest(genuine.spec, changed, genuine.context)).toMatchObject({ cause: 'mismatch' });
  });

  it('without certificates, or with far too many, are refused before any is looked at', async () => {
    const genuine = genuineRequest(spec, scheme, { body });
    const [, payload = '', tail = ''] = Buffer.from(genuine.request.body).toString().split('.');
    for (const x5c of [undefined, [], ['AAAA'], Array(50).fill('AAAA'), 'AAAA', ['not base64!', 'AAAA']]) {
      const head = Buffer.from(JSON.stringify({ alg: 'ES256', x5c })).toString('base64url');
      const request = { ...genuine.request, body: utf8(`{"signedPayload":"${head}.${payload}.${tail}`) };
      expect(await verifyRequest(genuine.spec, request, genuine.context)).toMatchObject({ kind: 'refused' });
    }
  });
});

describe('the validation of an Azure Event Grid subscription', () => {
  const body = utf8(
    JSON.stringify([
      {
        id: '1',
        eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent',
        data: { validationCode: '512d38b6-c7b8' },
      },
    ]),
  );
  const context = { secret: { current: 'token' }, nowMs: NOW_MS, settings: {}, crypto: nodeCrypto };
  const call = (token: string) => {
    const headers = { 'aeg-event-type': 'SubscriptionValidation', authorization: token };
    const request = { method: 'POST', rawQuery: '', headers, body, sourceIp: '192.0.2.1' };
    return answerHandshake(providerById('azure-event-grid'), request, context, verifyRequest);
  };

  it('is answered with its code, and only to whom knows the token', async () => {
    expect(await call('token')).toMatchObject({ status: 200, body: '{"validationResponse":"512d38b6-c7b8"}' });
    // It is refused as any other request then.
    expect(await call('other')).toBeUndefined();
  });
});

describe('a notification that Apple made', () => {
  const [head = '', ...rest] = testNotification.split('.');
  const { x5c } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { readonly x5c: readonly string[] };
  const rootOf = createHash('sha256').update(Buffer.from(x5c[2] ?? '', 'base64'));
  const testRoot = rootOf.digest('hex');
  const verify = (signedPayload: string, bundleId: string, roots = [testRoot]) => {
    const spec = providerById('app-store');
    const [scheme] = spec.verify;
    if (!scheme?.key?.chain) throw new Error('the file has no chain');
    const pinned = { ...scheme, key: { ...scheme.key, chain: { ...scheme.key.chain, roots } } };
    const request = {
      ...{ method: 'POST', rawQuery: '', headers: {}, sourceIp: '192.0.2.1' },
      body: utf8(JSON.stringify({ signedPayload })),
    };
    const context = { secret: undefined, nowMs: NOW_MS, settings: { bundleId }, crypto: nodeCrypto };
    return { spec: { ...spec, verify: [pinned] }, request, context };
  };

  it('verifies under the root it leads to, and is told by its own id', async () => {
    const { spec, request, context } = verify(testNotification, 'com.example');
    const verdict = await verifyRequest(spec, request, context);
    if (verdict.kind !== 'verified') throw new Error(`${verdict.cause} ${verdict.hint ?? ''}`);
    const options = { crypto: nodeCrypto, settings: { bundleId: 'com.example' }, dedupOnBody: false, verdict };
    expect(identifyRequest(spec, request, options)).toMatchObject({
      ...{ kind: 'event', key: '9ad56bd2-0bc6-42e0-af24-fd996d87a1e6', eventType: 'TEST' },
      eventAtMs: 1_681_314_324_000,
    });
  });

  it.each([
    [
      'the root of production',
      () => verify(testNotification, 'com.example', providerById('app-store').verify[0]?.key?.chain?.roots as string[]),
    ],
    ['another app', () => verify(testNotification, 'com.example.other')],
    ['a changed byte', () => verify([head, `${rest[0]?.slice(0, -1)}A`, rest[1]].join('.'), 'com.example')],
    [
      'the certificate of its signer alone',
      () =>
        verify(
          [
            Buffer.from(JSON.stringify({ x5c: x5c.slice(0, 1), typ: 'JWT', alg: 'ES256' })).toString('base64url'),
            ...rest,
          ].join('.'),
          'com.example',
        ),
    ],
  ])('is refused with %s', async (_what, make) => {
    const { spec, request, context } = make();
    expect((await verifyRequest(spec, request, context)).kind).not.toBe('verified');
  });
});
