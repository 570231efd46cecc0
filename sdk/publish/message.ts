/** What a producer publishes, and the JSON that the API takes of it. */

/** A message whose data is JSON: `payload` becomes `data` of the body. Or the whole body as it is: `raw` with its type. */
type Content<Payload> =
  | { readonly payload: Payload; readonly raw?: never; readonly contentType?: never }
  | {
      /** The body, byte for byte; nothing is put around it. At most 256 KiB. */
      readonly raw: Uint8Array;
      /** e.g. `application/xml`. */
      readonly contentType: string;
      readonly payload?: never;
    };

interface Rest {
  /** `uid:` and your own name of the customer, or the id of the application (`app_…`). */
  readonly application: string;
  /**
   * What makes this message the same when it is published again: the id of what happened, 1 to 256 printable ASCII
   * characters, unique for each application. A key is remembered for the retention (30 days or more).
   */
  readonly idempotencyKey: string;
  /** At most 5: only endpoints with one of these channels, or with none, get it. @default every endpoint */
  readonly channels?: readonly string[];
  /** Version of your API that the payload has. @default that of the application */
  readonly apiVersion?: string;
  /** Endpoints of the same mode get it. @default live */
  readonly mode?: 'live' | 'test';
  /** When it happened. @default when it is published */
  readonly timestamp?: Date;
  /** What it is about, 1 to 200 characters; in bodies of formats that have a place for it. */
  readonly subject?: string;
  /** Passed on to the receiver, 1 to 100 printable ASCII characters without blanks. */
  readonly sequence?: string;
  /** Attempts at each endpoint, 1 to 21. @default the endpoint's schedule */
  readonly maxAttempts?: number;
  /** Trace that the message belongs to (W3C Trace Context). */
  readonly traceparent?: string;
}

/**
 * A message, with a payload of its type. `Events` has the payload of each event type by name; without it every type is
 * allowed, with any payload that JSON can write. The sizes named here are checked by the API.
 */
export type Message<Events extends object = Record<string, unknown>> = {
  [Type in keyof Events & string]: Rest & { readonly type: Type } & Content<Events[Type]>;
}[keyof Events & string];

/** The body of the request. Throws TypeError for a payload that JSON cannot write: a cycle, a bigint, undefined. */
export function bodyOf(message: Message): string {
  const { idempotencyKey, type, payload, raw, contentType, channels, apiVersion, mode, timestamp, ...rest } = message;
  const { subject, sequence, maxAttempts } = rest;
  const content =
    raw === undefined ? { data: payload } : { raw: Buffer.from(raw).toString('base64'), content_type: contentType };
  if (raw === undefined && JSON.stringify(payload) === undefined)
    throw new TypeError(
      `payload of ${type}: given ${typeof payload}; allowed: what JSON can write; fix: give an object`,
    );
  return JSON.stringify({
    ...{ key: idempotencyKey, type, ...content, channels, mode, subject, sequence },
    ...{ api_version: apiVersion, max_attempts: maxAttempts, timestamp: timestamp?.toISOString() },
  });
}
