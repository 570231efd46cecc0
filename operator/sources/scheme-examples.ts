/** One entry of `verify` for each way a provider signs, to begin from: what `sources new` writes and the guide shows. */
import type { Scheme, SchemeAlgorithm } from '#core/provider/provider-spec.ts';

interface SchemeExample {
  /** What a request has that is signed so. */
  readonly has: string;
  readonly entry: Omit<Scheme, 'id' | 'alg'>;
}

const HEADER = 'header:x-acme-signature' as const;
const TIME = { from: 'header:x-acme-timestamp', unit: 's', past: 300, future: 300, signed: true } as const;
const AUTHORIZATION = 'header:authorization' as const;
const BEARER = { from: AUTHORIZATION, parse: { prefix: 'Bearer ' } } as const;
const hmac = {
  sig: { from: HEADER, parse: { prefix: 'sha256=' } },
  encoding: 'hex',
  message: '{ts}.{body}',
  time: TIME,
} as const;
const byPrivateKey = { sig: { from: HEADER }, encoding: 'base64', message: '{ts}{body}', time: TIME } as const;

/** Total by type: a way to sign without an example does not compile. */
export const SCHEME_EXAMPLES: Readonly<Record<SchemeAlgorithm, SchemeExample>> = {
  'hmac-sha256': { has: 'an HMAC of `message`', entry: hmac },
  'hmac-sha1': { has: 'the same with SHA-1', entry: { sig: { from: HEADER }, encoding: 'base64', message: '{body}' } },
  'hmac-sha512': { has: 'the same with SHA-512', entry: { sig: { from: HEADER }, encoding: 'hex', message: '{body}' } },
  'digest-sha256': {
    has: 'a plain SHA-256 of `message`, which has the secret in it',
    entry: { sig: { from: HEADER }, encoding: 'hex', message: '{secret}{body}' },
  },
  token: { has: 'the secret itself, such as a bearer token', entry: { sig: BEARER } },
  basic: { has: 'user and password; the secret is `user:password`', entry: { sig: { from: AUTHORIZATION } } },
  ed25519: {
    has: 'a signature by a private key; the secret is the public key',
    entry: { ...byPrivateKey, encoding: 'hex', key: { encoding: 'hex' } },
  },
  'ecdsa-p256-sha256': { has: 'the same by ECDSA', entry: byPrivateKey },
  'rsa-sha256': { has: 'the same by RSA', entry: byPrivateKey },
  'rsa-sha1': {
    has: 'the same by RSA with SHA-1',
    entry: { sig: { from: HEADER }, encoding: 'base64', message: '{body}' },
  },
  jwt: {
    has: 'a signed token with claims; by a public key: `providers/app-store.ts`, `providers/pubsub.ts`',
    entry: { jwtAlg: 'HS256', sig: BEARER, claims: { iss: 'acme' } },
  },
};
