import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { ackOf, schemeId } from '#core/provider/spec-defaults.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { answerHandshake } from '#core/verification/handshake.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { PROVIDERS } from '#providers/index.ts';
import { type Genuine, genuineRequest, NOW_MS } from './genuine-request.ts';
import { HANDSHAKE_VECTORS, type HandshakeVector, lowerCased } from './vectors.ts';

const SPECS: Readonly<Record<string, string>> = { discord: 'discord-interactions' };

function specOf(vector: HandshakeVector): ProviderSpec {
  const spec = PROVIDERS[SPECS[vector.provider] ?? vector.provider];
  if (!spec) throw new Error(`no provider for ${vector.id}`);
  return spec;
}

function requestOf({ request }: HandshakeVector): RawRequest {
  const json = request.json === undefined ? undefined : JSON.stringify(request.json);
  return {
    method: request.method,
    rawQuery: request.query ?? '',
    headers: lowerCased(request.headers ?? {}),
    body: utf8(json ?? request.body ?? ''),
    sourceIp: '192.0.2.1',
  };
}

/** The settings and secret a source of this provider would have. */
function contextOf(vector: HandshakeVector, spec: ProviderSpec): VerifyContext {
  const settings: Record<string, string> = {};
  if (vector.publicKey !== undefined) settings['publicKey'] = vector.publicKey;
  for (const name of ['verifyToken', 'verificationToken']) {
    if (spec.settings?.[name] !== undefined && vector.secret !== undefined) settings[name] = vector.secret;
  }
  const pairs = spec.handshakes?.some(handshake => handshake.store !== undefined);
  return {
    secret: pairs ? undefined : { current: vector.secret ?? 'secret' },
    nowMs: NOW_MS,
    settings,
    crypto: nodeCrypto,
    publicUrl: vector.request.url ?? 'https://hooks.example.com/in/source',
  };
}

/** Handshakes that are signed: the vector's body under a signature made here. */
function signedOne(
  spec: ProviderSpec,
  request: RawRequest,
  context: VerifyContext,
): { request: RawRequest; context: VerifyContext } {
  const [scheme] = spec.verify;
  if (!scheme) throw new Error('nothing to sign with');
  if (!scheme.alg.startsWith('hmac')) {
    const genuine = genuineRequest(spec, scheme, { body: request.body });
    return { request: genuine.request, context: { ...genuine.context, settings: context.settings } };
  }
  const secret = context.secret?.current ?? '';
  const { headers } = signRequest(spec, {
    body: request.body,
    secret,
    nowMs: NOW_MS,
    headers: request.headers,
    crypto: nodeCrypto,
  });
  return { request: { ...request, headers }, context };
}

describe('the shared handshakes', () => {
  it.each(HANDSHAKE_VECTORS.map(vector => [vector.id, vector] as const))('%s', async (_id, vector) => {
    const spec = specOf(vector);
    const isSigned = spec.handshakes?.some(
      ({ when, verify }) => verify === 'signature' && when.method === vector.request.method,
    );
    const raw = requestOf(vector);
    const bare = contextOf(vector, spec);
    const { request, context } =
      isSigned && bare.secret !== undefined && vector.response.status < 400
        ? signedOne(spec, raw, bare)
        : { request: raw, context: bare };
    const answer = await answerHandshake(spec, request, context, verifyRequest);
    if (answer === undefined) {
      // A handshake with a bad signature is refused as any request is: with the provider's own status and body.
      expect((await verifyRequest(spec, request, context)).kind).toBe('refused');
      expect({ status: ackOf(spec).rejectStatus, text: ackOf(spec).rejectBody }).toEqual({
        status: vector.response.status,
        text: vector.response.text,
      });
      return;
    }
    expect(answer.status).toBe(vector.response.status);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      ...lowerCased(vector.response.headers ?? {}),
    });
    if (vector.response.json !== undefined) expect(JSON.parse(answer.body)).toEqual(vector.response.json);
    if (vector.response.text !== undefined) expect(answer.body).toBe(vector.response.text);
    if (vector.response.contentType !== undefined) {
      expect(answer.headers['content-type']).toContain(vector.response.contentType);
    }
  });
});

/** Challenges of providers without a shared vector, with the answer each asks for. */
const CHALLENGES: Readonly<Record<string, { query?: string; json?: unknown; answer: string }>> = {
  nylas: { query: 'challenge=bc609b38-c81f', answer: 'bc609b38-c81f' },
  onfleet: { query: 'check=5d2f1c', answer: '5d2f1c' },
  oura: { query: 'verification_token=vt&challenge=c-1', answer: '{"challenge":"c-1"}' },
  smartcar: {
    json: { eventId: 'e', eventType: 'VERIFY', data: { challenge: '3a5c8f72-e6d9-4b1a' } },
    answer: `{"challenge":"${createHmac('sha256', 'vt').update('3a5c8f72-e6d9-4b1a').digest('hex')}"}`,
  },
  strava: {
    query: 'hub.mode=subscribe&hub.verify_token=vt&hub.challenge=15f7d1a9',
    answer: '{"hub.challenge":"15f7d1a9"}',
  },
};

it.each(Object.entries(CHALLENGES))('%s has its challenge answered', async (provider, { query, json, answer }) => {
  const method = json === undefined ? 'GET' : 'POST';
  const request: HandshakeVector['request'] = { method, ...(query === undefined ? {} : { query }), json };
  const vector = { id: provider, provider, request, secret: 'vt', response: { status: 200 } };
  const spec = specOf(vector);
  const given = await answerHandshake(spec, requestOf(vector), contextOf(vector, spec), verifyRequest);
  expect(given).toMatchObject({ status: 200, body: answer });
  if (query?.includes('vt')) {
    const wrong = { ...vector, request: { ...request, query: query.replace('=vt', '=other') } };
    const refused = await answerHandshake(spec, requestOf(wrong), contextOf(wrong, spec), verifyRequest);
    expect([401, 403]).toContain(refused?.status);
  }
});

describe('an ordinary event is no handshake', () => {
  const pairs = Object.values(PROVIDERS).flatMap(spec =>
    spec.verify.map(scheme => [`${spec.id} / ${schemeId(scheme, spec)}`, spec, scheme] as const),
  );
  it.each(pairs)('%s', async (_name, spec, scheme) => {
    const genuine: Genuine = genuineRequest(spec, scheme);
    expect(await answerHandshake(spec, genuine.request, genuine.context, verifyRequest)).toBeUndefined();
  });
});

describe('a signed handshake', () => {
  const withSignature = Object.values(PROVIDERS).filter(spec =>
    spec.handshakes?.some(({ verify }) => verify === 'signature'),
  );
  it.each(withSignature.map(spec => [spec.id, spec] as const))(
    'of %s is not answered without its signature',
    async (_id, spec) => {
      for (const handshake of (spec.handshakes ?? []).filter(({ verify }) => verify === 'signature')) {
        const { method, query = {}, header = {}, jsonEquals = {}, emptyJsonArrayAt } = handshake.when;
        const json: Record<string, unknown> = {};
        for (const [path, value] of Object.entries(jsonEquals))
          setAt(json, path.split('.'), value === '*' ? 'text' : value);
        if (emptyJsonArrayAt !== undefined) setAt(json, emptyJsonArrayAt.split('.'), []);
        const filled = (wanted: Readonly<Record<string, string>>) =>
          Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, value === '*' ? 'text' : value]));
        const request: RawRequest = {
          method,
          rawQuery: new URLSearchParams(filled(query)).toString(),
          headers: filled(header),
          body: utf8(JSON.stringify(json)),
          sourceIp: '192.0.2.1',
        };
        const context = { secret: { current: 'secret' }, nowMs: NOW_MS, settings: {}, crypto: nodeCrypto };
        expect(await answerHandshake(spec, request, context, verifyRequest)).toBeUndefined();
      }
    },
  );
});

function setAt(target: Record<string, unknown>, [step = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) target[step] = value;
  else {
    target[step] ??= {};
    setAt(target[step] as Record<string, unknown>, rest, value);
  }
}

describe('no answer can be used as the signature of an event', () => {
  const makers = Object.values(PROVIDERS).filter(spec =>
    spec.handshakes?.some(({ respond }) => respond.body?.includes('{hmac(')),
  );
  it.each(makers.map(spec => [spec.id, spec] as const))('of %s', async (_id, spec) => {
    const handshake = spec.handshakes?.find(({ respond }) => respond.body?.includes('{hmac('));
    const src = handshake?.guard?.src ?? '';
    const secret = { current: 'secret' };
    const settings = { publicKey: 'public' };
    const context: VerifyContext = { secret, nowMs: NOW_MS, settings, crypto: nodeCrypto };
    for (const text of ['{"id":1}', `v0:${NOW_MS / 1_000}:{"id":1}`, 'a&b', 'PG5vdGlmaWNhdGlvbj4=\n', ' ']) {
      const name = src.slice(src.indexOf(':') + 1);
      const asQuery = src.startsWith('query:');
      const json: Record<string, unknown> = {};
      for (const [path, value] of Object.entries(handshake?.when.jsonEquals ?? {})) setAt(json, path.split('.'), value);
      setAt(json, name.split('.'), text);
      const raw: RawRequest = {
        method: handshake?.when.method ?? 'GET',
        rawQuery: asQuery ? `${name}=${encodeURIComponent(text)}` : '',
        headers: {},
        body: utf8(asQuery ? '' : JSON.stringify(json)),
        sourceIp: '192.0.2.1',
      };
      const request = handshake?.verify === 'signature' ? signedOne(spec, raw, context).request : raw;
      const answer = await answerHandshake(spec, request, context, verifyRequest);
      expect([text, answer?.status]).toEqual([text, handshake?.respond.elseStatus ?? 403]);
      expect(answer?.body).toBe('');
    }
  });
});
