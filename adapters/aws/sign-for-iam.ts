/** Signature Version 4, by AWS's own signer: of a request to a route of API Gateway with IAM, or to another `service`. */
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface UnsignedRequest {
  readonly method: string;
  /** Path and query encoded by `encodeSegment`. */
  readonly url: URL;
  /** Signed with the others: lower-case names, no `host`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** All headers of the request but its length. `now`: milliseconds; AWS takes a clock that is up to five minutes off. */
export async function signForIam(
  { method, url, headers, body }: UnsignedRequest,
  credentials: Credentials,
  {
    region,
    now,
    service = 'execute-api',
  }: { readonly region: string; readonly now: number; readonly service?: string },
): Promise<Readonly<Record<string, string>>> {
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  const { protocol, hostname, pathname, searchParams } = url;
  const query = Object.fromEntries([...new Set(searchParams.keys())].map(name => [name, searchParams.getAll(name)]));
  const request = { method, protocol, hostname, path: pathname, query, headers: { ...headers, host: url.host }, body };
  const signed = await signer.sign(request, { signingDate: new Date(now) });
  return signed.headers;
}

/** A segment of a path, or a name or value of a query: everything but letters, digits and `-_.~` is encoded. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, found => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
