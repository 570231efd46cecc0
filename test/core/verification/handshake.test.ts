import { describe, expect, it } from 'vitest';
import type { Handshake } from '#core/provider/provider-spec.ts';
import { answerHandshake } from '#core/verification/handshake.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { contextWith, HMAC, requestWith, signed, specWith } from './test-spec.ts';

const answer = (handshake: Handshake, request: RawRequest, context: Partial<VerifyContext> = {}) =>
  answerHandshake(
    specWith(HMAC, { handshakes: [handshake], methods: ['POST', 'GET'] }),
    request,
    contextWith(context),
    verifyRequest,
  );

const get = (rawQuery: string, headers: Record<string, string> = {}) =>
  requestWith('', { method: 'GET', rawQuery, headers });

describe('echoed text', () => {
  const echo: Handshake = {
    when: { method: 'GET', query: { challenge: '*' } },
    verify: 'none',
    respond: { status: 200, contentType: 'text/plain', body: '{echo(query:challenge)}' },
  };

  it('is decoded once, and sent with headers that keep a browser from running it', async () => {
    const text = '<script>alert(1)</script>';
    expect(await answer(echo, get(`challenge=${encodeURIComponent(text)}`))).toEqual({
      status: 200,
      headers: {
        'content-type': 'text/plain',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
      },
      body: text,
    });
    expect(await answer(echo, get('challenge=%2541'))).toMatchObject({ body: '%41' });
  });

  it('is never a template', async () => {
    const text = '{hmac(sha256,hex,query:challenge)}{echo(config:secret)}$&';
    expect(await answer(echo, get(`challenge=${encodeURIComponent(text)}`))).toMatchObject({ body: text });
  });

  it('is refused when it is missing, too long, given twice or not UTF-8', async () => {
    expect(await answer(echo, get(''))).toBeUndefined();
    expect(await answer(echo, get('challenge=a&challenge=b'))).toBeUndefined();
    expect(await answer(echo, get('challenge=%ff'))).toBeUndefined();
    expect(await answer(echo, get(`challenge=${'a'.repeat(5_000)}`))).toMatchObject({ status: 403, body: '' });
  });

  it('belongs to its method', async () => {
    expect(await answer(echo, { ...get('challenge=a'), method: 'POST' })).toBeUndefined();
  });

  it('is a JSON string where it stands in JSON', async () => {
    const json: Handshake = { ...echo, respond: { status: 200, body: '{"challenge":{json(query:challenge)}}' } };
    const reply = await answer(json, get(`challenge=${encodeURIComponent('a"b\\c')}`));
    expect(JSON.parse(reply?.body ?? '')).toEqual({ challenge: 'a"b\\c' });
  });

  it('cannot break out of a header', async () => {
    const header: Handshake = {
      when: { method: 'GET', query: { origin: '*' } },
      verify: 'none',
      respond: { status: 200, headers: { 'WebHook-Allowed-Origin': '{echo(query:origin)}' } },
    };
    expect(await answer(header, get('origin=a.example.com'))).toMatchObject({
      headers: { 'webhook-allowed-origin': 'a.example.com' },
    });
    expect(await answer(header, get('origin=a%0d%0aSet-Cookie:x'))).toMatchObject({ status: 403, body: '' });
  });
});

describe('a token in the query', () => {
  const subscribe: Handshake = {
    when: { method: 'GET', query: { mode: 'subscribe', token: '*', challenge: '*' } },
    verify: { tokenEquals: 'query:token', token: 'config:verifyToken' },
    respond: { status: 200, body: '{echo(query:challenge)}' },
  };
  const settings = { verifyToken: 'vt' };

  it('must equal the setting, which must be there', async () => {
    expect(await answer(subscribe, get('mode=subscribe&token=vt&challenge=1'), { settings })).toMatchObject({
      status: 200,
      body: '1',
    });
    expect(await answer(subscribe, get('mode=subscribe&token=no&challenge=1'), { settings })).toMatchObject({
      status: 403,
      body: '',
    });
    expect(
      await answer(subscribe, get('mode=subscribe&token=&challenge=1'), { settings: { verifyToken: '' } }),
    ).toMatchObject({ status: 403 });
    expect(await answer(subscribe, get('mode=subscribe&token=vt&challenge=1'))).toMatchObject({ status: 403 });
    expect(await answer(subscribe, get('mode=other&token=vt&challenge=1'), { settings })).toBeUndefined();
  });
});

describe('signing a challenge', () => {
  const crc: Handshake = {
    when: { method: 'GET', query: { crc: '*' } },
    verify: 'none',
    guard: { src: 'query:crc', accept: '[a-z0-9]{1,64}' },
    respond: { status: 200, body: '{hmac(sha256,hex,query:crc)}', elseStatus: 400 },
  };

  it('happens only for text that fits the guard as a whole, and with a secret', async () => {
    expect((await answer(crc, get('crc=abc')))?.body).toMatch(/^[0-9a-f]{64}$/);
    for (const text of ['{"id":1}', 'abc\n', 'abc{', '', 'A']) {
      expect(await answer(crc, get(`crc=${encodeURIComponent(text)}`))).toMatchObject({ status: 400, body: '' });
    }
    expect(await answer(crc, get('crc=abc'), { secret: undefined })).toMatchObject({ status: 400, body: '' });
  });

  it('never takes long text, even where the guard would', async () => {
    const wide = { ...crc, guard: { src: 'query:crc', accept: '[a-z]*' } } as const;
    expect(await answer(wide, get(`crc=${'a'.repeat(300)}`))).toMatchObject({ status: 400 });
  });
});

describe('a secret that is brought', () => {
  const hook: Handshake = {
    when: { method: 'POST', header: { 'x-hook-secret': '*' } },
    verify: 'none',
    respond: { status: 200, headers: { 'X-Hook-Secret': '{echo(header:x-hook-secret)}' } },
    store: { kind: 'pairing-secret', from: 'header:x-hook-secret' },
  };
  const bringing = (secret: string) => requestWith('{}', { headers: { 'x-hook-secret': secret } });

  it('is handed over while the source has none', async () => {
    expect(await answer(hook, bringing('0123456789'), { secret: undefined })).toMatchObject({
      status: 200,
      headers: { 'x-hook-secret': '0123456789' },
      storeSecret: '0123456789',
    });
  });

  it('never replaces one: the request is then an unsigned event', async () => {
    expect(await answer(hook, bringing('0123456789'))).toBeUndefined();
  });

  it('must be printable and of some length', async () => {
    for (const secret of ['short', 'with space here', 'ä'.repeat(20), 'x'.repeat(600)]) {
      const reply = await answer(hook, bringing(secret), { secret: undefined });
      expect(reply).toMatchObject({ status: 403 });
      expect(reply).not.toHaveProperty('storeSecret');
    }
  });
});

describe('conditions on the body', () => {
  const ok = { status: 200, body: 'ok' };
  const on = (when: Handshake['when'], body: string) =>
    answer({ when, verify: 'none', respond: ok }, requestWith(body));

  it('are exact', async () => {
    const exactly = { method: 'POST', jsonKeysExactly: ['challenge'] } as const;
    expect(await on(exactly, '{"challenge":"a"}')).toMatchObject(ok);
    expect(await on(exactly, '{"challenge":"a","event":{}}')).toBeUndefined();
    expect(await on(exactly, '{"challenge":"a","challenge":"b"}')).toBeUndefined();
    const ping = { method: 'POST', jsonEquals: { type: 1 }, jsonMissing: ['event'] } as const;
    expect(await on(ping, '{"type":1}')).toMatchObject(ok);
    expect(await on(ping, '{"type":1,"event":null}')).toBeUndefined();
    expect(await on(ping, '{"type":2}')).toBeUndefined();
    const empty = { method: 'POST', emptyJsonArrayAt: 'events' } as const;
    expect(await on(empty, '{"events":[]}')).toMatchObject(ok);
    for (const body of ['{"events":[1]}', '{"events":{}}', '{}', 'junk']) expect(await on(empty, body)).toBeUndefined();
    const form = { method: 'POST', formKeysExactly: ['webhook_id'] } as const;
    expect(await on(form, 'webhook_id=7')).toMatchObject(ok);
    expect(await on(form, 'webhook_id=7&x=1')).toBeUndefined();
  });

  it('are not looked for in large bodies', async () => {
    const when = { method: 'POST', jsonEquals: { type: 'x' } } as const;
    expect(await on(when, JSON.stringify({ type: 'x', pad: 'a'.repeat(20_000) }))).toBeUndefined();
  });
});

describe('a signed handshake', () => {
  const verification: Handshake = {
    when: { method: 'POST', jsonEquals: { type: 'url_verification' } },
    verify: 'signature',
    respond: { status: 200, body: '{echo(json:challenge)}' },
  };
  const body = '{"type":"url_verification","challenge":"abc"}';

  it('is answered only under a good signature', async () => {
    const spec = specWith(HMAC, { handshakes: [verification] });
    expect(await answer(verification, signed(spec, body))).toMatchObject({ status: 200, body: 'abc' });
    expect(await answer(verification, signed(spec, body, { secret: 'other' }))).toBeUndefined();
    expect(await answer(verification, requestWith(body))).toBeUndefined();
    expect(await answer(verification, signed(spec, body), { secret: undefined })).toBeUndefined();
  });

  it('that is to be confirmed leads to pinned hosts over plain https only', async () => {
    const confirm: Handshake = {
      ...verification,
      respond: { status: 200, body: '' },
      confirm: { url: 'json:url', hosts: 'sns\\.[a-z0-9-]+\\.amazonaws\\.com' },
    };
    const spec = specWith(HMAC, { handshakes: [confirm] });
    const at = (url: string) => answer(confirm, signed(spec, JSON.stringify({ type: 'url_verification', url })));
    const good = 'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=t';
    expect(await at(good)).toMatchObject({ status: 200, confirmUrl: good });
    for (const url of [
      'http://sns.us-east-1.amazonaws.com/',
      'https://evil.example.com/',
      'https://sns.us-east-1.amazonaws.com.evil.example.com/',
      'https://sns.us-east-1.amazonaws.com@evil.example.com/',
      'https://evil.example.com/?sns.us-east-1.amazonaws.com/',
      'https://user:p@sns.us-east-1.amazonaws.com/',
      'https://sns.us-east-1.amazonaws.com:8443/',
      'https://sns.us-east-1.amazonaws.com/\n',
      'https://169.254.169.254/',
    ]) {
      const reply = await at(url);
      expect([url, reply?.status, reply?.confirmUrl]).toEqual([url, 403, undefined]);
    }
  });
});
