/** Makes a genuine request of any provider and scheme, with throw-away keys, and its variations. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign as signWith } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { Jwk } from '#core/ports.ts';
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { toHex } from '#core/scan/bytes.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';

export const NOW_MS = 1_790_000_000_000;
const URL_OF_SOURCE = 'https://hooks.example.com/webhooks/source-1';

const ed25519 = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const p256 = [1, 2].map(() => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }));
const rsa = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2_048 }));

/** A chain like Apple's, whose root takes the place of the pinned one. */
const chain = JSON.parse(
  readFileSync(new URL('../fixtures/certificate-chain.json', import.meta.url), 'utf8'),
) as Readonly<Record<'root' | 'rootSha256' | 'issuer' | 'leaf' | 'leafKey', string>>;

export interface Genuine {
  readonly spec: ProviderSpec;
  readonly scheme: Scheme;
  readonly request: RawRequest;
  readonly context: VerifyContext;
}

export interface Variation {
  readonly body?: Uint8Array;
  readonly signedAtMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly rawQuery?: string;
  /** Where it is sent, for schemes that sign it. */
  readonly url?: string;
  /** Signed with another key than the context has. */
  readonly wrongKey?: boolean;
}

/** A spec reduced to one of its schemes, so that a test says which one answered. */
function onlyScheme(spec: ProviderSpec, scheme: Scheme): ProviderSpec {
  const { key } = scheme;
  if (key?.chain === undefined) return { ...spec, verify: [scheme] };
  const pinned = { ...key, chain: { ...key.chain, roots: [chain.rootSha256] } };
  return { ...spec, verify: [{ ...scheme, key: pinned }] };
}

export function genuineRequest(whole: ProviderSpec, scheme: Scheme, variation: Variation = {}): Genuine {
  const spec = onlyScheme(whole, scheme);
  const { url = URL_OF_SOURCE } = variation;
  const settings = settingsOf(spec);
  const keys = keysOf(scheme);
  const body = variation.body ?? bodyOf(spec, scheme);
  const { method = 'POST', rawQuery = '' } = variation;
  const headers = { 'content-type': 'application/json', ...certificateHeader(scheme), ...variation.headers };
  const signed = signRequest(spec, {
    body,
    secret: variation.wrongKey ? keys.otherSecret : keys.secret,
    nowMs: variation.signedAtMs ?? NOW_MS,
    publicUrl: url,
    settings,
    headers,
    method,
    rawQuery,
    crypto: nodeCrypto,
    keyId: 'k1',
    ...(scheme.key?.provider === 'x5c' ? { chain: [chain.leaf, chain.issuer, chain.root] } : {}),
    sign: (message, algorithm) => keys.sign(message, algorithm, variation.wrongKey ? 1 : 0),
  });
  return {
    spec,
    scheme,
    request: {
      method,
      rawQuery: signed.rawQuery ?? '',
      headers: signed.headers,
      body: signed.body ?? body,
      sourceIp: '192.0.2.1',
    },
    context: {
      secret: { current: keys.secret },
      nowMs: NOW_MS,
      publicUrl: url,
      settings,
      crypto: nodeCrypto,
      keys: { fetchKey: () => Promise.resolve(keys.published) },
    },
  };
}

function settingsOf(spec: ProviderSpec): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const name of Object.keys(spec.settings ?? {})) settings[name] = `${name}-value`;
  if (spec.settings?.['environment']) settings['environment'] = 'sandbox';
  if (spec.settings?.['baseUrl']) settings['baseUrl'] = 'https://hooks.example.com/webhooks';
  return settings;
}

function certificateHeader({ key }: Scheme): Record<string, string> {
  if (key?.provider !== 'x509Url' || key.from === undefined) return {};
  const path = /\{header:([^}]+)\}/.exec(key.from)?.[1];
  if (path !== undefined) return { [path]: '/prod/keys/pub-key-1.pem' };
  return { [key.from.slice('header:'.length)]: 'https://api.paypal.com/v1/notifications/certs/CERT-1-2-3' };
}

interface Keys {
  readonly secret: string;
  readonly otherSecret: string;
  readonly published: Jwk | undefined;
  readonly sign: (message: Uint8Array, algorithm: string, which: 0 | 1) => Uint8Array;
}

function keysOf(scheme: Scheme): Keys {
  const algorithm = scheme.jwtAlg ?? scheme.alg;
  const pair = { ed25519, 'ecdsa-p256-sha256': p256, ES256: p256 }[algorithm as string] ?? rsa;
  const [first] = pair;
  const isPrivate = ['ed25519', 'ecdsa-p256-sha256', 'ES256', 'RS256', 'rsa-sha256', 'rsa-sha1'].includes(algorithm);
  const secret = isPrivate && first ? publicText(scheme, first.publicKey) : sharedSecret(scheme, 1);
  return {
    secret: scheme.key?.provider === 'plaid' ? 'api-secret' : secret,
    otherSecret: sharedSecret(scheme, 2),
    published: first?.publicKey.export({ format: 'jwk' }) as Jwk | undefined,
    sign: (message, name, which) =>
      signPrivately(
        message,
        name,
        scheme.key?.provider === 'x5c' && which === 0
          ? createPrivateKey(chain.leafKey)
          : (pair[which] ?? pair[0])!.privateKey,
      ),
  };
}

function signPrivately(message: Uint8Array, algorithm: string, key: KeyObject): Uint8Array {
  if (algorithm === 'ed25519') return signWith(null, message, key);
  if (algorithm === 'ES256') return signWith('sha256', message, { key, dsaEncoding: 'ieee-p1363' });
  return signWith(algorithm === 'rsa-sha1' ? 'sha1' : 'sha256', message, key);
}

function sharedSecret({ alg, key }: Scheme, seed: number): string {
  if (alg === 'basic') return `user:pass:word-${seed}`;
  const bytes = nodeCrypto.hash('sha256', new Uint8Array([seed]));
  if (key?.encoding === 'hex') return toHex(bytes);
  const prefix = key?.strip?.at(-1) ?? '';
  return key?.encoding === 'base64'
    ? `${prefix}${Buffer.from(bytes).toString('base64')}`
    : `shared-secret-of-the-source-${seed}`;
}

function publicText({ alg, key }: Scheme, publicKey: KeyObject): string {
  if (alg === 'ed25519') {
    const raw = Buffer.from((publicKey.export({ format: 'jwk' }) as { x: string }).x, 'base64url');
    return key?.encoding === 'hex' ? raw.toString('hex') : `${key?.strip?.at(-1) ?? ''}${raw.toString('base64')}`;
  }
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
}

/** True where signature, time or items stand in the body, so that the body must be JSON. */
export function needsJson({ sig, time, batch, code, claims, alg }: Scheme): boolean {
  if (claims !== undefined && alg !== 'jwt') return true;
  const sources = [sig.from, time?.from ?? ''].flat();
  return code === 'sns' || batch !== undefined || sources.some(src => src.startsWith('json:'));
}

export function needsForm({ sig, message }: Scheme): boolean {
  return [sig.from].flat().some(src => src.startsWith('form:')) || message?.includes('formSorted') === true;
}

function bodyOf(spec: ProviderSpec, scheme: Scheme): Uint8Array {
  const { document } = spec.identity;
  if (document?.asBody && document.from.startsWith('form:')) {
    const events = [1, 2].map(n => ({ _id: `evt_${n}`, event: 'thing.done', ts: 1_790_000_000 }));
    return Buffer.from(`${document.from.slice('form:'.length)}=${encodeURIComponent(JSON.stringify(events))}`);
  }
  if (needsForm(scheme)) return Buffer.from('id=tr_1&status=paid&note=a%20b%2B');
  const event = { id: 'evt_1', type: 'thing.done', created: 1_790_000_000, note: 'Zoë $& 12345678901234567890' };
  const { items } = spec.identity;
  const path = items === undefined ? undefined : [items].flat()[0];
  return Buffer.from(JSON.stringify(path === undefined ? event : nest(path.split('.'), event)));
}

function nest([step = '', ...rest]: readonly string[], event: Record<string, unknown>): unknown {
  const name = step.replace('[]', '');
  const inner = rest.length === 0 ? event : nest(rest, event);
  const value = step.endsWith('[]') ? [inner, rest.length === 0 ? { ...event, id: 'evt_2' } : inner] : inner;
  return name === '' ? value : { [name === '*' ? 'some_events' : name]: value };
}
