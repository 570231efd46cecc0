/** What a check may use beside the request itself. */
import type { Crypto, KeyFetcher, SourceSecret } from '#core/ports.ts';

export interface VerifyContext {
  /** Undefined: the source has none yet. An unreadable secret must not come here: answer 503 instead. */
  readonly secret: SourceSecret | undefined;
  readonly nowMs: number;
  /** The URL the provider was given, without query. */
  readonly publicUrl?: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly crypto: Crypto;
  readonly keys?: KeyFetcher;
}
