/**
 * Answers the calls by which a provider checks that the URL is ours. Bound to the source, before storage, storing nothing
 * (a secret that is brought is handed to the caller). Dangers closed here: text of the caller is echoed only with headers
 * that keep browsers from running it, is signed only when it fits the mandatory guard (it could otherwise be a body), and a
 * secret is taken only while the source has none.
 */
import { given } from '#core/given.ts';
import type { Handshake, ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { concatBytes, encode, utf8 } from '#core/scan/bytes.ts';
import { isSymmetric } from './check-signature.ts';
import type { RawRequest } from './raw-request.ts';
import { RequestReader } from './request-reader.ts';
import { liveSecrets, sameText, secretKey } from './secret-keys.ts';
import type { Verdict } from './verdict.ts';
import type { VerifyContext } from './verify-context.ts';

export interface HandshakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** To be stored as the source's secret if it has none, while the operator's pairing window is open. */
  readonly storeSecret?: string;
  /** To be fetched with GET, without following redirects, to confirm the subscription. */
  readonly confirmUrl?: string;
  /** It is signed with our secret, for a request that does not tell which one its provider has. */
  readonly signedUnasked?: true;
}

const ALWAYS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' };
/** Larger bodies are events. */
const MAX_BODY_BYTES = 16_384;
const MAX_ECHO_LENGTH = 4_096;
const MAX_SIGNED_LENGTH = 256;
const DEFAULT_ELSE_STATUS = 403;

/** `verifyRequest`, given by the caller: it loads this file on demand. */
type VerifyRequest = (spec: ProviderSpec, request: RawRequest, context: VerifyContext) => Promise<Verdict>;

/**
 * The answer when the request is one of the spec's handshakes, else undefined: the request is then verified as an event,
 * and a handshake whose signature is not good is refused and counted there like any other request.
 */
export async function answerHandshake(
  spec: ProviderSpec,
  request: RawRequest,
  context: VerifyContext,
  verify: VerifyRequest,
): Promise<HandshakeAnswer | undefined> {
  const { handshakes = [] } = spec;
  if (handshakes.length === 0) return undefined;
  const reader = new RequestReader(request, context, spec.identity.document);
  for (const handshake of handshakes) {
    if (!matches(handshake.when, request, reader)) continue;
    if (handshake.store) {
      if (context.secret !== undefined) return undefined;
      return pair(handshake, handshake.store.from, spec, reader, context);
    }
    if (handshake.verify === 'signature') {
      const verdict = await verify(spec, request, context);
      if (verdict.kind === 'refused') return undefined;
      // In a rotation it is checked with the secret that its provider has: the one that it signed with.
      return respond(handshake, spec, reader, verdict.matchedSecret === 'previous' ? asBefore(context) : context);
    }
    if (handshake.verify !== 'none' && !tokenIsGood(handshake.verify, reader, context)) return refusal(handshake);
    const answer = respond(handshake, spec, reader, context);
    return JSON.stringify(handshake.respond).includes('{hmac(') ? { ...answer, signedUnasked: true } : answer;
  }
  return undefined;
}

/** As if the previous secret were the only one. */
function asBefore(context: VerifyContext): VerifyContext {
  const { previous } = context.secret ?? {};
  return previous === undefined ? context : { ...context, secret: { current: previous } };
}

function matches(when: Handshake['when'], request: RawRequest, reader: RequestReader): boolean {
  return (
    when.method === request.method &&
    Object.entries(when.query ?? {}).every(([name, wanted]) => fits(reader.text(`query:${name}`), wanted)) &&
    Object.entries(when.header ?? {}).every(([name, wanted]) => fits(reader.text(`header:${name}`), wanted)) &&
    (!readsBody(when) || (request.body.length <= MAX_BODY_BYTES && bodyMatches(when, reader)))
  );
}

function fits(value: string | undefined, wanted: string | number): boolean {
  return value !== undefined && (wanted === '*' || value === String(wanted));
}

function readsBody(when: Handshake['when']): boolean {
  const { jsonEquals, jsonMissing, jsonKeysExactly, formKeysExactly, emptyJsonArrayAt } = when;
  return [jsonEquals, jsonMissing, jsonKeysExactly, formKeysExactly, emptyJsonArrayAt].some(rule => rule !== undefined);
}

function bodyMatches(when: Handshake['when'], reader: RequestReader): boolean {
  if (when.formKeysExactly) {
    const names = new Set(reader.form()?.map(field => field.name));
    return names.size === when.formKeysExactly.length && when.formKeysExactly.every(name => names.has(name));
  }
  const json = reader.json();
  if (!json) return false;
  const keys = json.members(0).map(member => member.name);
  const array = when.emptyJsonArrayAt === undefined ? undefined : json.find(when.emptyJsonArrayAt);
  return (
    Object.entries(when.jsonEquals ?? {}).every(([path, wanted]) => fits(reader.text(`json:${path}`), wanted)) &&
    !(when.jsonMissing ?? []).some(path => json.find(path) !== undefined) &&
    (when.jsonKeysExactly === undefined ||
      (keys.length === when.jsonKeysExactly.length && when.jsonKeysExactly.every(key => keys.includes(key)))) &&
    (when.emptyJsonArrayAt === undefined ||
      (array !== undefined && json.kind(array) === 'array' && json.elements(array).length === 0))
  );
}

function tokenIsGood(
  { tokenEquals, token }: Exclude<Handshake['verify'], string>,
  reader: RequestReader,
  { crypto }: VerifyContext,
): boolean {
  const wanted = reader.text(token);
  const received = reader.text(tokenEquals);
  return wanted !== undefined && wanted !== '' && received !== undefined && sameText(wanted, received, crypto);
}

function refusal(handshake: Handshake): HandshakeAnswer {
  return { status: handshake.respond.elseStatus ?? DEFAULT_ELSE_STATUS, headers: { ...ALWAYS }, body: '' };
}

/** The request brings the secret. It is accepted unsigned, which is why it counts only for a source that has none. */
function pair(
  handshake: Handshake,
  from: NonNullable<Handshake['store']>['from'],
  spec: ProviderSpec,
  reader: RequestReader,
  context: VerifyContext,
): HandshakeAnswer {
  const secret = reader.text(from);
  if (secret === undefined || !/^[\x21-\x7e]{8,512}$/.test(secret)) return refusal(handshake);
  const answer = respond(handshake, spec, reader, context);
  return answer.status === handshake.respond.status ? { ...answer, storeSecret: secret } : answer;
}

function respond(
  handshake: Handshake,
  spec: ProviderSpec,
  reader: RequestReader,
  context: VerifyContext,
): HandshakeAnswer {
  const { guard, respond: reply, confirm } = handshake;
  if (guard) {
    const text = reader.text(guard.src);
    if (text === undefined || !new RegExp(`^(?:${guard.accept})$`).test(text)) return refusal(handshake);
  }
  const fill = (template: string) => fillTemplate(template, spec.verify[0], reader, context);
  const body = fill(reply.body ?? '');
  const headers: Record<string, string> = { ...ALWAYS, ...given({ 'content-type': reply.contentType }) };
  for (const [name, template] of Object.entries(reply.headers ?? {})) {
    const value = fill(template);
    if (value === undefined || !/^[\x20-\x7e]{0,1024}$/.test(value)) return refusal(handshake);
    headers[name.toLowerCase()] = value;
  }
  if (body === undefined) return refusal(handshake);
  const answer: HandshakeAnswer = { status: reply.status, headers, body };
  if (!confirm) return answer;
  const url = reader.text(confirm.url);
  return url !== undefined && isConfirmUrl(url, confirm.hosts) ? { ...answer, confirmUrl: url } : refusal(handshake);
}

/** https, no user, no port; the host fits the pattern as a whole. */
function isConfirmUrl(url: string, hosts: string): boolean {
  const match = /^https:\/\/([a-z0-9.-]+)\/[\x21-\x7e]*$/.exec(url);
  return match !== null && new RegExp(`^(?:${hosts})$`).test(match[1] ?? '');
}

const FUNCTION = /\{(echo|json|hmac|hash)\(([^(){}]*)\)\}/;

/** Fills the reply's functions; undefined when a value is missing, too long, or there is no key. */
function fillTemplate(
  template: string,
  scheme: Scheme | undefined,
  reader: RequestReader,
  context: VerifyContext,
): string | undefined {
  let filled = '';
  let rest = template;
  for (let match = FUNCTION.exec(rest); match; match = FUNCTION.exec(rest)) {
    const [whole, name = '', list = ''] = match;
    const value = apply(name, list.split(','), scheme, reader, context);
    if (value === undefined) return undefined;
    filled += rest.slice(0, match.index) + value;
    rest = rest.slice(match.index + whole.length);
  }
  return filled + rest;
}

function apply(
  name: string,
  parameters: readonly string[],
  scheme: Scheme | undefined,
  reader: RequestReader,
  context: VerifyContext,
): string | undefined {
  if (name === 'echo' || name === 'json') {
    const text = read(parameters[0], reader);
    if (text === undefined || text.length > MAX_ECHO_LENGTH) return undefined;
    return name === 'echo' ? text : JSON.stringify(text);
  }
  const [algorithm, encoding, ...sources] = parameters;
  if (encoding !== 'hex' && encoding !== 'base64' && encoding !== 'base64url') return undefined;
  const texts = sources.map(src => read(src, reader));
  if (texts.some(text => text === undefined)) return undefined;
  const message = concatBytes(texts.map(text => utf8(text ?? '')));
  if (algorithm !== 'sha1' && algorithm !== 'sha256' && algorithm !== 'sha512') return undefined;
  if (name === 'hash') return encode(context.crypto.hash(algorithm, message), encoding);
  const [secret] = liveSecrets(context.secret, context.nowMs);
  const key = scheme && secret && isSymmetric(scheme.alg) ? secretKey(scheme, secret.text, context.crypto) : undefined;
  if (!key || message.length > MAX_SIGNED_LENGTH) return undefined;
  return encode(context.crypto.hmac(algorithm, key, message), encoding);
}

function read(src: string | undefined, reader: RequestReader): string | undefined {
  return src === 'url' ? reader.bareUrl() : reader.text(src?.trim() ?? '');
}
