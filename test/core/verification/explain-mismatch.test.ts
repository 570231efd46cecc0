import { describe, expect, it } from 'vitest';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { type ExplainOptions, explainMismatch } from '#core/verification/explain-mismatch.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';
import { contextWith, HMAC, NOW_MS, requestWith, signed, specWith, TIMED, URL_OF_SOURCE } from './test-spec.ts';

const SPEC = specWith(TIMED);
const BODY = '{"a":"Zo\u00eb/1","b":[1,2]}';

async function explain(
  body: string,
  signedBody: string,
  context: Partial<VerifyContext> = {},
  options: ExplainOptions = {},
) {
  const request = { ...signed(SPEC, signedBody), body: utf8(body) };
  return (await explainMismatch(SPEC, request, contextWith(context), options)).map(({ id }) => id);
}

describe('a mismatch is explained', () => {
  it.each([
    ['newline_trimmed', BODY, `${BODY}\n`],
    ['newline_trimmed', BODY, `${BODY}\r\n`],
    ['newline_added', `${BODY}\n`, BODY],
    ['newline_added', `${BODY}\r\n`, BODY],
    ['bom', BODY, `\ufeff${BODY}`],
    ['bom', `\ufeff${BODY}`, BODY],
    ['line_ends_changed', 'a\nb\nc', 'a\r\nb\r\nc'],
    ['line_ends_changed', 'a\r\nb', 'a\nb'],
    ['json_reserialised', '{ "a": "x/y" }', '{"a":"x/y"}'],
    ['json_reserialised', '{"a":"x/y"}', '{"a":"x\\/y"}'],
    ['json_reserialised', '{"a":"\u00eb"}', '{"a":"\\u00eb"}'],
    ['json_reserialised', '{"a":1,"b":[1,2]}', '{"a": 1, "b": [1, 2]}'],
    ['json_reserialised', '{"a":1}', '{\n  "a": 1\n}'],
  ] as const)('%s', async (id, received, sent) => {
    expect(await explain(received, sent)).toContain(id);
  });

  it("by another source's secret, by name and without its text", async () => {
    const options = {
      otherSecrets: [
        { name: 'stripe-test', secret: 'secret' },
        { name: 'github', secret: 'x' },
      ],
    };
    const found = await explainMismatch(
      SPEC,
      signed(SPEC, BODY),
      contextWith({ secret: { current: 'live-secret' } }),
      options,
    );
    expect(found).toEqual([{ id: 'other_secret', text: 'The request was signed with the secret of stripe-test' }]);
  });

  it('by a previous secret whose time is over, and by white space', async () => {
    const expired = { current: 'new', previous: 'secret', previousNotAfter: NOW_MS - 1 };
    expect(await explain(BODY, BODY, { secret: expired })).toEqual(['expired_secret']);
    expect(await explain(BODY, BODY, { secret: { current: 'secret\n' } })).toEqual(['secret_white_space']);
  });

  it('by a secret in another encoding', async () => {
    const decoding: Scheme = { ...HMAC, key: { encoding: 'base64', strip: ['whsec_'] } };
    const request = signed(specWith(HMAC), BODY, { secret: 'whsec_c2VjcmV0' });
    const found = await explainMismatch(
      specWith(decoding),
      request,
      contextWith({ secret: { current: 'whsec_c2VjcmV0' } }),
    );
    expect(found.map(({ id }) => id)).toEqual(['secret_encoding']);
  });

  it('by another spelling of the URL', async () => {
    const spec = specWith({ ...HMAC, message: '{url}{body}', url: { base: 'configured' } });
    const request = signed(spec, BODY, { publicUrl: `${URL_OF_SOURCE}/` });
    const found = await explainMismatch(spec, request, contextWith({ publicUrl: URL_OF_SOURCE }));
    expect(found).toMatchObject([{ id: 'other_url', text: expect.stringContaining(`${URL_OF_SOURCE}/`) }]);
  });

  it('by the clock, with the distance', async () => {
    const late = await explainMismatch(SPEC, signed(SPEC, BODY, { nowMs: NOW_MS - 4_000_000 }), contextWith());
    expect(late).toMatchObject([{ id: 'clock', text: expect.stringContaining('4000 s old') }]);
    const early = await explainMismatch(SPEC, signed(SPEC, BODY, { nowMs: NOW_MS + 400_000 }), contextWith());
    expect(early).toMatchObject([{ id: 'clock', text: expect.stringContaining('400 s in the future') }]);
  });

  it('by headers of another provider, or of none we know', async () => {
    const other = specWith(HMAC, { id: 'other', signatureHeaders: ['x-other-signature'] });
    const request = requestWith(BODY, { headers: { 'x-other-signature': 'a', 'content-type': 'x' } });
    expect(await explainMismatch(SPEC, request, contextWith(), { otherSpecs: [other, SPEC] })).toMatchObject([
      { id: 'other_provider' },
    ]);
    expect(await explainMismatch(SPEC, request, contextWith())).toMatchObject([{ id: 'other_header' }]);
    expect(await explainMismatch(SPEC, requestWith(BODY), contextWith())).toEqual([]);
  });
});

describe('nothing is claimed', () => {
  it('about a request that verifies, or that nothing explains', async () => {
    expect(await explain(BODY, BODY)).toEqual([]);
    expect(await explain(BODY, 'something else')).toEqual([]);
    expect(await explain('\u0000', 'x')).toEqual([]);
  });
});
