/** Headers of one endpoint that would have one name: one would silently replace the other, and it may be a signature. */
import type { EndpointItem } from '#core/outbound/protocol/items.ts';
import { type ConfigProblem, show } from '#core/problem.ts';
import { namesLike } from './sign-like.ts';
import { BESIDE, isKeyedByText, THEIR_HEADER } from './signature-form.ts';

type Named = {
  readonly [K in 'signature' | 'signatureHeader' | 'compatibility' | 'headers']?: EndpointItem[K] | undefined;
};

/** Paths by the names of the API. Names that no endpoint may take (`webhook-…`, those with our prefix) are judged one by one. */
export function headerProblems({
  signature = 'standard',
  signatureHeader,
  compatibility,
  headers = {},
}: Named): readonly ConfigProblem[] {
  const beside = Object.keys(BESIDE[signature]?.('', '') ?? {});
  const own = signature in BESIDE ? THEIR_HEADER : undefined;
  const signed = (isKeyedByText(signature) ? signatureHeader : undefined) ?? own;
  const before = compatibility ? namesLike(compatibility) : [];
  const like = compatibility && `compatibility (like ${compatibility.like})`;
  const found: ConfigProblem[] = [];
  if (signed !== undefined && (before.includes(signed) || beside.includes(signed)))
    found.push({
      path: 'signature_header',
      given: signatureHeader === undefined ? `nothing, which is ${show(signed)}` : show(signed),
      allowed: `a name that ${before.includes(signed) ? like : `the form ${signature}`} does not set: one would replace the other`,
      fix: 'give another signature_header, e.g. "x-customer-signature"',
    });
  for (const name of before.filter(each => beside.includes(each)))
    found.push({
      path: 'compatibility.header',
      given: show(name),
      allowed: `a name that the form ${signature} does not set: one would replace the other`,
      fix: 'give another header, or choose another signature',
    });
  const ours = [...(signed === undefined ? [] : [signed]), ...beside, ...before];
  for (const name of Object.keys(headers).filter(each => ours.includes(each.toLowerCase())))
    found.push({
      path: `headers.${name.slice(0, 60)}`,
      given: 'this name',
      allowed: 'a name that neither the signature nor compatibility sets: theirs would replace it',
      fix: 'leave it out, or choose another name',
    });
  return found;
}
