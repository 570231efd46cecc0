/** Small specs and requests for tests of single rules. */
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { utf8 } from '#core/scan/bytes.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { type SignInput, signRequest } from '#core/verification/sign-request.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';
import { type Verdict, verifyRequest } from '#core/verification/verify-request.ts';

export const NOW_MS = 1_790_000_000_000;
export const URL_OF_SOURCE = 'https://hooks.example.com/in/source';

export const HMAC: Scheme = {
  id: 'test',
  alg: 'hmac-sha256',
  sig: { from: 'header:x-signature' },
  encoding: 'hex',
  message: '{body}',
};

/** Time in the header, joined to the body by a dot. */
export const TIMED: Scheme = {
  ...HMAC,
  sig: { from: 'header:x-signature', parse: { item: ',', kv: '=', key: 'v1', single: ['t'] } },
  message: '{ts}.{body}',
  time: { from: 'sig:t', unit: 's', past: 300, future: 300, signed: true },
};

export function specWith(verify: Scheme | readonly Scheme[], more: Partial<ProviderSpec> = {}): ProviderSpec {
  return {
    id: 'test',
    title: 'Test',
    docs: 'https://docs.example.com',
    checkedOn: '2026-11-21',
    strength: 'signed',
    verify: [verify].flat(),
    identity: { key: [['json:id']], type: ['json:type'] },
    ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
    handshakes: [],
    methods: ['POST'],
    signatureHeaders: ['x-signature'],
    retries: 'None.',
    setup: 'Nothing to set up.',
    ...more,
  };
}

export function requestWith(body: string | Uint8Array, more: Partial<Omit<RawRequest, 'body'>> = {}): RawRequest {
  return {
    method: 'POST',
    rawQuery: '',
    headers: {},
    sourceIp: '192.0.2.1',
    ...more,
    body: typeof body === 'string' ? utf8(body) : body,
  };
}

export function contextWith(more: Partial<VerifyContext> = {}): VerifyContext {
  return { secret: { current: 'secret' }, nowMs: NOW_MS, settings: {}, crypto: nodeCrypto, ...more };
}

/** The request as the provider would send it. */
export function signed(
  spec: ProviderSpec,
  body: string | Uint8Array,
  input: Partial<Omit<SignInput, 'body' | 'crypto'>> = {},
): RawRequest {
  const bytes = typeof body === 'string' ? utf8(body) : body;
  const result = signRequest(spec, { secret: 'secret', nowMs: NOW_MS, ...input, body: bytes, crypto: nodeCrypto });
  return requestWith(result.body ?? bytes, {
    headers: result.headers,
    rawQuery: result.rawQuery ?? '',
    method: input.method ?? 'POST',
  });
}

/** `verified`, or the cause of the refusal. */
export async function outcome(
  spec: ProviderSpec,
  request: RawRequest,
  context: Partial<VerifyContext> = {},
): Promise<string> {
  const verdict: Verdict = await verifyRequest(spec, request, contextWith(context));
  return verdict.kind === 'verified' ? 'verified' : verdict.cause;
}
