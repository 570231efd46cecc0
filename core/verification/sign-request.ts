/**
 * Signs a request as a provider would: for tests of handlers, for `holdfast send` and `holdfast sign`. Works from the same
 * spec as verification. Asymmetric schemes, and tokens signed with a private key, take a signing callback.
 */

import { given } from '#core/given.ts';
import type { Crypto } from '#core/ports.ts';
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { schemeId } from '#core/provider/spec-defaults.ts';
import { binaryOf, bytesOfBinary, concatBytes, encode, textOf, toBase64, toHex, utf8 } from '#core/scan/bytes.ts';
import { scanForm } from '#core/scan/form-scan.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { scanJson } from '#core/scan/json-scan.ts';
import { setJsonText } from '#core/scan/set-json-text.ts';
import { toIso } from '#core/time.ts';
import { listItems } from './batch-items.ts';
import { expectedClaims } from './check-bindings.ts';
import { computeMac, isSymmetric } from './check-signature.ts';
import { buildMessage, loweredSource, splitTemplate } from './message.ts';
import { canonicalRequest, pathBelow } from './named/jira-connect.ts';
import { canonicalSnsText } from './named/sns.ts';
import { NO_SCOPE, RequestReader, type Scope } from './request-reader.ts';
import { secretKey } from './secret-keys.ts';
import { formatSignedTime } from './timestamps.ts';

export interface SignInput {
  readonly body: Uint8Array;
  /** The shared secret as the operator has it; unused where `sign` is given. */
  readonly secret: string;
  readonly nowMs: number;
  /** Without query. Needed by schemes that sign the URL. */
  readonly publicUrl?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Headers the request will have; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default POST. */
  readonly method?: string;
  readonly rawQuery?: string;
  /** Which of the spec's schemes; default the first. */
  readonly scheme?: string;
  readonly crypto: Pick<Crypto, 'hash' | 'hmac'>;
  /** Signs with a private key: DER for ECDSA, 64 bytes (r, s) for ES256 tokens, PKCS#1 v1.5 for RSA. */
  readonly sign?: (message: Uint8Array, algorithm: string) => Uint8Array;
  /** Key id of a token. */
  readonly keyId?: string;
  /** Certificates a token brings (`x5c`), base64 of DER, the signer's first. */
  readonly chain?: readonly string[];
}

export interface SignedRequest {
  /** All headers to send, the given ones included. */
  readonly headers: Record<string, string>;
  /** The query to send, where there is one. */
  readonly rawQuery?: string;
  /** The body to send, where signing changed it (signatures in the body). */
  readonly body?: Uint8Array;
}

/** Throws RangeError when the spec has no such scheme, or when a value it needs (URL, setting, signer) was not given. */
export function signRequest(spec: ProviderSpec, input: SignInput): SignedRequest {
  if (spec.verify.length === 0) return { headers: { ...input.headers } };
  const named = spec.verify.map(each => ({ ...each, id: schemeId(each, spec) }));
  const scheme = input.scheme === undefined ? named[0] : named.find(({ id }) => id === input.scheme);
  if (!scheme) {
    const ids = named.map(({ id }) => id).join(', ');
    throw new RangeError(`provider "${spec.id}" has no scheme "${input.scheme}"; give one of ${ids}`);
  }
  const draft = new Draft(scheme, input);
  draft.meetConditions();
  if (scheme.code === 'sns') draft.signSns();
  else if (scheme.alg === 'jwt') draft.signToken();
  else if (scheme.batch !== undefined) draft.signItems(scheme.batch);
  else draft.signAt('');
  return draft.finish();
}

const TOKEN_LIFE_SECONDS = 300;

/** The request while it is being signed. */
class Draft {
  readonly #scheme: Scheme;
  readonly #input: SignInput;
  readonly #headers: Record<string, string>;
  readonly #parts = new Map<string, string>();
  #body: Uint8Array;
  #rawQuery: string;

  constructor(scheme: Scheme, input: SignInput) {
    this.#scheme = scheme;
    this.#input = input;
    this.#headers = { ...input.headers };
    this.#body = input.body;
    this.#rawQuery = input.rawQuery ?? '';
  }

  finish(): SignedRequest {
    return {
      headers: this.#headers,
      ...(this.#rawQuery === '' ? {} : { rawQuery: this.#rawQuery }),
      ...(this.#body === this.#input.body ? {} : { body: this.#body }),
    };
  }

  meetConditions(): void {
    for (const [name, value] of Object.entries(this.#scheme.when?.header ?? {})) {
      this.#headers[name] ??= value === '*' ? '1' : value;
    }
  }

  signItems(batch: string): void {
    const document = scanJson(this.#body);
    const list = document ? listItems(document, batch) : undefined;
    if (list?.kind !== 'items')
      throw new RangeError(
        `the body has no list of events at "${batch}": give one, since each event is signed by itself`,
      );
    for (const item of list.items) this.signAt(item.path);
  }

  /** Signs the request, or the batch item at a path. */
  signAt(itemPath: string): void {
    const scheme = this.#scheme;
    const input = this.#input;
    if (scheme.alg === 'token' || scheme.alg === 'basic') {
      this.#putSignature(scheme.alg === 'token' ? input.secret : `Basic ${toBase64(utf8(input.secret))}`, itemPath);
      return;
    }
    const time = scheme.time && formatSignedTime(input.nowMs, scheme.time.unit);
    if (scheme.time && time !== undefined) this.#put(scheme.time.from, time, itemPath);
    for (const [path, wanted] of expectedClaims(scheme, this.#reader()))
      this.#put(`json:${path}`, wanted ?? '', itemPath);
    this.#fillSignedValues(itemPath);
    for (const bind of scheme.bind ?? []) {
      this.#put(bind.equals, encode(input.crypto.hash(bind.hash, this.#body), bind.encoding), itemPath);
    }
    const reader = this.#reader();
    const scope = { ...this.#scopeAt(itemPath, reader), sig: this.#parts };
    const message = buildMessage(scheme, { reader, scope, time, url: reader.url(), secret: input.secret });
    if ('kind' in message) throw new RangeError(`cannot sign as "${scheme.id}": ${message.hint ?? message.cause}`);
    this.#putSignature(encode(this.#signMessage(message), scheme.encoding ?? 'hex'), itemPath);
  }

  #signMessage(message: readonly Uint8Array[]): Uint8Array {
    const scheme = this.#scheme;
    const input = this.#input;
    if (isSymmetric(scheme.alg)) return computeMac(scheme.alg, this.#key(), message, input.crypto);
    return this.#privately(concatBytes(message), scheme.alg);
  }

  #key(): Uint8Array {
    const key = secretKey(this.#scheme, this.#input.secret, this.#input.crypto);
    if (!key)
      throw new RangeError(
        `the secret is empty or not in ${this.#scheme.key?.encoding ?? 'utf8'}: give it as the provider shows it`,
      );
    return key;
  }

  #privately(message: Uint8Array, algorithm: string): Uint8Array {
    const { sign } = this.#input;
    if (!sign)
      throw new RangeError(
        `"${this.#scheme.id}" signs with a private key (${algorithm}), and none was given; signWebhook() takes it as \`privateKey\``,
      );
    return sign(message, algorithm);
  }

  /** Values that are signed and that the caller did not give: ids, header lists, the inner payload. */
  #fillSignedValues(itemPath: string): void {
    const { signedHeaders, time } = this.#scheme;
    const fresh = toHex(this.#input.crypto.hash('sha256', this.#body, utf8(String(this.#input.nowMs)))).slice(0, 50);
    const reader = this.#reader();
    const scope = { ...this.#scopeAt(itemPath, reader), sig: this.#parts };
    if (signedHeaders && reader.text(signedHeaders.from, scope) === undefined) {
      this.#headers['content-type'] ??= 'application/json';
      const names = [signedHeaders.from, time?.from ?? ''].flatMap(src =>
        src.startsWith('header:') ? src.slice(7) : [],
      );
      const signed = new Set(['content-type', ...Object.keys(this.#input.headers ?? {}), ...names]);
      this.#put(signedHeaders.from, [...signed].join(signedHeaders.sep), itemPath);
    }
    for (const part of splitTemplate(this.#scheme.message ?? '')) {
      const place = 'token' in part ? (loweredSource(part.token) ?? part.token) : '';
      if (!/^(?:header|form|json|query):[^?]+$/.test(place)) continue;
      if (reader.text(place, scope) !== undefined) continue;
      const payload = place === 'form:bt_payload' ? toBase64(this.#input.body) : fresh;
      this.#put(place, payload, itemPath);
    }
  }

  #putSignature(value: string, itemPath: string): void {
    const { from, parse } = this.#scheme.sig;
    const target = typeof from === 'string' ? from : (from[0] ?? '');
    if (parse?.kv === undefined) {
      this.#put(target, `${parse?.prefix ?? ''}${value}`, itemPath);
      return;
    }
    const [named] = [parse.key ?? 'v1'].flat();
    const key = named?.startsWith('config:') ? this.#reader().text(named) : named;
    if (key === undefined)
      throw new RangeError(`setting "${named}" is missing: the provider's scheme needs it; give it in \`settings\``);
    const list = [...this.#parts, [key, value]].map(pair => pair.join(parse.kv));
    this.#put(target, list.join(parse.item ?? ','), itemPath);
  }

  #put(src: string, value: string, itemPath: string): void {
    const name = src.slice(src.indexOf(':') + 1);
    if (src.startsWith('header:')) this.#headers[name] = value;
    else if (src.startsWith('sig:')) this.#parts.set(name, value);
    else if (src.startsWith('json:'))
      this.#body = setJsonText(this.#body, itemPath === '' ? name : `${itemPath}.${name}`, value);
    else if (src.startsWith('query:')) this.#rawQuery = withField(this.#rawQuery, name, value);
    else if (src.startsWith('form:')) this.#body = bytesOfBinary(withField(this.#formBody(), name, value));
    else throw new RangeError(`signing cannot write ${src}`);
  }

  /** The body as form fields; a body that is none travels only inside a field. */
  #formBody(): string {
    const fields = scanForm(this.#body) ?? [];
    return this.#body === this.#input.body && !fields.some(field => /^[\w-]+$/.test(field.name) && field.value !== '')
      ? ''
      : binaryOf(this.#body);
  }

  #reader(): RequestReader {
    const { publicUrl, method = 'POST' } = this.#input;
    const request = { body: this.#body, headers: this.#headers, method, rawQuery: this.#rawQuery };
    return new RequestReader(request, { settings: this.#input.settings ?? {}, ...given({ publicUrl }) });
  }

  #scopeAt(path: string, reader: RequestReader): Scope {
    const document = reader.json();
    if (path === '' || !document) return NO_SCOPE;
    const list = listItems(document, this.#scheme.batch ?? '');
    const item = list.kind === 'items' ? list.items.find(found => found.path === path) : undefined;
    return item ? { item } : NO_SCOPE;
  }

  signToken(): void {
    const scheme = this.#scheme;
    const input = this.#input;
    const reader = this.#reader();
    const iat = Math.floor(input.nowMs / 1_000);
    // A token in the body is the event.
    const isBody = [scheme.sig.from].flat()[0]?.startsWith('json:') === true;
    const claims: Record<string, unknown> = isBody
      ? (decodeJsonObject(textOf(input.body) ?? '') ?? {})
      : scheme.timeless
        ? {}
        : { iat, exp: iat + TOKEN_LIFE_SECONDS };
    for (const [name, wanted] of expectedClaims(scheme, reader)) setClaim(claims, name, wanted);
    if (isBody) this.#body = utf8('{}');
    for (const bind of scheme.bind ?? []) {
      if (bind.absentWhenEmpty && this.#body.length === 0) continue;
      const bytes = bind.of === 'url' ? utf8(reader.url() ?? '') : this.#body;
      claims[bind.equals.slice('claim:'.length)] = encode(input.crypto.hash(bind.hash, bytes), bind.encoding);
    }
    if (scheme.code === 'jira-connect') {
      const path = pathBelow(reader.bareUrl() ?? '', reader.text('config:baseUrl'));
      const canonical = canonicalRequest(input.method ?? 'POST', path, reader.query() ?? []);
      claims['qsh'] = toHex(input.crypto.hash('sha256', utf8(canonical)));
    }
    const header = { alg: scheme.jwtAlg, typ: 'JWT', ...given({ kid: input.keyId, x5c: input.chain }) };
    const text = [header, claims].map(part => toBase64(utf8(JSON.stringify(part)), 'base64url')).join('.');
    const signature =
      scheme.jwtAlg === 'HS256'
        ? input.crypto.hmac('sha256', this.#key(), utf8(text))
        : this.#privately(utf8(text), scheme.jwtAlg ?? '');
    this.#putSignature(`${text}.${toBase64(signature, 'base64url')}`, '');
  }

  /** A body that is no SNS message becomes the Message of one. */
  signSns(): void {
    const { settings = {}, nowMs, crypto, body } = this.#input;
    const document = scanJson(body);
    if (document?.find('Type') === undefined) {
      const message = {
        Type: 'Notification',
        MessageId: toHex(crypto.hash('sha256', body)).slice(0, 36),
        TopicArn: settings['topicArn']?.split(',')[0]?.trim() ?? '',
        Message: textOf(body) ?? '',
        Timestamp: toIso(nowMs),
      };
      this.#body = utf8(JSON.stringify(message));
    }
    this.#put('json:SignatureVersion', '2', '');
    const url = 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem';
    if (this.#reader().text('json:SigningCertURL') === undefined) this.#put('json:SigningCertURL', url, '');
    const reader = this.#reader();
    const canonical = canonicalSnsText(name => reader.text(`json:${name}`));
    if (canonical === undefined)
      throw new RangeError(
        'the body lacks a field that SNS signs: a message of Type "Notification" has Message, MessageId, Timestamp and TopicArn',
      );
    this.#put('json:Signature', toBase64(this.#privately(utf8(canonical), 'rsa-sha256')), '');
  }
}

/** Nested, as the spec names it; of several names the first. */
function setClaim(claims: Record<string, unknown>, name: string, value: unknown): void {
  const [first = ''] = name.split('|');
  const [step = '', ...rest] = /^https?:/.test(first) ? [first] : first.split('.');
  if (rest.length === 0) {
    claims[step] = value;
    return;
  }
  const inner = { ...(claims[step] as Record<string, unknown> | undefined) };
  setClaim(inner, rest.join('.'), value);
  claims[step] = inner;
}

function withField(pairs: string, name: string, value: string): string {
  const others = pairs.split('&').filter(pair => pair !== '' && pair !== name && !pair.startsWith(`${name}=`));
  return [...others, `${name}=${encodeURIComponent(value)}`].join('&');
}
