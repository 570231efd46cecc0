/**
 * Why a request may have failed verification: tries the mistakes that are common in practice and says which one would
 * explain it. For `holdfast verify` and logs, never for the caller. No explanation holds a secret, a MAC or body text.
 */
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { signatureHeadersOf } from '#core/provider/spec-defaults.ts';
import { concatBytes, textOf, utf8 } from '#core/scan/bytes.ts';
import type { RawRequest } from './raw-request.ts';
import { readSignatures } from './read-signatures.ts';
import { NO_SCOPE, RequestReader } from './request-reader.ts';
import { readSignedTime } from './timestamps.ts';
import type { VerifyContext } from './verify-context.ts';
import { type Verdict, verifyRequest } from './verify-request.ts';

export interface Explanation {
  readonly id:
    | 'clock'
    | 'newline_trimmed'
    | 'newline_added'
    | 'line_ends_changed'
    | 'bom'
    | 'json_reserialised'
    | 'other_secret'
    | 'expired_secret'
    | 'secret_white_space'
    | 'secret_encoding'
    | 'other_url'
    | 'other_header'
    | 'other_provider';
  /** A sentence for a person. */
  readonly text: string;
}

export interface ExplainOptions {
  /** Secrets of other sources or environments, by the name to show. */
  readonly otherSecrets?: readonly { readonly name: string; readonly secret: string }[];
  /** Other specs the request may belong to. */
  readonly otherSpecs?: readonly ProviderSpec[];
}

/** Larger bodies are not re-written in search of an explanation. */
const MAX_BODY_BYTES = 1_048_576;

/** Explanations that fit, the surest first; empty when the request verifies or nothing fits. Never throws. */
export async function explainMismatch(
  spec: ProviderSpec,
  request: RawRequest,
  context: VerifyContext,
  options: ExplainOptions = {},
): Promise<readonly Explanation[]> {
  const verdict = await verifyRequest(spec, request, context);
  if (verdict.kind === 'verified') return [];
  if (verdict.cause === 'stale' || verdict.cause === 'future')
    return [explainClock(spec, request, context, verdict.cause)];
  if (verdict.cause === 'missing' || verdict.cause === 'malformed') return explainHeaders(spec, request, options);
  if (verdict.cause !== 'mismatch' && verdict.cause !== 'binding') return [];
  const timeless = withoutWindows(spec);
  const found: Explanation[] = [];
  const tryOut = async (explanation: Explanation, attempt: Promise<Verdict>) => {
    if ((await attempt).kind === 'verified' && !found.some(({ text }) => text === explanation.text))
      found.push(explanation);
  };
  for (const { secret, ...explanation } of otherSecrets(context, options)) {
    await tryOut(explanation, verifyRequest(timeless, request, { ...context, secret: { current: secret } }));
  }
  for (const { body, ...explanation } of request.body.length > MAX_BODY_BYTES ? [] : otherBodies(request.body)) {
    await tryOut(explanation, verifyRequest(timeless, { ...request, body }, context));
  }
  for (const other of otherKeyEncodings(timeless)) {
    const text =
      'The secret is right but was used in another encoding: check that it was copied whole, prefix included';
    await tryOut({ id: 'secret_encoding', text }, verifyRequest(other, request, context));
  }
  for (const publicUrl of otherUrls(context.publicUrl)) {
    const text = `The provider signed the URL ${publicUrl}; enter exactly this one as publicUrl of the source`;
    await tryOut({ id: 'other_url', text }, verifyRequest(timeless, request, { ...context, publicUrl }));
  }
  return found;
}

function withoutWindows(spec: ProviderSpec): ProviderSpec {
  const verify = spec.verify.map((scheme): Scheme => {
    if (!scheme.time) return scheme;
    const { past: _past, future: _future, ...time } = scheme.time;
    return { ...scheme, time };
  });
  return { ...spec, verify };
}

function explainClock(spec: ProviderSpec, request: RawRequest, context: VerifyContext, cause: string): Explanation {
  const reader = new RequestReader(request, context);
  for (const scheme of spec.verify) {
    const signatures = readSignatures(scheme, reader, NO_SCOPE);
    const scope = signatures.kind === 'signatures' ? { sig: signatures.parts } : NO_SCOPE;
    const time = scheme.time && readSignedTime(scheme.time, reader, scope);
    if (time?.kind !== 'time') continue;
    const seconds = Math.round(Math.abs(context.nowMs - time.ms) / 1_000);
    const side = cause === 'stale' ? `${seconds} s old` : `${seconds} s in the future`;
    return {
      id: 'clock',
      text: `The signature is good, but the signed time is ${side}: a captured request, a slow retry, or a wrong clock`,
    };
  }
  return { id: 'clock', text: 'The signature is good, but its time is outside the accepted window' };
}

function explainHeaders(spec: ProviderSpec, request: RawRequest, { otherSpecs = [] }: ExplainOptions): Explanation[] {
  const has = (name: string) => request.headers[name] !== undefined;
  const others = otherSpecs.filter(other => other.id !== spec.id && signatureHeadersOf(other).some(has));
  if (others.length > 0) {
    const ids = others.map(({ id }) => id).slice(0, 5);
    return [
      { id: 'other_provider', text: `The headers are those of ${ids.join(' or ')}: check the provider of this source` },
    ];
  }
  const proofs = signatureHeadersOf(spec);
  const strangers = Object.keys(request.headers).filter(
    name => /sign|hmac|digest|token/.test(name) && !proofs.includes(name),
  );
  if (strangers.length === 0) return [];
  return [
    {
      id: 'other_header',
      text: `Expected ${proofs.join(', ')}; the request has ${strangers.slice(0, 5).join(', ')} instead`,
    },
  ];
}

function otherSecrets(
  { secret, nowMs }: VerifyContext,
  { otherSecrets: given = [] }: ExplainOptions,
): (Explanation & { secret: string })[] {
  const found: (Explanation & { secret: string })[] = given.map(other => ({
    id: 'other_secret',
    text: `The request was signed with the secret of ${other.name}`,
    secret: other.secret,
  }));
  if (!secret) return found;
  const { current, previous, previousNotAfter } = secret;
  if (previous !== undefined && previousNotAfter !== undefined && nowMs > previousNotAfter) {
    const text = 'The request was signed with the previous secret, whose time is over: the provider still uses it';
    found.push({ id: 'expired_secret', text, secret: previous });
  }
  for (const changed of [current.trim(), `${current}\n`]) {
    if (changed === current) continue;
    const text = 'The secret matches once white space at its end is added or removed: enter it again';
    found.push({ id: 'secret_white_space', text, secret: changed });
  }
  return found;
}

function otherBodies(body: Uint8Array): (Explanation & { body: Uint8Array })[] {
  const ends = (text: string) => textOf(body.subarray(body.length - text.length)) === text;
  const added = 'Something between the provider and here added a line break to the body';
  const trimmed = 'Something between the provider and here removed a line break at the end of the body';
  const found: (Explanation & { body: Uint8Array })[] = [];
  for (const end of ['\r\n', '\n']) {
    if (ends(end)) found.push({ id: 'newline_added', text: added, body: body.subarray(0, body.length - end.length) });
    found.push({ id: 'newline_trimmed', text: trimmed, body: concatBytes([body, utf8(end)]) });
  }
  const text = textOf(body);
  if (text === undefined) return found;
  const bom = 'A byte order mark at the start of the body was added or removed';
  found.push({ id: 'bom', text: bom, body: utf8(text.startsWith('\ufeff') ? text.slice(1) : `\ufeff${text}`) });
  const lines = 'The line ends of the body were changed';
  found.push({ id: 'line_ends_changed', text: lines, body: utf8(text.replaceAll('\r\n', '\n')) });
  found.push({ id: 'line_ends_changed', text: lines, body: utf8(text.replaceAll(/\r?\n/g, '\r\n')) });
  const json = 'The JSON of the body was parsed and written again: pass on the raw bytes';
  for (const again of otherJson(text)) found.push({ id: 'json_reserialised', text: json, body: utf8(again) });
  return found;
}

/** How JavaScript, PHP, Python, Ruby and pretty-printers would have written the same value. */
function otherJson(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const compact = JSON.stringify(value);
  const spaced = JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([{[]) /g, '$1')
    .replace(/ ([}\]])/g, '$1');
  const forms = [compact, spaced, JSON.stringify(value, null, 2), JSON.stringify(value, null, 4)];
  return forms.flatMap(form => [
    form,
    escapeNonAscii(form),
    form.replaceAll('/', '\\/'),
    escapeNonAscii(form.replaceAll('/', '\\/')),
  ]);
}

function escapeNonAscii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function otherKeyEncodings(spec: ProviderSpec): ProviderSpec[] {
  const keys: Scheme['key'][] = [
    { encoding: 'utf8' },
    { encoding: 'utf8', strip: ['whsec_'] },
    { encoding: 'base64', strip: ['whsec_'] },
    { encoding: 'hex' },
  ];
  return keys
    .map(key => ({
      ...spec,
      verify: spec.verify
        .filter(({ alg }) => alg.startsWith('hmac'))
        .map((scheme): Scheme => ({ ...scheme, key: { ...scheme.key, strip: [], ...key } })),
    }))
    .filter(({ verify }) => verify.length > 0);
}

function otherUrls(url: string | undefined): string[] {
  if (url === undefined) return [];
  const slash = url.endsWith('/') ? url.slice(0, -1) : `${url}/`;
  const scheme = url.startsWith('https:') ? url.replace(/^https:/, 'http:') : url.replace(/^http:/, 'https:');
  return [slash, scheme];
}
