/** What answered a request over HTTP, and how one is sent. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ms: number;
}

/** Sends a request exactly as given. Throws when nothing answers. */
export type SendHttp = (
  url: string,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: Uint8Array;
  },
) => Promise<HttpAnswer>;
