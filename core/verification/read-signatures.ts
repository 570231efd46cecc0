/**
 * Finds the signatures of a request: one value, a list, key=value parts or numbered headers. API Gateway joins repeated
 * headers with a comma, so a comma where the format has none means a header that was sent twice.
 */
import type { Scheme } from '#core/provider/provider-spec.ts';
import type { RequestReader, Scope } from './request-reader.ts';
import { type Refused, refused } from './verdict.ts';

const DEFAULT_MAX_SIGNATURES = 8;
/** Longer signature values are not looked into: in headers, and in bodies, where one may be the whole event. */
const MAX_LENGTH = 16_384;
const MAX_LENGTH_IN_BODY = 262_144;

export interface Signatures {
  readonly kind: 'signatures';
  readonly values: readonly string[];
  /** Parts of the header by key, for `sig:`. */
  readonly parts: ReadonlyMap<string, string>;
}

const NO_PARTS: ReadonlyMap<string, string> = new Map();

export function readSignatures(scheme: Scheme, reader: RequestReader, scope: Scope): Signatures | Refused {
  const { sig } = scheme;
  if (sig.headerPattern !== undefined) return readNumbered(scheme, reader, sig.headerPattern);
  for (const from of typeof sig.from === 'string' ? [sig.from] : sig.from) {
    const whole = reader.text(from, scope);
    if (whole === undefined || whole === '') continue;
    if (whole.length > (/^(?:json|form):/.test(from) ? MAX_LENGTH_IN_BODY : MAX_LENGTH))
      return refused('malformed', 'signature_too_long');
    return parseSignatures(scheme, from.startsWith('header:') ? collapseRepeats(whole) : whole, reader);
  }
  return refused('missing', 'no_signature');
}

/** A static token as received, and once more without repetitions: a token may hold a comma of its own. */
export function readToken(scheme: Scheme, reader: RequestReader, scope: Scope): Signatures | Refused {
  const { from, parse } = scheme.sig;
  for (const src of typeof from === 'string' ? [from] : from) {
    const whole = reader.text(src, scope);
    if (whole === undefined || whole === '') continue;
    if (whole.length > MAX_LENGTH) return refused('malformed', 'signature_too_long');
    const values = [...new Set([whole, collapseRepeats(whole)])].flatMap(
      value => withoutPrefix(value, parse?.prefix, parse?.prefixOptional === true) ?? [],
    );
    return values.length === 0 ? refused('missing', 'prefix_missing') : { kind: 'signatures', values, parts: NO_PARTS };
  }
  return refused('missing', 'no_token');
}

function readNumbered(scheme: Scheme, reader: RequestReader, headerPattern: string): Signatures | Refused {
  const pattern = new RegExp(`^(?:${headerPattern})$`);
  const values = Object.entries(reader.request.headers)
    .filter(([name, value]) => pattern.test(name) && value !== '')
    .slice(0, scheme.sig.max ?? DEFAULT_MAX_SIGNATURES)
    .map(([, value]) => collapseRepeats(value));
  if (values.length === 0) return refused('missing', 'no_signature');
  if (values.some(value => value.includes(','))) return refused('duplicate_header');
  return { kind: 'signatures', values, parts: NO_PARTS };
}

function parseSignatures(scheme: Scheme, whole: string, reader: RequestReader): Signatures | Refused {
  const { parse } = scheme.sig;
  const max = scheme.sig.max ?? DEFAULT_MAX_SIGNATURES;
  if (parse?.kv === undefined) {
    const items = parse?.item === undefined ? [whole] : whole.split(parse.item).map(item => item.trim());
    if (parse?.item !== ',' && items.some(item => item.includes(','))) return refused('duplicate_header');
    const values = items.flatMap(item => withoutPrefix(item, parse?.prefix, parse?.prefixOptional === true) ?? []);
    return values.length === 0
      ? refused('missing', 'prefix_missing')
      : { kind: 'signatures', values: values.slice(0, max), parts: NO_PARTS };
  }
  return parseKeyed(whole, { item: parse.item ?? ',', kv: parse.kv }, scheme, reader, max);
}

function parseKeyed(
  whole: string,
  split: { item: string; kv: string },
  scheme: Scheme,
  reader: RequestReader,
  max: number,
): Signatures | Refused {
  const { parse } = scheme.sig;
  const keys = parse?.key === undefined ? undefined : [parse.key].flat().map(key => resolveKey(key, reader));
  const values: string[] = [];
  const parts = new Map<string, string>();
  for (const item of whole.split(split.item)) {
    const at = item.indexOf(split.kv);
    if (at < 0) continue;
    // Keys are trimmed (`t=1, v1=…`), values never.
    const key = item.slice(0, at).trim();
    const value = item.slice(at + split.kv.length);
    if (split.item !== ',' && value.includes(',')) return refused('duplicate_header');
    const earlier = parts.get(key);
    if (parse?.single?.includes(key) && earlier !== undefined && earlier !== value) return refused('duplicate_header');
    parts.set(key, value);
    if ((keys === undefined || keys.includes(key)) && values.length < max) values.push(value);
  }
  if (values.length === 0) {
    return parts.size === 0 ? refused('malformed', 'no_key_value_parts') : refused('missing', 'no_accepted_version');
  }
  return { kind: 'signatures', values, parts };
}

function resolveKey(key: string, reader: RequestReader): string | undefined {
  return key.startsWith('config:') ? reader.text(key) : key;
}

/** `sha256=` and the like are compared in any case; undefined when the prefix is not there. */
function withoutPrefix(text: string, prefix: string | undefined, optional: boolean): string | undefined {
  if (prefix === undefined) return text;
  if (text.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase()) return text.slice(prefix.length);
  return optional ? text : undefined;
}

/** `a, a` (or `a,a`) of a header that was sent several times with one value becomes `a`. Otherwise the text as it is. */
export function collapseRepeats(text: string): string {
  for (const separator of [', ', ',']) {
    for (let copies = 2; copies <= 4; copies++) {
      const length = (text.length - separator.length * (copies - 1)) / copies;
      if (length < 1 || !Number.isInteger(length)) continue;
      const one = text.slice(0, length);
      if (Array(copies).fill(one).join(separator) === text) return one;
    }
  }
  return text;
}
