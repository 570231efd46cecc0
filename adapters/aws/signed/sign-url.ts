/** Signature Version 4 of a request to any URL, as API Gateway wants it of a route with IAM (ADR 0005 has the signing itself). */
import { type Credentials, type SigningScope, signPost } from './sign.ts';

export interface UnsignedRequest {
  readonly method: string;
  /** Its query is encoded as the signature wants it, and sorted. */
  readonly url: URL;
  /** Signed with the others: lower-case names, no `host`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** All headers of the request but its length. `now`: milliseconds; AWS takes a clock that is up to five minutes off. */
export function signUrl(
  { method, url, headers, body }: UnsignedRequest,
  credentials: Credentials,
  scope: SigningScope,
  now: number,
): Readonly<Record<string, string>> {
  const { sessionToken } = credentials;
  const signed = {
    ...headers,
    host: url.host,
    'x-amz-date': new Date(now).toISOString().replace(/[-:]|\.\d+/g, ''),
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  // API Gateway encodes the path once more before it compares, as every service but S3 does.
  const path = url.pathname.split('/').map(encodeSegment).join('/');
  const authorization = signPost(signed, body, credentials, scope, `${method}\n${path}\n${url.search.slice(1)}`);
  return { ...signed, authorization };
}

/** A segment of a path, or a name or value of a query: everything but letters, digits and `-_.~` is encoded. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, found => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
