/**
 * Which event a verified request is: its key for the conditional put, its type, its time. Never refuses: what cannot be
 * read falls back to the next alternative and at last to the body's hash and type `unknown`, and the event is kept. Ids are
 * taken from the raw text, so that none of their digits is lost.
 */
import { given } from '#core/given.ts';
import { isEventKey } from '#core/glossary.ts';
import type { Crypto } from '#core/ports.ts';
import { eventTimes, type Identity, type ProviderSpec, type Scheme, type Src } from '#core/provider/provider-spec.ts';
import { schemeId } from '#core/provider/spec-defaults.ts';
import { toHex, utf8 } from '#core/scan/bytes.ts';
import { type BatchItem, listItems } from './batch-items.ts';
import { decodeJwt } from './jwt.ts';
import { signedHeaderNames } from './message.ts';
import { readSignatures } from './read-signatures.ts';
import { NO_SCOPE, type ReadableRequest, RequestReader, type Scope } from './request-reader.ts';
import { parseEventTime } from './timestamps.ts';
import type { Verified } from './verdict.ts';

interface Description {
  /** Undefined: no key can be had; every delivery is a new event. */
  readonly key: string | undefined;
  readonly eventType: string;
  readonly eventAtMs?: number;
}

export interface IdentifiedItem extends Description {
  /** The place of the item in the body, e.g. `events[0]`. */
  readonly path: string;
  /** The item as it is in the body, byte for byte. */
  readonly bytes: Uint8Array;
  /** What it is about, where that is said in the request around it (`root:`, `parent:`). */
  readonly subject?: string;
}

export type Identification =
  | ({ readonly kind: 'event' } & Description)
  | {
      readonly kind: 'batch';
      /** SHA-256 over the items' keys; undefined when an item has none. */
      readonly key: string | undefined;
      /** `<provider>.batch`. */
      readonly eventType: string;
      readonly items: readonly IdentifiedItem[];
      /** Items left out because they did not verify. */
      readonly refusedItems: number;
    }
  /** Genuine, but no event (a heartbeat): to be acknowledged, not stored. */
  | { readonly kind: 'nothing' };

export interface IdentifyOptions {
  readonly crypto: Pick<Crypto, 'hash'>;
  readonly settings: Readonly<Record<string, string>>;
  /** The key is the body's hash, whatever the spec says. */
  readonly dedupOnBody: boolean;
  readonly verdict: Verified;
}

const UNKNOWN_TYPE = 'unknown';
const MAX_TYPE_LENGTH = 200;

/** Identifies a verified request. Never throws. */
export function identifyRequest(
  spec: ProviderSpec,
  request: ReadableRequest,
  options: IdentifyOptions,
): Identification {
  const { identity } = spec;
  const reader = new RequestReader(request, options, identity.document);
  const scope = scopeOf(spec, reader, options.verdict);
  const list = listedItems(spec, reader);
  if (list.kind === 'empty') return { kind: 'nothing' };
  if (list.kind === 'absent') return { kind: 'event', ...describe(spec, reader, scope, request.body, options) };
  const refused = new Set(options.verdict.items?.filter(item => !item.verified).map(item => item.path));
  const items = list.items
    .filter(item => !refused.has(item.path))
    .map(item => identifyItem(spec, reader, { ...scope, item }, item, options));
  return {
    kind: 'batch',
    key: batchKey(items, request.body, options),
    eventType: `${spec.id}.batch`,
    items,
    refusedItems: list.items.length - items.length,
  };
}

/**
 * The items of a recorded batch, for the splitter: the same paths, keys and bytes as at ingest, unverified ones included.
 * Undefined when the body is no batch.
 */
export function splitItems(
  spec: ProviderSpec,
  request: ReadableRequest,
  options: Omit<IdentifyOptions, 'verdict' | 'dedupOnBody'> & { readonly dedupOnBody?: boolean },
): readonly IdentifiedItem[] | undefined {
  const reader = new RequestReader(request, options, spec.identity.document);
  const list = listedItems(spec, reader);
  if (list.kind !== 'items') return undefined;
  const { dedupOnBody = false } = options;
  return list.items.map(item => identifyItem(spec, reader, { item }, item, { ...options, dedupOnBody }));
}

function listedItems({ identity }: ProviderSpec, reader: RequestReader): ReturnType<typeof listItems> {
  const isOne = identity.itemsUnless !== undefined && reader.text(identity.itemsUnless) !== undefined;
  const document = identity.items === undefined || isOne ? undefined : reader.json();
  return document && identity.items !== undefined ? listItems(document, identity.items) : { kind: 'absent' };
}

type ItemOptions = Pick<IdentifyOptions, 'crypto' | 'dedupOnBody'>;

function identifyItem(
  spec: ProviderSpec,
  reader: RequestReader,
  scope: Scope,
  item: BatchItem,
  options: ItemOptions,
): IdentifiedItem {
  const bytes = reader.json()?.slice(item.node) ?? new Uint8Array();
  const subject = subjectAround(spec, reader, scope);
  return { path: item.path, bytes, ...describe(spec, reader, scope, bytes, options), ...given({ subject }) };
}

/** Undefined where the item itself says it: that is read when its handler runs. */
function subjectAround({ identity: { ordering = [] } }: ProviderSpec, reader: RequestReader, scope: Scope) {
  const named = [ordering].flat().find(place => reader.text(place, scope));
  return named === undefined || named.startsWith('json:') ? undefined : reader.text(named, scope);
}

function describe(
  { identity }: ProviderSpec,
  reader: RequestReader,
  scope: Scope,
  bytes: Uint8Array,
  { crypto, dedupOnBody }: ItemOptions,
): Description {
  const eventAtMs = eventTime(identity, reader, scope);
  return {
    key: dedupOnBody ? bodyHash(bytes, crypto) : eventKey(identity, reader, scope, bytes, crypto),
    eventType: eventType(identity, reader, scope),
    ...given({ eventAtMs }),
  };
}

function eventTime(identity: Identity, reader: RequestReader, scope: Scope): number | undefined {
  for (const { from, unit } of eventTimes(identity)) {
    const text = reader.text(from, scope);
    const ms = text === undefined ? undefined : parseEventTime(text, unit);
    if (ms !== undefined) return ms;
  }
  return undefined;
}

/** The first alternative whose parts are all there; several parts are joined with their lengths, so none can run over. */
function eventKey(
  identity: Identity,
  reader: RequestReader,
  scope: Scope,
  bytes: Uint8Array,
  crypto: Pick<Crypto, 'hash'>,
): string | undefined {
  for (const alternative of identity.key) {
    if (alternative.includes('none')) return undefined;
    const parts: string[] = [];
    for (const src of alternative) {
      const part = src === 'hash:body' ? bodyHash(bytes, crypto) : idText(src, reader, scope);
      if (part === undefined || (part === '' && !src.endsWith('?'))) break;
      parts.push(part);
    }
    if (parts.length === alternative.length && parts.join('') !== '') return toKey(joinParts(parts), crypto);
  }
  return bodyHash(bytes, crypto);
}

/** Where the signature names the headers it covers, others could be replaced under it: no id is read from them. */
function idText(src: Src | 'none', reader: RequestReader, scope: Scope): string | undefined {
  const header = /^header:([^?]*)/.exec(src)?.[1];
  if (header !== undefined && scope.idHeaders?.includes(header) === false) return undefined;
  return reader.text(src, scope);
}

function joinParts(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? '') : parts.map(part => `${part.length}:${part}`).join(',');
}

function toKey(text: string, crypto: Pick<Crypto, 'hash'>): string {
  return isEventKey(text) ? text : toHex(crypto.hash('sha256', utf8(text)));
}

/** Undefined for an empty body: all of them would be one event, and only the first would be handled. */
function bodyHash(bytes: Uint8Array, crypto: Pick<Crypto, 'hash'>): string | undefined {
  return bytes.length === 0 ? undefined : toHex(crypto.hash('sha256', bytes));
}

function batchKey(items: readonly IdentifiedItem[], body: Uint8Array, options: ItemOptions): string | undefined {
  if (options.dedupOnBody) return bodyHash(body, options.crypto);
  const keys = items.map(item => item.key);
  return keys.includes(undefined)
    ? undefined
    : toHex(options.crypto.hash('sha256', utf8(joinParts([...keys.map(key => key ?? ''), '']))));
}

function eventType(identity: Identity, reader: RequestReader, scope: Scope): string {
  const found: string[] = [];
  for (const src of identity.type) {
    const text = reader.text(src, scope);
    if (text === undefined || text === '') continue;
    found.push(text);
    if (identity.typeJoin === undefined) break;
  }
  // A blank stays: names such as Segment's `Order Completed` are what a handler is registered for.
  const type = found
    .join(identity.typeJoin ?? '')
    .replace(/[^\x20-\x7e]+/g, '_')
    .slice(0, MAX_TYPE_LENGTH)
    .trim();
  return type === '' ? UNKNOWN_TYPE : type;
}

/** Parts of the signature header, claims of the token and the signed headers, where the identity reads them. */
function scopeOf(spec: ProviderSpec, reader: RequestReader, verdict: Verified): Scope {
  const { key, type } = spec.identity;
  const sources: readonly string[] = [...key.flat(), ...type, ...eventTimes(spec.identity).map(({ from }) => from)];
  const listsHeaders = spec.verify.some(({ signedHeaders }) => signedHeaders !== undefined);
  if (!listsHeaders && !sources.some(src => src.startsWith('sig:') || src.startsWith('claim:'))) return NO_SCOPE;
  // A stored body was verified when it came: where it is a token, that is read as any of the provider's.
  const scheme: Scheme | undefined =
    spec.verify.find(each => schemeId(each, spec) === verdict.scheme) ?? spec.verify[0];
  const signatures = scheme && readSignatures(scheme, reader, NO_SCOPE);
  if (signatures?.kind !== 'signatures') return listsHeaders ? { idHeaders: [] } : NO_SCOPE;
  const jwt = scheme?.jwtAlg === undefined ? undefined : decodeJwt(signatures.values[0] ?? '', scheme.jwtAlg);
  const scope: Scope = { sig: signatures.parts, ...(jwt?.kind === 'jwt' ? { claims: jwt.claims } : {}) };
  return listsHeaders ? { ...scope, idHeaders: idHeaders(scheme, reader, scope) } : scope;
}

/** Signed headers whose value holds no separator: part of one that does could belong to its neighbour. */
function idHeaders(scheme: Scheme | undefined, reader: RequestReader, scope: Scope): readonly string[] {
  const join = scheme?.signedHeaders?.join ?? '';
  return (signedHeaderNames(scheme, reader, scope) ?? []).filter(
    name => reader.text(`header:${name}`)?.includes(join) === false,
  );
}
