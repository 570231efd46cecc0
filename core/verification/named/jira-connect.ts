/**
 * Jira Connect apps: the claim `qsh` of the token is the SHA-256 of method, path (below the app's base URL) and sorted
 * query. The body is not bound. Source: developer.atlassian.com/cloud/jira/platform/understanding-jwt-for-connect-apps.
 */
import { fromHex, utf8 } from '#core/scan/bytes.ts';
import type { FormField } from '#core/scan/form-scan.ts';
import { claimText, type RequestReader } from '#core/verification/request-reader.ts';
import { type Refused, refused } from '#core/verification/verdict.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';

export function checkQueryHash(
  claims: Readonly<Record<string, unknown>>,
  reader: RequestReader,
  { crypto }: VerifyContext,
): Refused | undefined {
  const url = reader.bareUrl();
  const query = reader.query();
  if (url === undefined) return refused('no_key', 'public_url_not_configured');
  const claimed = fromHex(claimText(claims, 'qsh') ?? '');
  if (!claimed || !query) return refused('malformed', 'claim_qsh');
  const canonical = canonicalRequest(reader.request.method ?? '', pathBelow(url, reader.text('config:baseUrl')), query);
  return crypto.equal(claimed, crypto.hash('sha256', utf8(canonical))) ? undefined : refused('binding', 'claim_qsh');
}

/** The path below the app's base URL (setting `baseUrl`), or the whole path. */
export function pathBelow(url: string, baseUrl: string | undefined): string {
  const base = baseUrl?.replace(/(?<!\/)\/+$/, '');
  const path =
    base !== undefined && url.startsWith(base) ? url.slice(base.length) : url.replace(/^https?:\/\/[^/]*/, '');
  const trimmed = path.replace(/(?<!\/)\/+$/, '');
  return trimmed === '' ? '/' : trimmed.replaceAll('&', '%26');
}

/** What `qsh` is the hash of. */
export function canonicalRequest(method: string, path: string, query: readonly FormField[]): string {
  const byName = new Map<string, string[]>();
  for (const { name, value } of query) {
    if (name === 'jwt') continue;
    const encoded = encodeBinary(name);
    byName.set(encoded, [...(byName.get(encoded) ?? []), encodeBinary(value)]);
  }
  const pairs = [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, all]) => `${name}=${all.sort().join(',')}`);
  return `${method.toUpperCase()}&${path}&${pairs.join('&')}`;
}

/** RFC 3986 percent-encoding of one-character-per-byte text. */
function encodeBinary(text: string): string {
  return text.replace(
    /[^A-Za-z0-9._~-]/g,
    byte => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
