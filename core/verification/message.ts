/**
 * Builds the signed bytes. The template is split once; body bytes are passed on as they are, never turned into text and
 * never the subject of a string replacement (`$&` in a body is just three bytes).
 */
import type { Scheme } from '#core/provider/provider-spec.ts';
import { crc32, utf8 } from '#core/scan/bytes.ts';
import { sortedForm } from '#core/scan/form-scan.ts';
import type { RequestReader, Scope } from './request-reader.ts';
import { type Refused, refused } from './verdict.ts';

type Part = { readonly literal: Uint8Array } | { readonly token: string };

const templates = new Map<string, readonly Part[]>();

export function splitTemplate(template: string): readonly Part[] {
  let parts = templates.get(template);
  if (!parts) {
    parts = template
      .split(/(\{[^{}]+\})/)
      .filter(part => part !== '')
      .map(part => (/^\{[^{}]+\}$/.test(part) ? { token: part.slice(1, -1) } : { literal: utf8(part) }));
    if (templates.size < 500) templates.set(template, parts);
  }
  return parts;
}

export interface MessageInput {
  readonly reader: RequestReader;
  readonly scope: Scope;
  /** The received text of the signed time. */
  readonly time: string | undefined;
  /** One of the candidates for the signed URL. */
  readonly url: string | undefined;
  /** Secret text, for plain digests only. */
  readonly secret?: string;
}

/** The signed bytes in pieces, or why they cannot be built. */
export function buildMessage(scheme: Scheme, input: MessageInput): readonly Uint8Array[] | Refused {
  const parts: Uint8Array[] = [];
  for (const part of splitTemplate(scheme.message ?? '{body}')) {
    if ('literal' in part) {
      parts.push(part.literal);
      continue;
    }
    const bytes = tokenBytes(part.token, scheme, input);
    if (!(bytes instanceof Uint8Array)) return bytes;
    parts.push(bytes);
  }
  return parts;
}

function tokenBytes(token: string, scheme: Scheme, input: MessageInput): Uint8Array | Refused {
  const { reader } = input;
  switch (token) {
    case 'body':
      return reader.request.body;
    case 'ts':
      return orMissing(input.time, 'no_timestamp');
    case 'url':
      return input.url === undefined ? refused('no_key', 'public_url_not_configured') : utf8(input.url);
    case 'pathQuery':
      return pathQuery(input.url);
    case 'secret':
      return utf8(input.secret ?? '');
    case 'formSorted': {
      const fields = reader.form();
      return fields ? sortedForm(fields) : refused('malformed', 'too_many_fields');
    }
    case 'crc32(body)':
      return utf8(String(crc32(reader.request.body)));
    case 'signedHeaders':
      return signedHeaders(scheme, input);
    default:
      return token.startsWith('config:')
        ? (encodeText(reader.text(token)) ?? refused('no_key', 'setting_not_configured'))
        : signedValue(token, scheme, input);
  }
}

/** The source of a token `lower(…)`: its value is signed in lower case. */
export function loweredSource(token: string): string | undefined {
  return /^lower\((.+)\)$/s.exec(token)?.[1];
}

/** With the separator in more than one value, a part of one could be moved into the next and leave the text the same. */
function signedValue(place: string, { separated }: Scheme, { reader, scope }: MessageInput): Uint8Array | Refused {
  const lowered = loweredSource(place);
  const given = reader.text(lowered ?? place, scope);
  const text = lowered ? given?.toLowerCase() : given;
  return separated && place !== separated.except && text?.includes(separated.by)
    ? refused('malformed', 'separator_in_value')
    : orMissing(text, 'no_signed_value');
}

function encodeText(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : utf8(text);
}

function orMissing(text: string | undefined, hint: string): Uint8Array | Refused {
  return encodeText(text) ?? refused('missing', hint);
}

function pathQuery(url: string | undefined): Uint8Array | Refused {
  const match = url === undefined ? undefined : /^https?:\/\/[^/?#]*([^#]*)/.exec(url);
  if (!match) return refused('no_key', 'public_url_not_configured');
  const path = match[1] ?? '';
  return utf8(path.startsWith('/') ? path : `/${path}`);
}

const MAX_SIGNED_HEADERS = 32;

/** The names a request lists as signed, in its order; undefined where it has no list. */
export function signedHeaderNames(
  scheme: Scheme | undefined,
  reader: RequestReader,
  scope: Scope,
): string[] | undefined {
  const list = scheme?.signedHeaders;
  return (
    list &&
    reader
      .text(list.from, scope)
      ?.split(list.sep)
      .map(name => name.trim().toLowerCase())
  );
}

function signedHeaders(scheme: Scheme, { reader, scope }: MessageInput): Uint8Array | Refused {
  const list = scheme.signedHeaders;
  const names = signedHeaderNames(scheme, reader, scope);
  if (!list || !names) return refused('missing', 'no_signed_headers');
  if (names.length > MAX_SIGNED_HEADERS) return refused('malformed', 'too_many_signed_headers');
  const from = scheme.time?.from;
  if (from?.startsWith('header:') && !scheme.message?.includes('{ts}') && !names.includes(from.slice(7))) {
    return refused('binding', 'timestamp_not_signed');
  }
  // A name with a separator in it could take the place of a value.
  if (!names.every(name => /^[a-z0-9_-]+$/.test(name))) return refused('malformed', 'signed_header_name');
  const items: string[] = [];
  for (const name of names) {
    const value = reader.text(`header:${name}`);
    if (value === undefined) return refused('missing', 'no_signed_header');
    items.push(list.item.split('{name}').join(name).split('{value}').join(value));
  }
  return utf8(items.join(list.join));
}

/**
 * Where time and body follow each other with nothing between, digits could move from one to the other and leave the
 * signed bytes the same; JSON and form bodies never have a digit there.
 */
export function digitsCouldMove(scheme: Scheme, body: Uint8Array): boolean {
  if (scheme.time === undefined || (scheme.time.unit !== 's' && scheme.time.unit !== 'ms')) return false;
  const message = scheme.message ?? '';
  return (
    (message.includes('{ts}{body}') && isDigit(body[0])) ||
    (message.includes('{body}{ts}') && isDigit(body[body.length - 1]))
  );
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
