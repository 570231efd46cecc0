/**
 * A provider as data: how it signs, identifies, acknowledges, retries and shakes hands. JSON only (patterns are strings),
 * because the specs of the configured sources are baked into the ingest bundle.
 */

/**
 * Where a value comes from.
 * - `json:` a path in the body, e.g. `data.object.id`, `entry[0].id`; inside a batch it starts at the item;
 * - `root:` the same from the body's root, also inside a batch; `parent:` from the array element around the item
 *   (`entry[]` for items `entry[].changes[]`); `item:key` the member name that matched a `*` of the item path;
 * - `doc:` a path in the inner document (`identity.document`);
 * - `sig:` a part of the parsed signature header; `claim:` a claim of the JWT; `config:` a setting of the source;
 * - `url` the configured public URL with the query as received; `text:` the text itself.
 * A trailing `?` makes an absent value the empty text.
 */
export type Src =
  | `header:${string}`
  | `json:${string}`
  | `root:${string}`
  | `parent:${string}`
  | 'item:key'
  | `doc:${string}`
  | `form:${string}`
  | `query:${string}`
  | `sig:${string}`
  | `claim:${string}`
  | `config:${string}`
  | `text:${string}`
  | 'method'
  | 'url';

export type SchemeAlgorithm =
  | 'hmac-sha1'
  | 'hmac-sha256'
  | 'hmac-sha512'
  | 'digest-sha256'
  | 'ed25519'
  | 'ecdsa-p256-sha256'
  | 'rsa-sha1'
  | 'rsa-sha256'
  | 'jwt'
  | 'token'
  | 'basic';

type Encoding = 'hex' | 'base64' | 'base64url';
export type TimeUnit = 's' | 'ms' | 'iso8601' | 'http-date';

/** One way to prove a request genuine. */
export interface Scheme {
  /** Tells it from the provider's others. Absent: the provider's own. */
  readonly id?: string;
  readonly alg: SchemeAlgorithm;
  /** How much this alternative proves, where it differs from the provider's `strength`. */
  readonly strength?: Strength;
  /** The alternative is tried only for such requests. Query names as sent; header values must be equal, `*` = present. */
  readonly when?: {
    readonly header?: Readonly<Record<string, string>>;
    readonly queryPresent?: readonly string[];
    readonly queryMissing?: readonly string[];
  };
  readonly sig: {
    readonly from: Src | readonly Src[];
    /** Numbered headers, e.g. DocuSign: a pattern over lower-case header names. */
    readonly headerPattern?: string;
    /** Signatures looked at, default 8. */
    readonly max?: number;
    readonly parse?: {
      /** Separates signatures (or key=value parts), e.g. `,` or ` `. */
      readonly item?: string;
      /** Separates key and value of a part, e.g. `=`. */
      readonly kv?: string;
      /** The key (or keys) under which signatures are, e.g. `v1`, or `config:publicKey`. */
      readonly key?: string | readonly string[];
      readonly prefix?: string;
      readonly prefixOptional?: boolean;
      /** Keys that must not occur twice, e.g. `t`. */
      readonly single?: readonly string[];
    };
  };
  readonly encoding?: Encoding;
  readonly key?: {
    readonly encoding?: 'utf8' | 'hex' | 'base64' | 'base64url';
    /** Prefixes taken off the secret before decoding, e.g. `whsec_`. */
    readonly strip?: readonly string[];
    readonly hash?: 'sha1';
    readonly provider?: 'static' | 'x509Url' | 'jwksUrl' | 'plaid' | 'x5c';
    /** For `x5c` (the token brings its certificates): what the chain must end in, and be made for. */
    readonly chain?: {
      /** SHA-256 of the accepted root certificates, lower-case hex. */
      readonly roots: readonly string[];
      /** Extensions that the certificate of the signer, and that of its issuer, must have: identifiers as hex of DER. */
      readonly leafExtension?: string;
      readonly issuerExtension?: string;
    };
    /**
     * Where the key is fetched from: for `x509Url` (a certificate or public key in PEM) a Src, or an address with Srcs in
     * braces; for `jwksUrl` an address or a setting.
     */
    readonly from?: string;
    /** Allowed hosts and paths of a fetched key, as patterns over the whole text. */
    readonly hosts?: string;
    readonly paths?: string;
  };
  /**
   * Signed bytes, e.g. `{ts}.{body}`, `{header:webhook-id}.{ts}.{body}`, `{method}{url}{body}{ts}`. Tokens: `ts`, `body`,
   * `secret` (plain digests), `pathQuery`, `formSorted`, `signedHeaders`, `crc32(body)` (decimal), any Src, and `lower(…)` of one.
   */
  readonly message?: string;
  /**
   * The list of signed header names, and how `{signedHeaders}` is built: `item` is made of `{name}` and `{value}`. A time
   * that is read from a header must be on the list; an id in a header that is not, or that holds `join`, does not count.
   */
  readonly signedHeaders?: { readonly from: Src; readonly sep: string; readonly item: string; readonly join: string };
  /** Where `message` joins values by a text that one of them may hold: another one that holds it is refused. */
  readonly separated?: { readonly by: string; readonly except: Src };
  readonly url?: { readonly base: 'configured'; readonly variants?: 'twilio' | 'hubspot-decode' };
  readonly time?: {
    readonly from: Src;
    readonly unit: TimeUnit;
    /** Accepted age and lead in seconds; absent: no limit on that side (the provider signs retries with the first time). */
    readonly past?: number;
    readonly future?: number;
    /** The loader refuses a window over an unsigned value. */
    readonly signed: true;
  };
  /** Values in the signed text that must equal a hash of the body, or of the URL (Twilio bodySHA256, Plaid claim). */
  readonly bind?: readonly {
    readonly equals: Src;
    readonly hash: 'sha256';
    readonly encoding: Encoding;
    readonly of?: 'body' | 'url';
    /** A request with an empty body has no such value; one with a body must. */
    readonly absentWhenEmpty?: true;
  }[];
  /**
   * Verify every item of the array at this JSON path on its own, e.g. `notificationItems[].NotificationRequestItem`. The
   * identity's `items` must be the same.
   */
  readonly batch?: string;
  /**
   * Required JWT claims (dots go into nested ones, `a|b` is the first that is there), or, for other algorithms over `{body}`, values at JSON paths of the signed body. `config:` values
   * come from the source's settings, `url` is the configured URL without query.
   */
  readonly claims?: Readonly<Record<string, string>>;
  readonly jwtAlg?: 'HS256' | 'RS256' | 'ES256';
  readonly maxAgeSeconds?: number;
  readonly leewaySeconds?: number;
  /**
   * The token has neither `exp` nor `iat`. Only for one that is bound to the body (`bind`) or is the body: it proves as
   * much as a signature without a time.
   */
  readonly timeless?: true;
  /** A request whose signed text matches this pattern is refused: it could have come out of a handshake. */
  readonly guard?: { readonly rejectMessage: string };
  /** A named function in core/ for what data cannot express. */
  readonly code?: 'sns' | 'jira-connect';
}

interface EventTime {
  readonly from: Src;
  readonly unit: TimeUnit;
  /** `object`: it says when the thing came to be that the event is about, not when the event happened. */
  readonly dates?: 'object';
}

export interface Identity {
  /**
   * Ordered alternatives; the parts of one are joined with length prefixes. `hash:body` is the body's SHA-256; `none`
   * means every request is a new event.
   */
  readonly key: readonly (readonly (Src | 'hash:body' | 'none')[])[];
  readonly type: readonly Src[];
  /** Joins several `type` sources that are all present, e.g. GitHub's event and action, with this text. */
  readonly typeJoin?: string;
  /** Where the event's own time is read; of several, the first that can be read. */
  readonly time?: EventTime | readonly EventTime[];
  /**
   * JSON paths of the items when one request carries many events, e.g. `[]`, `events[]`, `entry[].changes[]`, `*[]` (every
   * array of the top level). Key, type and time are then per item. An element that no path fits is an item by itself; a
   * body that none fits is one event; an empty array is no event.
   */
  readonly items?: string | readonly string[];
  /** A request with this value is one event, even if its body is an array. */
  readonly itemsUnless?: Src;
  /**
   * Where the event is when it is not the body itself, for `doc:`. XML paths: `notification.kind`, `*` = any name,
   * `Notification[]` = all of this name. `asBody`: `json:`, `root:` and `items` are read in it, too. `json-lines`: one
   * event a line, read as an array; a body that is JSON as a whole is that.
   */
  readonly document?: {
    readonly from: Src | 'body';
    readonly encoding?: 'base64';
    readonly format: 'json' | 'json-lines' | 'xml';
    readonly asBody?: true;
  };
  /** Events with the same value are of one thing; of several places, the first that has one. */
  readonly ordering?: Src | readonly Src[];
  /** Bodies of one event may differ between deliveries (attempt counters): a differing body is then no alarm. */
  readonly unstableBody?: boolean;
}

export interface Ack {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
  readonly rejectStatus: 400 | 401 | 403;
  /** After 403 it never sends the event again: what is refused with 403 elsewhere gets `rejectStatus`. */
  readonly givesUpOn403?: true;
  /** Reply body for a refused signature; absent = the product's flat JSON. */
  readonly rejectBody?: string;
  /** The provider gives up after this time; ten seconds where nobody states one. */
  readonly deadlineMs: number;
}

type Method = 'POST' | 'GET' | 'HEAD' | 'OPTIONS';

export interface Handshake {
  readonly when: {
    readonly method: Method;
    /** Query parameters that must be present; a value must be equal unless `*`. */
    readonly query?: Readonly<Record<string, string>>;
    readonly header?: Readonly<Record<string, string>>;
    /** JSON paths of the body and the value they must have (`*` = any string). */
    readonly jsonEquals?: Readonly<Record<string, string | number>>;
    readonly jsonMissing?: readonly string[];
    /** The body's top-level keys are exactly these. */
    readonly jsonKeysExactly?: readonly string[];
    /** Form fields of the body: the body's keys are exactly these. */
    readonly formKeysExactly?: readonly string[];
    readonly emptyJsonArrayAt?: string;
  };
  readonly verify: 'none' | 'signature' | { readonly tokenEquals: Src; readonly token: `config:${string}` };
  /** Caller text that is echoed or signed must match this pattern; mandatory where a MAC is computed over it. */
  readonly guard?: { readonly src: Src; readonly accept: string };
  readonly respond: {
    readonly status: number;
    readonly contentType?: string;
    /**
     * Reply template. Functions: `{echo(src)}`, `{json(src)}` (as a JSON string), `{hmac(alg,encoding,src)}`,
     * `{hash(alg,encoding,src,src…)}`. Other braces are text. `url` is the configured URL without query.
     */
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** Status when `verify` or `guard` refuses. */
    readonly elseStatus?: number;
  };
  /** The request brings the secret (Asana, Notion): kept only while the source is pairing and has none. */
  readonly store?: { readonly kind: 'pairing-secret'; readonly from: Src };
  /** After verification, GET this URL (SNS SubscribeURL): host and path pinned by the named code. */
  readonly confirm?: { readonly url: Src; readonly hosts: string };
}

/** `signed`: the bytes are bound. `origin`: proves the sender only. `shared-secret`: a token travels with the request. */
export type Strength = 'signed' | 'origin' | 'shared-secret' | 'none';

/** Every event type of a provider, as one of its own publications had them on a day. */
interface KnownTypes {
  readonly names: readonly string[];
  /** Where they were read, e.g. `the npm package stripe 23.1.0`. */
  readonly from: string;
  /** Date, yyyy-mm-dd. */
  readonly readOn: string;
}

/** A provider as data: how it signs, identifies, acknowledges and retries. docs/receive/add-a-provider.md goes through it. */
export interface ProviderSpec {
  readonly id: string;
  readonly title: string;
  readonly docs: string;
  /** Date of the last check against the provider's documentation, yyyy-mm-dd. */
  readonly checkedOn: string;
  /** Where the form of the signature was read, if not at `docs`: repository and file, or who agrees on it. A sentence. */
  readonly source?: string;
  /**
   * Facts below that could not be confirmed in the provider's own documentation, as clauses. In short, where they fit:
   * `event fields`, `retries`, `deadline` (with ten seconds in `ack`: nobody states one), `new time on retries`.
   */
  readonly unconfirmed?: readonly string[];
  /** Absent: what `verify` proves, by its algorithms. Where that is nothing, `none` is said. */
  readonly strength?: Strength;
  /** Alternatives, tried in order; one that verifies is enough. Empty: the provider has no authentication. */
  readonly verify: readonly Scheme[];
  readonly identity: Identity;
  /**
   * What its event types look like: a pattern of one character, and an example. `known`: all of them, where the provider
   * publishes a list. A handler for any other type is told.
   */
  readonly types?: { readonly character: string; readonly example: string; readonly known?: KnownTypes };
  /** Absent: 200, 401, and ten seconds. */
  readonly ack?: Ack;
  /** Calls before the first event, and what answers them. */
  readonly handshakes?: readonly Handshake[];
  /** Absent: POST, and those of the handshakes. */
  readonly methods?: readonly Method[];
  readonly maxBodyBytes?: number;
  /** Address ranges the provider publishes. `holdfast sources ips --refresh` rewrites them here. */
  readonly ips?: {
    readonly ranges: readonly string[];
    /** Date, yyyy-mm-dd. */
    readonly readOn: string;
    /** Where the provider publishes them. */
    readonly from: string;
    /** Where they are if that is JSON: names joined by dots, `*` for every member. Absent: a page for people. */
    readonly at?: string;
    /** They were read in a public copy of the list, not at `from` itself. */
    readonly copied?: true;
  };
  /** Never stored or logged, lower-case. Absent: those that `verify` reads signatures and times from. */
  readonly signatureHeaders?: readonly string[];
  /** Kept with the event for handlers, beside `content-type` and the headers the spec itself reads. */
  readonly keepHeaders?: readonly string[];
  /** Settings a source must give, named in `config:` (e.g. `webhookId`), with what they are. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly retries: string;
  readonly setup: string;
}

/** The places an event's own time is read from, in order. */
export function eventTimes({ time = [] }: Pick<Identity, 'time'>): readonly EventTime[] {
  return Array.isArray(time) ? (time as readonly EventTime[]) : [time as EventTime];
}
