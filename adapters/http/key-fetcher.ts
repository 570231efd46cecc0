/**
 * Fetches and caches the keys of providers that publish them. Which addresses may be asked is decided in core/ (host and
 * path patterns of the spec); here every call is capped, only public addresses are called, redirects are not followed, certificates must be in date, an
 * address that failed is not asked again at once, and few are asked that no accepted request has named before: forged
 * requests can name any certificate or key id, and must not turn into a stream of calls. Places that verified a request
 * are kept over cold starts (`places`) and are always asked.
 */
import { X509Certificate } from 'node:crypto';
import type { Agent } from 'node:https';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { Clock, Jwk, KeyFetcher } from '#core/ports.ts';
import { HOUR_MS } from '#core/time.ts';
import { UnknownKeyPlaceError } from '#core/unknown-key-place.ts';
import type { CappedAnswer, CappedCall } from './fetch-capped.ts';

export interface KeyFetcherOptions {
  readonly clock: Clock;
  /** @default 1500, so that the ingest budget leaves room for storing the event */
  readonly timeoutMs?: number;
  /** For tests: where host names lead and which authority signs them. @default public addresses only */
  readonly agent?: Agent;
  /** Places that verified requests, of all functions. @default only those of this process */
  readonly places?: { load(): Promise<readonly string[]>; add(place: string): Promise<void> };
  /** @default over node:https, to public addresses */
  readonly call?: (call: CappedCall) => Promise<CappedAnswer>;
}

const FRESH_MS = { x509Url: 24 * HOUR_MS, jwksUrl: HOUR_MS, plaid: 24 * HOUR_MS } as const;
/** After that a key that cannot be fetched anew is no longer used. */
const STALE_MS = 24 * HOUR_MS;
/** An address that failed, or a key id that was not there, is asked again after this. */
const RETRY_MS = 30_000;
/** Reading and keeping the known places takes no longer than this from a request. */
const PLACES_MS = 300;
/** Addresses and key ids that are not known to be good and are asked for within `RETRY_MS`, of each host. */
const MAX_NEW = 10;
const MAX_BYTES = 128 * 1_024;
const MAX_ENTRIES = 200;
const UNKNOWN_PLAID_KEY = 'INVALID_WEBHOOK_VERIFICATION_KEY_ID';

type Kind = Parameters<KeyFetcher['fetchKey']>[0];

interface Entry {
  readonly keys: readonly Jwk[] | string;
  readonly fetchedAt: EpochMs;
}

export class CachedKeyFetcher implements KeyFetcher {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #agent: Agent | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #askedAt = new Map<string, { readonly at: EpochMs; readonly error: Error | undefined }>();
  readonly #running = new Map<string, Promise<Entry>>();
  readonly #asksForNew = new Map<string, { readonly since: EpochMs; count: number }>();
  readonly #places: KeyFetcherOptions['places'];
  readonly #call: (call: CappedCall) => Promise<CappedAnswer>;
  readonly #good = new Set<string>();
  #placesReadAt = Number.NEGATIVE_INFINITY;

  constructor({ clock, timeoutMs = 1_500, agent, places, call = callOut }: KeyFetcherOptions) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#agent = agent;
    this.#places = places;
    this.#call = call;
  }

  async confirm(kind: Kind, locator: string, kid?: string): Promise<void> {
    // The address of a set of keys is the provider's own, not the request's.
    const name = nameOf(kind, locator, kid);
    if (kind === 'jwksUrl' || this.#good.has(name)) return;
    this.#good.add(name);
    await within(PLACES_MS, this.#places?.add(name));
  }

  async fetchKey(kind: Kind, locator: string, kid?: string, credential?: string): Promise<Jwk | string | undefined> {
    const name = nameOf(kind, locator, kid);
    const known = this.#entries.get(name);
    if (!known && this.#wasAskedJustNow(name) && this.#askedAt.get(name)?.error === undefined) return undefined;
    const ask = async () => {
      const good = known !== undefined || kind === 'jwksUrl' || (await this.#isGood(name));
      if (!good && this.#isFlooded(locator))
        throw new UnknownKeyPlaceError('too many keys were asked for that were not known before');
      return this.#ask(kind, locator, kid, credential, good);
    };
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - known.fetchedAt;
    if (known && age < FRESH_MS[kind]) {
      const key = choose(known, kid);
      // A key id that is not in a fresh set may be a new one: worth one look.
      if (key !== undefined || kind !== 'jwksUrl' || this.#wasAskedJustNow(name)) return key;
      return choose(await this.#load(name, ask).catch(() => known), kid);
    }
    try {
      return choose(await this.#load(name, ask), kid);
    } catch (error) {
      if (known && age < FRESH_MS[kind] + STALE_MS) return choose(known, kid);
      throw error;
    }
  }

  #wasAskedJustNow(name: string): boolean {
    const asked = this.#askedAt.get(name);
    return asked !== undefined && this.#clock.now() - asked.at < RETRY_MS;
  }

  async #isGood(name: string): Promise<boolean> {
    if (!this.#good.has(name) && this.#places && this.#clock.now() - this.#placesReadAt >= RETRY_MS) {
      this.#placesReadAt = this.#clock.now();
      for (const place of (await within(PLACES_MS, this.#places.load())) ?? []) this.#good.add(place);
    }
    return this.#good.has(name);
  }

  #isFlooded(locator: string): boolean {
    const { host } = new URL(locator);
    const now = this.#clock.now();
    const last = this.#asksForNew.get(host);
    const asks = last && now - last.since < RETRY_MS ? last : { since: now, count: 0 };
    remember(this.#asksForNew, host, asks);
    asks.count++;
    return asks.count > MAX_NEW;
  }

  /** One call at a time per address; the failure of the last one is remembered for a while. */
  #load(name: string, ask: () => Promise<Entry>): Promise<Entry> {
    const running = this.#running.get(name);
    if (running) return running;
    const last = this.#askedAt.get(name);
    if (last?.error && this.#wasAskedJustNow(name)) return Promise.reject(last.error);
    const load = ask()
      .then(
        entry => {
          // That there is no such key is not kept as one that may drive out others: it may be there soon.
          if (entry.keys.length > 0) remember(this.#entries, name, entry);
          else this.#entries.delete(name);
          remember(this.#askedAt, name, { at: this.#clock.now(), error: undefined });
          return entry;
        },
        (error: Error) => {
          remember(this.#askedAt, name, { at: this.#clock.now(), error });
          throw error;
        },
      )
      .finally(() => this.#running.delete(name));
    this.#running.set(name, load);
    return load;
  }

  async #ask(
    kind: Kind,
    locator: string,
    kid: string | undefined,
    credential: string | undefined,
    good: boolean,
  ): Promise<Entry> {
    const limits = { timeoutMs: this.#timeoutMs, maxBytes: MAX_BYTES, ...given({ agent: this.#agent }) };
    if (kind === 'plaid') return this.#askPlaid(locator, kid, credential, limits);
    const call = this.#call({ method: 'GET', url: locator, ...limits });
    if (kind === 'x509Url' && !good) return this.#readUnknown(call);
    const { status, text } = await call;
    if (status !== 200) throw new Error(`${new URL(locator).host} answered ${status}`);
    return { keys: kind === 'x509Url' ? this.#inDate(text) : parseKeySet(text), fetchedAt: this.#clock.now() };
  }

  /**
   * A certificate that only this request speaks of. Its absence, its age and whatever is in its place say that there
   * is no such key. A place that does not answer says nothing: the request may be genuine, and should come again.
   */
  async #readUnknown(call: Promise<CappedAnswer>): Promise<Entry> {
    const answer = await call.catch((error: Error) => {
      throw new UnknownKeyPlaceError(error.message, { cause: error });
    });
    const { status } = answer;
    if (status === 408 || status === 425 || status === 429 || status >= 500)
      throw new UnknownKeyPlaceError(`an unknown address answered ${status}`);
    const none: Entry = { keys: [], fetchedAt: this.#clock.now() };
    if (status !== 200) return none;
    try {
      return { ...none, keys: this.#inDate(answer.text) };
    } catch {
      return none;
    }
  }

  async #askPlaid(
    origin: string,
    kid: string | undefined,
    credential: string | undefined,
    limits: { timeoutMs: number; maxBytes: number; agent?: Agent },
  ): Promise<Entry> {
    const [, clientId, secret] = /^([^:]*):(.*)$/s.exec(credential ?? '') ?? [];
    const body = JSON.stringify({ client_id: clientId, secret, key_id: kid });
    const url = `${origin}/webhook_verification_key/get`;
    const { status, text } = await this.#call({ method: 'POST', url, body, ...limits });
    // plaid.com/docs/errors: an unknown key id is an INVALID_INPUT error, which is a 400; so are refused credentials.
    if (status === 400) {
      const { error_code } = parseObject(text) as { error_code?: unknown };
      if (error_code === UNKNOWN_PLAID_KEY) return { keys: [], fetchedAt: this.#clock.now() };
      throw new Error(`${new URL(origin).host} answered 400: ${String(error_code).slice(0, 60)}`);
    }
    if (status !== 200) throw new Error(`${new URL(origin).host} answered ${status}`);
    const { key } = parseObject(text) as { key?: unknown };
    if (!isJwk(key) || key['kid'] !== kid) throw new Error('Plaid answered without the key that was asked for');
    const expired = typeof key['expired_at'] === 'number';
    return { keys: expired ? [] : [key], fetchedAt: this.#clock.now() };
  }

  /** The first certificate, if it is valid now; a bare public key has no dates. */
  #inDate(text: string): string {
    const pem = /-----BEGIN (CERTIFICATE|PUBLIC KEY)-----[A-Za-z0-9+/=\s]+-----END \1-----/.exec(text);
    if (!pem) throw new Error('the answer holds neither a certificate nor a public key');
    if (pem[1] === 'PUBLIC KEY') return pem[0];
    const { validFromDate, validToDate } = new X509Certificate(pem[0]);
    const now = this.#clock.now();
    if (now < validFromDate.getTime() || now > validToDate.getTime()) {
      throw new Error(`the certificate is valid from ${validFromDate.toISOString()} to ${validToDate.toISOString()}`);
    }
    return pem[0];
  }
}

async function callOut(call: CappedCall): Promise<CappedAnswer> {
  const { fetchGuarded } = await import('./fetch-guarded.ts');
  return fetchGuarded(call);
}

function nameOf(kind: Kind, locator: string, kid: string | undefined): string {
  return kind === 'plaid' ? `${kind} ${locator} ${kid}` : `${kind} ${locator}`;
}

/** Best effort: what takes longer, or fails, answers undefined. */
async function within<T>(ms: number, work: Promise<T> | undefined): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined);
  });
  return Promise.race([work?.catch(() => undefined), late]).finally(() => clearTimeout(timer));
}

function choose({ keys }: Entry, kid: string | undefined): Jwk | string | undefined {
  if (typeof keys === 'string') return keys;
  return kid === undefined ? (keys.length === 1 ? keys[0] : undefined) : keys.find(key => key['kid'] === kid);
}

function parseKeySet(text: string): readonly Jwk[] {
  const { keys } = parseObject(text) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('the answer is not a set of keys');
  return keys.filter(isJwk).filter(key => key['use'] === undefined || key['use'] === 'sig');
}

function parseObject(text: string): object {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error('the answer is not a JSON object');
  return value;
}

function isJwk(value: unknown): value is Jwk {
  return typeof value === 'object' && value !== null && 'kty' in value;
}

/** Map keeps insertion order: the oldest entry goes first. */
function remember<V>(map: Map<string, V>, name: string, value: V): void {
  map.delete(name);
  if (map.size >= MAX_ENTRIES) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(name, value);
}
