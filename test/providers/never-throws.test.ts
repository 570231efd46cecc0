import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { isEventKey } from '#core/glossary.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { schemeId, signatureHeadersOf } from '#core/provider/spec-defaults.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { explainMismatch } from '#core/verification/explain-mismatch.ts';
import { answerHandshake } from '#core/verification/handshake.ts';
import { identifyRequest, splitItems } from '#core/verification/identify-request.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { PROVIDERS } from '#providers/index.ts';
import { anyCharacter } from '#test/kit/samples/any-character.ts';
import { type Genuine, genuineRequest } from './genuine-request.ts';

const RUNS = process.env['HOLDFAST_LONG'] ? 2_000 : 60;

/** Texts that have broken parsers before. */
const nasty = fc.constantFrom(
  '',
  ' ',
  ',',
  ';',
  '=',
  '.',
  '..',
  't=',
  'v1=',
  'v1,',
  '{',
  '}',
  '[',
  '"',
  '\\',
  '\u0000',
  '%',
  '%ff',
  '%u0041',
  '$&',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-1',
  '1e999',
  '9'.repeat(30),
  'a'.repeat(3_000),
  '\ud800',
  'é',
  '🦑',
  '\ufeff',
  '\r\n',
  'Bearer ',
  'Basic ',
  'Basic Og==',
  'eyJhbGciOiJub25lIn0.e30.',
  'sha256=',
  'https://',
  'http://127.0.0.1/',
  '2026-13-45T99:99:99Z',
);
const text = fc.oneof(nasty, fc.string({ maxLength: 40 }), fc.string({ unit: anyCharacter, maxLength: 40 }));
const body = fc.oneof(
  fc.uint8Array({ maxLength: 120 }),
  text.map(utf8),
  fc.json({ maxDepth: 4 }).map(utf8),
  fc
    .array(fc.tuple(text, text), { maxLength: 5 })
    .map(pairs =>
      utf8(
        new URLSearchParams(pairs.map(([a, b]): [string, string] => [a.toWellFormed(), b.toWellFormed()])).toString(),
      ),
    ),
  fc.integer({ min: 60, max: 70 }).map(depth => utf8('['.repeat(depth) + ']'.repeat(depth))),
);

/** A request with the provider's own header names and fields, and nonsense or parts of a genuine one in them. */
function requests(spec: ProviderSpec, genuine: readonly Genuine[]): fc.Arbitrary<RawRequest> {
  const names = [...JSON.stringify(spec).matchAll(/header:([a-z0-9-]+)/g)].map(match => match[1] ?? '');
  const handshakeNames = (spec.handshakes ?? []).flatMap(({ when }) => Object.keys(when.header ?? {}));
  const known = [
    ...new Set([...names, ...handshakeNames, ...signatureHeadersOf(spec), 'authorization', 'content-type']),
  ];
  const values = genuine.flatMap(({ request }) => Object.values(request.headers));
  const value = fc.oneof(text, values.length === 0 ? text : fc.constantFrom(...values));
  const bodies = genuine.map(({ request }) => request.body);
  const cut =
    bodies.length === 0
      ? body
      : fc.tuple(fc.constantFrom(...bodies), fc.nat()).map(([whole, at]) => whole.subarray(0, at % (whole.length + 1)));
  return fc.record({
    method: fc.constantFrom('POST', 'GET', 'HEAD', 'OPTIONS', 'put'),
    rawQuery: fc.oneof(
      text,
      fc.constantFrom(
        'challenge=a',
        'validationToken=%zz',
        'hub.mode=subscribe&hub.verify_token=a&hub.challenge=b',
        'bodySHA256=00',
        'crc_token=%7B',
        'jwt=a.b.c',
      ),
    ),
    headers: fc.dictionary(fc.constantFrom(...known), value, { maxKeys: 8 }),
    body: fc.oneof(body, cut),
    sourceIp: fc.constant('192.0.2.1'),
  });
}

describe.each(Object.values(PROVIDERS).map(spec => [spec.id, spec] as const))('%s', (_id, spec) => {
  const genuine = spec.verify.map(scheme => genuineRequest(spec, scheme));
  const contexts = genuine.map(one => one.context);

  it('answers every request with a verdict and an identity, and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(requests(spec, genuine), fc.nat(), fc.boolean(), async (request, which, paired) => {
        const base = contexts[which % Math.max(contexts.length, 1)] ?? {
          secret: undefined,
          nowMs: 0,
          settings: {},
          crypto: nodeCrypto,
        };
        const context = paired ? base : { ...base, secret: undefined };
        await answerHandshake(spec, request, context, verifyRequest);
        const verdict = await verifyRequest(spec, request, context);
        if (verdict.kind === 'refused') expect(verdict.hint ?? '').toMatch(/^[\w.-]{0,60}$/);
        const verified =
          verdict.kind === 'verified'
            ? verdict
            : ({
                kind: 'verified',
                scheme: spec.verify[0] ? schemeId(spec.verify[0], spec) : 'none',
                strength: 'signed',
                matchedSecret: 'none',
              } as const);
        const options = { crypto: nodeCrypto, settings: context.settings, dedupOnBody: false };
        const identified = identifyRequest(spec, request, { ...options, verdict: verified });
        const items = splitItems(spec, request, options) ?? [];
        const keys = identified.kind === 'nothing' ? [] : [identified.key, ...items.map(item => item.key)];
        for (const key of keys) expect(key === undefined || isEventKey(key)).toBe(true);
        if (which % 10 === 0) await explainMismatch(spec, request, context, { otherSpecs: Object.values(PROVIDERS) });
      }),
      { numRuns: RUNS },
    );
  }, 300_000);
});
