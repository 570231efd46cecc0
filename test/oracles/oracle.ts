/** What an official SDK must tell to be compared with our engine. */
import type { KeyObject } from 'node:crypto';
import type { KeyFetcher } from '../../core/ports.ts';
import type { RawRequest } from '../../core/verification/raw-request.ts';

export interface Oracle {
  /** Id of our spec. */
  readonly provider: string;
  /** Id of the scheme, where the spec has several. */
  readonly scheme?: string;
  /** Package name; its version is read from what is installed. */
  readonly sdk: string;
  /** What is called, as its users call it. */
  readonly call: string;
  /** As the operator stores it. */
  readonly secret: string;
  /** Somebody else's. */
  readonly otherSecret: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** For schemes with a private key: ours and somebody else's. */
  readonly privateKeys?: readonly [KeyObject, KeyObject];
  readonly keys?: KeyFetcher;
  /** Query of the request. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The ordinary body. @default a small JSON event */
  readonly body?: string;
  /** False where the body must have the provider's form, so that no odd bodies are tried. @default true */
  readonly anyBody?: boolean;
  /** True: genuine. False or an error: not. Given the bytes, or the text its users would make of them. */
  readonly accepts: (request: RawRequest) => boolean | Promise<boolean>;
  /** The SDK's own signer, where it has one: the headers for a body. */
  readonly sign?: (body: string, nowMs: number) => Record<string, string> | Promise<Record<string, string>>;
  /** Cases of this provider alone, made of a genuine request. */
  readonly extra?: (genuine: (body?: string) => RawRequest) => Readonly<Record<string, RawRequest>>;
}

export const PUBLIC_URL = 'https://hooks.example.com/webhooks/source-1';

export const text = (body: Uint8Array): string => Buffer.from(body).toString('utf8');

/** The value of a header, or the empty text: what an SDK gets when a caller does not look. */
export function header(request: RawRequest, name: string): string {
  return request.headers[name] ?? '';
}

/** True when the call does not throw. */
export async function passes(call: () => unknown): Promise<boolean> {
  try {
    await call();
    return true;
  } catch {
    return false;
  }
}
