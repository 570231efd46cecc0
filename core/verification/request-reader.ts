/**
 * Reads the values a spec names (`Src`) from a request. Nothing is parsed before somebody asks, and nothing here throws:
 * a value that is not there, or not text, is undefined.
 */
import type { ProviderSpec, Src } from '#core/provider/provider-spec.ts';
import { binaryOf, bytesOfBinary, fromBase64, textOf, utf8 } from '#core/scan/bytes.ts';
import { type FormField, fieldText, scanForm, scanQuery } from '#core/scan/form-scan.ts';
import { type JsonDocument, ROOT, scanJson } from '#core/scan/json-scan.ts';
import { scanXml, type XmlDocument } from '#core/scan/xml-scan.ts';
import type { BatchItem } from './batch-items.ts';

/** The part of a request that verification and identity look at. */
export interface ReadableRequest {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly rawQuery?: string;
}

export interface ReaderSettings {
  readonly settings: Readonly<Record<string, string>>;
  /** Configured URL without query. */
  readonly publicUrl?: string;
}

/** What is known besides the request while one value is read. */
export interface Scope {
  readonly item?: BatchItem;
  readonly sig?: ReadonlyMap<string, string>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Headers an id may be in, where the signature names those it covers; absent: any. */
  readonly idHeaders?: readonly string[];
}

export const NO_SCOPE: Scope = {};

export class RequestReader {
  readonly request: ReadableRequest;
  readonly settings: Readonly<Record<string, string>>;
  readonly #publicUrl: string | undefined;
  readonly #inner: ProviderSpec['identity']['document'];
  #scannedJson: { readonly json: JsonDocument | undefined } | undefined;
  #scannedForm: { readonly fields: readonly FormField[] | undefined } | undefined;
  #scannedQuery: { readonly fields: readonly FormField[] | undefined } | undefined;
  #scannedInner: { readonly find: (path: string) => string | undefined } | undefined;

  constructor(
    request: ReadableRequest,
    { settings, publicUrl }: ReaderSettings,
    inner?: ProviderSpec['identity']['document'],
  ) {
    this.request = request;
    this.settings = settings;
    this.#publicUrl = publicUrl;
    this.#inner = inner;
  }

  /** The value as text. An optional value (`?`) that is absent is empty; one that is there and is no text is not. */
  text(src: Src | string, scope: Scope = NO_SCOPE): string | undefined {
    if (!src.endsWith('?')) return this.#required(src, scope);
    const wanted = src.slice(0, -1);
    return this.#required(wanted, scope) ?? (this.#isThere(wanted, scope) ? undefined : '');
  }

  /** Is there a value in the body, `null` aside? What was signed as absent could otherwise be put there unseen. */
  #isThere(src: string, scope: Scope): boolean {
    const [, kind, name = ''] = /^(json|root|parent|form):(.*)$/s.exec(src) ?? [];
    if (kind === undefined) return false;
    if (kind === 'form') return this.form()?.some(field => field.name === name) ?? true;
    const { node = ROOT, parent = ROOT } = scope.item ?? {};
    const document = this.json();
    const found = document?.find(name, { json: node, root: ROOT, parent }[kind]);
    return found !== undefined && document?.kind(found) !== 'null';
  }

  #required(src: string, scope: Scope): string | undefined {
    const colon = src.indexOf(':');
    const name = src.slice(colon + 1);
    switch (colon < 0 ? src : src.slice(0, colon)) {
      case 'header':
        return own(this.request.headers, name);
      case 'json':
        return this.json()?.textAt(name, scope.item?.node ?? ROOT);
      case 'root':
        return this.json()?.textAt(name, ROOT);
      case 'parent':
        return this.json()?.textAt(name, scope.item?.parent ?? ROOT);
      case 'item':
        return scope.item?.key;
      case 'doc':
        return this.#readInner(name);
      case 'form':
        return fieldText(this.form(), name);
      case 'query':
        return fieldText(this.query(), name);
      case 'sig':
        return scope.sig?.get(name);
      case 'claim':
        return claimText(scope.claims, name);
      case 'config':
        return own(this.settings, name);
      case 'text':
        return name;
      case 'method':
        return this.request.method;
      case 'url':
        return this.url();
      default:
        return undefined;
    }
  }

  json(): JsonDocument | undefined {
    this.#scannedJson ??= { json: this.#scanBody() };
    return this.#scannedJson.json;
  }

  #scanBody(): JsonDocument | undefined {
    const inner = this.#inner;
    const bytes = inner?.asBody ? this.#carried(inner) : this.request.body;
    if (bytes === undefined) return undefined;
    return (inner?.format === 'json-lines' ? scanJson(linesAsArray(bytes)) : undefined) ?? scanJson(bytes);
  }

  /** The bytes of the inner document. */
  #carried({ from, encoding }: NonNullable<ProviderSpec['identity']['document']>): Uint8Array | undefined {
    if (from === 'body') return this.request.body;
    const text = this.text(from);
    if (text === undefined) return undefined;
    return encoding === 'base64' ? fromBase64(text.replace(/\s/g, '')) : utf8(text);
  }

  form(): readonly FormField[] | undefined {
    this.#scannedForm ??= { fields: scanForm(this.request.body) };
    return this.#scannedForm.fields;
  }

  query(): readonly FormField[] | undefined {
    this.#scannedQuery ??= { fields: scanQuery(this.request.rawQuery ?? '') };
    return this.#scannedQuery.fields;
  }

  /** The configured URL and the query as received: never anything from Host or X-Forwarded headers. */
  url(): string | undefined {
    const { rawQuery } = this.request;
    return this.#publicUrl === undefined || rawQuery === undefined || rawQuery === ''
      ? this.#publicUrl
      : `${this.#publicUrl}?${rawQuery}`;
  }

  bareUrl(): string | undefined {
    return this.#publicUrl;
  }

  #readInner(path: string): string | undefined {
    this.#scannedInner ??= { find: this.#openInner() };
    return this.#scannedInner.find(path);
  }

  #openInner(): (path: string) => string | undefined {
    const nothing = () => undefined;
    if (!this.#inner) return nothing;
    const bytes = this.#carried(this.#inner);
    if (!bytes) return nothing;
    if (this.#inner.format === 'xml') {
      const text = textOf(bytes);
      const xml: XmlDocument | undefined = text === undefined ? undefined : scanXml(text);
      return path => xml?.text(path);
    }
    const json = scanJson(bytes);
    return path => json?.textAt(path);
  }
}

function own(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/**
 * Lines of JSON as one array. The text of every value stays as it is; its place moves by one byte.  A body that is an
 * array already is left as it is.
 */
function linesAsArray(bytes: Uint8Array): Uint8Array {
  const text = binaryOf(bytes);
  if (/^\s*\[/.test(text)) return bytes;
  const lines = text.split('\n').filter(line => line.trim() !== '');
  return bytesOfBinary(`[${lines.join(',')}]`);
}

/** A claim as text; numbers and booleans as JSON writes them. */
export function claimText(claims: Readonly<Record<string, unknown>> | undefined, name: string): string | undefined {
  const value = claimValue(claims, name);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** The claim of this name; `data.bundleId` is one inside another, unless a claim is named so; `a|b` the first there. */
export function claimValue(claims: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  for (const path of name.split('|')) {
    let at: unknown = claims;
    const steps = claims && Object.hasOwn(claims, path) ? [path] : path.split('.');
    for (const step of steps) {
      at =
        typeof at === 'object' && at !== null && Object.hasOwn(at, step)
          ? (at as Record<string, unknown>)[step]
          : undefined;
    }
    if (at !== undefined) return at;
  }
  return undefined;
}
