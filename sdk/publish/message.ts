/** What a producer publishes, and the JSON that the API gets. */

/** Either `payload`, which becomes `data` of the JSON body, or `raw` with `contentType`: the whole body as it is. */
type Content<Payload> =
  | { readonly payload: Payload; readonly raw?: never; readonly contentType?: never }
  | {
      /** The body, byte for byte; nothing is put around it. At most 256 KiB. */
      readonly raw: Uint8Array;
      /** The content type of `raw`, e.g. `application/xml`. */
      readonly contentType: string;
      readonly payload?: never;
    };

interface Rest {
  /** The customer: `uid:` and your own name for it, or the id of the application (`app_…`). */
  readonly application: string;
  /**
   * The same key is the same message, however often it is published. Give the id of what happened: 1 to 256 printable
   * ASCII characters, unique for each application. A key is remembered for the retention (30 days or more).
   */
  readonly idempotencyKey: string;
  /** At most 5. Only endpoints with one of these channels, or with no channel, get it. @default every endpoint gets it */
  readonly channels?: readonly string[];
  /** The version of your API that the payload follows. @default the application's */
  readonly apiVersion?: string;
  /** Endpoints of the same mode get it. @default live */
  readonly mode?: 'live' | 'test';
  /** When it happened. @default the time of publishing */
  readonly timestamp?: Date;
  /** What it is about, 1 to 200 characters. Formats that have a place for it send it. */
  readonly subject?: string;
  /** The request of your own that led to it, 1 to 100 printable ASCII characters without blanks. The format `object` sends it. */
  readonly requestId?: string;
  /** Passed on to the receiver, 1 to 100 printable ASCII characters without blanks. */
  readonly sequence?: string;
  /** The most attempts at each endpoint, 1 to 21. @default as many as the schedule has */
  readonly maxAttempts?: number;
  /** The trace that the message belongs to (a W3C `traceparent`). */
  readonly traceparent?: string;
}

/**
 * A message with a payload of its type. `Events` names the payload of each event type. Without it every type is allowed,
 * with any payload that JSON can write. The API checks the sizes named here.
 */
export type Message<Events extends object = Record<string, unknown>> = {
  [Type in keyof Events & string]: Rest & { readonly type: Type } & Content<Events[Type]>;
}[keyof Events & string];

/** The body of the request. Throws TypeError for a payload that JSON cannot write: a cycle, a bigint, undefined. */
export function bodyOf(message: Message): string {
  const { idempotencyKey, type, payload, raw, contentType, channels, apiVersion, mode, timestamp, ...rest } = message;
  const { subject, sequence, maxAttempts, requestId } = rest;
  const content =
    raw === undefined ? { data: payload } : { raw: Buffer.from(raw).toString('base64'), content_type: contentType };
  if (raw === undefined && JSON.stringify(payload) === undefined)
    throw new TypeError(
      `payload of ${type}: given ${typeof payload}; allowed: a value that JSON can write; fix: give an object`,
    );
  return JSON.stringify({
    ...{ key: idempotencyKey, type, ...content, channels, mode, subject, sequence },
    ...{
      api_version: apiVersion,
      request_id: requestId,
      max_attempts: maxAttempts,
      timestamp: timestamp?.toISOString(),
    },
  });
}
