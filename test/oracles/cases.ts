/** Genuine, damaged and forged requests for one SDK and our engine alike. */
import { sign as signWith } from 'node:crypto';
import { nodeCrypto } from '../../adapters/crypto/node-crypto.ts';
import type { ProviderSpec, Scheme } from '../../core/provider/provider-spec.ts';
import { encode } from '../../core/scan/bytes.ts';
import { computeMac, isSymmetric } from '../../core/verification/check-signature.ts';
import { buildMessage } from '../../core/verification/message.ts';
import type { RawRequest } from '../../core/verification/raw-request.ts';
import { readSignatures } from '../../core/verification/read-signatures.ts';
import { NO_SCOPE, RequestReader } from '../../core/verification/request-reader.ts';
import { secretKey } from '../../core/verification/secret-keys.ts';
import { signRequest } from '../../core/verification/sign-request.ts';
import { type Oracle, PUBLIC_URL } from './oracle.ts';

export interface Case {
  readonly name: string;
  readonly request: RawRequest;
}

const MINUTE = 60_000;
const DAY = 86_400_000;
const EVENT = '{"id":"evt_1","type":"thing.done","created":1790000000,"data":{"object":{"id":"obj_1","note":"ok"}}}';

/** Bodies that break what is not careful with bytes. */
const BODIES: Readonly<Record<string, Uint8Array>> = {
  'body of other letters and emoji': Buffer.from('{"note":"Zoë — 日本 🎉 \\u00e9"}'),
  "body with $& $` $' and $1": Buffer.from('{"note":"$& $` $\' $1 $$"}'),
  'body with a number beyond 2^53': Buffer.from('{"id":12345678901234567890,"price":1.10}'),
  'body with CRLF and white space at its end': Buffer.from('{"a": 1}\r\n \n'),
  'body with escaped slashes': Buffer.from('{"url":"https:\\/\\/example.com\\/"}'),
  'body that starts with a BOM': Buffer.from('\ufeff{"a":1}'),
  'body that is not UTF-8': Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x80, 0x22, 0x7d]),
  'body that is not JSON': Buffer.from('hello, this is text'),
  'body that is empty': Buffer.alloc(0),
  'body of one megabyte': Buffer.from(`{"note":"${'x'.repeat(1_000_000)}"}`),
};

export function genuineRequest(
  spec: ProviderSpec,
  oracle: Oracle,
  change: { body?: Uint8Array | string; nowMs?: number; forged?: boolean } = {},
): RawRequest {
  const body = Buffer.from(change.body ?? oracle.body ?? EVENT);
  const [ours, theirs] = oracle.privateKeys ?? [];
  const key = change.forged ? theirs : ours;
  const signed = signRequest(spec, {
    body,
    secret: change.forged ? oracle.otherSecret : oracle.secret,
    nowMs: change.nowMs ?? Date.now(),
    publicUrl: PUBLIC_URL,
    settings: oracle.settings ?? {},
    headers: { 'content-type': 'application/json', ...oracle.headers },
    crypto: nodeCrypto,
    keyId: 'k1',
    ...(oracle.query === undefined ? {} : { rawQuery: oracle.query }),
    ...(key === undefined
      ? {}
      : {
          sign: (message: Uint8Array, algorithm: string) => {
            if (algorithm === 'ed25519') return signWith(null, message, key);
            if (algorithm === 'ES256') return signWith('sha256', message, { key, dsaEncoding: 'ieee-p1363' });
            // A DER signature of ECDSA has 70 to 72 bytes. How an SDK reads two of them in one header depends on the
            // padding of the first: always one with padding, so that each run asks the same.
            for (;;) {
              const signature = signWith('sha256', message, key);
              if (algorithm !== 'ecdsa-p256-sha256' || signature.length % 3 !== 0) return signature;
            }
          },
        }),
  });
  return {
    method: 'POST',
    rawQuery: signed.rawQuery ?? '',
    headers: signed.headers,
    body: signed.body ?? body,
    sourceIp: '192.0.2.1',
  };
}

/** Every case that makes sense for the oracle's scheme. `spec` has that scheme only. */
export async function makeCases(spec: ProviderSpec, scheme: Scheme, oracle: Oracle): Promise<Case[]> {
  const cases: Case[] = [];
  const add = (name: string, request: RawRequest | undefined): void => {
    if (request) cases.push({ name, request });
  };
  const genuine = genuineRequest(spec, oracle);
  add('genuine', genuine);
  add('signed with another secret', genuineRequest(spec, oracle, { forged: true }));
  if (oracle.sign) {
    const body = oracle.body ?? EVENT;
    const headers = { 'content-type': 'application/json', ...(await oracle.sign(body, Date.now())) };
    add('genuine, signed by the SDK', { ...genuine, headers, body: Buffer.from(body) });
  }
  for (const [name, request] of Object.entries(bodyCases(genuine, scheme))) add(name, request);
  for (const [name, request] of Object.entries(signatureCases(genuine, scheme))) add(name, request);
  if (scheme.time || scheme.alg === 'jwt') {
    for (const [name, offset] of [
      ['half a minute old', -MINUTE / 2],
      ['one day old', -DAY],
      ['one day ahead', DAY],
    ] as const) {
      add(name, genuineRequest(spec, oracle, { nowMs: Date.now() + offset }));
    }
  }
  for (const [name, request] of Object.entries(timeCases(genuine, scheme, oracle))) add(name, request);
  if (oracle.anyBody !== false) {
    for (const [name, body] of Object.entries(BODIES)) add(name, genuineRequest(spec, oracle, { body }));
  }
  const more = oracle.extra?.(body => genuineRequest(spec, oracle, body === undefined ? {} : { body })) ?? {};
  for (const [name, request] of Object.entries(more)) add(name, request);
  return cases;
}

function bodyCases(genuine: RawRequest, { message = '', bind }: Scheme): Readonly<Record<string, RawRequest>> {
  if (!message.includes('{body}') && !bind) return {};
  const whole = Buffer.from(genuine.body).toString();
  const flipped = Uint8Array.from(genuine.body);
  const at = Math.floor(flipped.length / 2);
  flipped[at] = (flipped[at] ?? 0) ^ 1;
  return {
    'body with one bit changed': { ...genuine, body: flipped },
    'body with a line break added': { ...genuine, body: Buffer.from(`${whole}\n`) },
    'body taken away': { ...genuine, body: Buffer.alloc(0) },
    ...(whole.startsWith('{')
      ? {
          'body parsed and written again': {
            ...genuine,
            body: Buffer.from(JSON.stringify(JSON.parse(whole), null, 1)),
          },
        }
      : {}),
  };
}

function signatureHeader({ sig }: Scheme): string | undefined {
  const [from = ''] = [sig.from].flat();
  return from.startsWith('header:') && sig.headerPattern === undefined ? from.slice('header:'.length) : undefined;
}

/** The text of the signature itself within its header. */
function signatureText(request: RawRequest, scheme: Scheme): string {
  const found = readSignatures(scheme, new RequestReader(request, { settings: {} }), NO_SCOPE);
  return found.kind === 'signatures' ? (found.values[0] ?? '') : '';
}

function withHeader(request: RawRequest, name: string, value: string | undefined): RawRequest {
  const { [name]: _, ...others } = request.headers;
  return { ...request, headers: value === undefined ? others : { ...others, [name]: value } };
}

function signatureCases(genuine: RawRequest, scheme: Scheme): Readonly<Record<string, RawRequest>> {
  const name = signatureHeader(scheme);
  if (name === undefined) return {};
  const whole = genuine.headers[name] ?? '';
  const signature = signatureText(genuine, scheme);
  const put = (value: string | undefined) => withHeader(genuine, name, value);
  const at = signature.replace(/=+$/, '').length - 6;
  const flipped = signature.slice(0, at) + (signature[at] === 'a' ? 'b' : 'a') + signature.slice(at + 1);
  const bad = whole.replace(signature, flipped);
  const cases: Record<string, RawRequest> = {
    'signature with one character changed': put(bad),
    'signature cut short': put(whole.replace(signature, signature.slice(0, -8))),
    'signature missing': put(undefined),
    'signature empty': put(''),
    'signature of another alphabet': put(whole.replace(signature, '!'.repeat(signature.length))),
    'signature header twice, with one value': put(`${whole}, ${whole}`),
  };
  const { item, kv, key = '' } = scheme.sig.parse ?? {};
  if (item !== ',') cases['signature header twice, good and bad'] = put(`${whole}, ${bad}`);
  if (scheme.encoding === 'hex')
    cases['signature in capitals'] = put(whole.replace(signature, signature.toUpperCase()));
  if (scheme.encoding === 'base64' && signature.endsWith('='))
    cases['signature without its padding'] = put(whole.replace(signature, signature.replace(/=+$/, '')));
  if (scheme.sig.parse?.prefix) {
    cases['signature without its prefix'] = put(whole.slice(scheme.sig.parse.prefix.length));
    cases['signature prefix in capitals'] = put(whole.replace(scheme.sig.parse.prefix, it => it.toUpperCase()));
  }
  if (item !== undefined && kv !== undefined) {
    const label = [key].flat()[0] ?? '';
    const good = `${label}${kv}${signature}`;
    const other = `${label}${kv}${flipped}`;
    cases['two signatures, the good one first'] = put(whole.replace(good, `${good}${item}${other}`));
    cases['two signatures, the good one last'] = put(whole.replace(good, `${other}${item}${good}`));
    cases['only a signature of an unknown version'] = put(whole.replace(good, `v9${kv}${signature}`));
    if (item !== ' ') cases['white space after each separator'] = put(whole.replaceAll(item, `${item} `));
  }
  return cases;
}

/** Times that are not what they should be, some of them signed like that. */
function timeCases(genuine: RawRequest, scheme: Scheme, oracle: Oracle): Readonly<Record<string, RawRequest>> {
  const { time, message = '' } = scheme;
  if (!time || time.from.startsWith('json:')) return {};
  const name = time.from.slice(time.from.indexOf(':') + 1);
  const setTime = (value: string): RawRequest => {
    if (time.from.startsWith('header:')) return withHeader(genuine, name, value);
    const carrier = signatureHeader(scheme) ?? '';
    const pattern = new RegExp(`(^|[,;] ?)${name}=[^,;]*`);
    return withHeader(genuine, carrier, (genuine.headers[carrier] ?? '').replace(pattern, `$1${name}=${value}`));
  };
  const current = readTime(genuine, scheme);
  const cases: Record<string, RawRequest> = {
    'time with letters behind it': setTime(`${current}abc`),
    'time with a plus before it': setTime(`+${current}`),
    'time moved by one': setTime(String(Number(current) + 1)),
    'time empty': setTime(''),
  };
  if (time.from.startsWith('header:')) cases['time missing'] = withHeader(genuine, name, undefined);
  const resigned = (value: string) => signAgain(setTime(value), scheme, oracle, value);
  for (const [title, value] of [
    ['time with letters behind it, signed so', `${current}abc`],
    ['time with a fraction, signed so', `${current}.5`],
    ['time in hexadecimal, signed so', `0x${Number(current).toString(16)}`],
  ] as const) {
    const request = resigned(value);
    if (request) cases[title] = request;
  }
  if (message.includes('{ts}{body}')) {
    // The signed bytes stay the same: the last digit of the time becomes the first of the body.
    const body = Buffer.concat([Buffer.from(current.slice(-1)), genuine.body]);
    cases['a digit moved from time to body'] = { ...setTime(current.slice(0, -1)), body };
  }
  return cases;
}

function readTime(request: RawRequest, scheme: Scheme): string {
  const reader = new RequestReader(request, { settings: {} });
  const found = readSignatures(scheme, reader, NO_SCOPE);
  const scope = found.kind === 'signatures' ? { sig: found.parts } : NO_SCOPE;
  return reader.text(scheme.time?.from ?? '', scope) ?? '';
}

/** The request with its signature made anew over a time text that no honest sender would write. */
function signAgain(request: RawRequest, scheme: Scheme, oracle: Oracle, time: string): RawRequest | undefined {
  const name = signatureHeader(scheme);
  const { alg } = scheme;
  if (name === undefined || !isSymmetric(alg)) return undefined;
  const reader = new RequestReader(request, { settings: oracle.settings ?? {}, publicUrl: PUBLIC_URL });
  const found = readSignatures(scheme, reader, NO_SCOPE);
  const key = secretKey(scheme, oracle.secret, nodeCrypto);
  if (found.kind !== 'signatures' || !key) return undefined;
  const message = buildMessage(scheme, { reader, scope: { sig: found.parts }, time, url: reader.url() });
  if ('kind' in message) return undefined;
  const signature = encode(computeMac(alg, key, message, nodeCrypto), scheme.encoding ?? 'hex');
  return withHeader(
    request,
    name,
    (request.headers[name] ?? '').replace(found.values[0] ?? '', () => signature),
  );
}
