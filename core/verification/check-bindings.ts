import type { Scheme } from '#core/provider/provider-spec.ts';
import { decode, utf8 } from '#core/scan/bytes.ts';
import type { RequestReader, Scope } from './request-reader.ts';
import { type Refused, refused } from './verdict.ts';
import type { VerifyContext } from './verify-context.ts';

/** Hashes of the body or URL in the signed text. */
export function checkBindings(
  scheme: Scheme,
  reader: RequestReader,
  scope: Scope,
  { crypto }: VerifyContext,
): Refused | undefined {
  for (const bind of scheme.bind ?? []) {
    const claimed = reader.text(bind.equals, scope);
    if (claimed === undefined && bind.absentWhenEmpty && reader.request.body.length === 0) continue;
    if (claimed === undefined) return refused('binding', 'no_hash');
    const url = reader.url();
    if (bind.of === 'url' && url === undefined) return refused('no_key', 'public_url_not_configured');
    const actual = crypto.hash(bind.hash, bind.of === 'url' ? utf8(url ?? '') : reader.request.body);
    const expected = decode(claimed, bind.encoding);
    if (!expected || !crypto.equal(expected, actual)) return refused('binding', `${bind.of ?? 'body'}_hash`);
  }
  return undefined;
}

export type ExpectedClaim = readonly [name: string, value: string | undefined];

/** What the spec demands, with the source's settings filled in; undefined where a setting is missing. */
export function expectedClaims(scheme: Scheme, reader: RequestReader): ExpectedClaim[] {
  return Object.entries(scheme.claims ?? {}).map(([name, wanted]) => {
    if (wanted === 'url') return [name, reader.bareUrl()];
    return [name, wanted.startsWith('config:') ? reader.text(wanted) : wanted];
  });
}

/** The same demands on a signed JSON body: a provider that signs for all its customers with one key. */
export function checkBodyClaims(scheme: Scheme, reader: RequestReader): Refused | undefined {
  for (const [path, wanted] of expectedClaims(scheme, reader)) {
    if (wanted === undefined || wanted === '') return refused('no_key', 'setting_not_configured');
    if (reader.text(`json:${path}`) !== wanted) return refused('binding', `claim_${path}`);
  }
  return undefined;
}
