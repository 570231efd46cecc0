/** The HTTP call as it arrived: not yet an event. Header names are lower-case; repeated headers are joined by `, `. */
export interface RawRequest {
  readonly method: string;
  /** Still percent-encoded, without the leading `?`. */
  readonly rawQuery: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Address of the caller as the front door saw it, never from a header. */
  readonly sourceIp: string;
}
