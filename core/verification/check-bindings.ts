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
