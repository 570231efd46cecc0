/**
 * Says whether a request is genuine, by the schemes of its source's spec. Fails closed: without a usable key, with a value
 * missing or a key that cannot be fetched nothing verifies. Never throws, whatever the request holds; the cause of a
 * refusal is for metrics and logs, not for the caller.
 */
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { schemeId, strengthOf } from '#core/provider/spec-defaults.ts';
import { listItems } from './batch-items.ts';
import type { RawRequest } from './raw-request.ts';
import { NO_SCOPE, RequestReader, type Scope } from './request-reader.ts';
import {
  closer,
  type ItemVerdict,
  type MatchedSecret,
  type Refused,
  refused,
  type Verdict,
  type Verified,
} from './verdict.ts';
import type { VerifyContext } from './verify-context.ts';
import { verifyScheme } from './verify-scheme.ts';

export type { Verdict, Verified } from './verdict.ts';

/** More items in one request are not checked one by one: an unauthenticated caller could order that work. */
const MAX_VERIFIED_ITEMS = 2_000;

/** Verifies a request. `verified` for a batch means that at least one item verified; `items` says which. */
export async function verifyRequest(spec: ProviderSpec, request: RawRequest, context: VerifyContext): Promise<Verdict> {
  if (spec.verify.length === 0) {
    return { kind: 'verified', scheme: 'none', strength: 'none', matchedSecret: 'none' };
  }
  const reader = new RequestReader(request, context, spec.identity.document);
  let refusal: Refused | undefined;
  for (const scheme of spec.verify) {
    if (!applies(scheme, reader)) continue;
    const result =
      scheme.batch === undefined
        ? await verifyOne(scheme, reader, context)
        : await verifyItems(scheme, scheme.batch, reader, context);
    if (result.kind === 'refused') refusal = closer(refusal, result);
    else {
      const fresh = signsFreshTime(scheme) ? { signedFresh: true as const } : {};
      const strength = scheme.strength ?? strengthOf(isShared(scheme) ? { verify: [scheme] } : spec);
      return { ...result, scheme: schemeId(scheme, spec), strength, ...fresh };
    }
  }
  return refusal ?? refused('missing', 'no_scheme_applies');
}

/** A window over a signed time, or a token that ends: both were checked. One without a time is as good years later. */
function signsFreshTime({ time, alg, timeless }: Scheme): boolean {
  return time?.past !== undefined || (alg === 'jwt' && !timeless);
}

const isShared = ({ alg }: Scheme): boolean => alg === 'token' || alg === 'basic';

function applies({ when }: Scheme, reader: RequestReader): boolean {
  if (!when) return true;
  const { header = {}, queryPresent = [], queryMissing = [] } = when;
  const names = new Set(reader.query()?.map(field => field.name));
  return (
    Object.entries(header).every(([name, wanted]) => {
      const value = reader.text(`header:${name}`);
      return wanted === '*' ? value !== undefined : value?.toLowerCase() === wanted.toLowerCase();
    }) &&
    queryPresent.every(name => names.has(name)) &&
    !queryMissing.some(name => names.has(name))
  );
}

type SchemeVerified = Pick<Verified, 'kind' | 'matchedSecret' | 'items'>;

async function verifyOne(
  scheme: Scheme,
  reader: RequestReader,
  context: VerifyContext,
  scope: Scope = NO_SCOPE,
): Promise<SchemeVerified | Refused> {
  const result = await verifyScheme(scheme, reader, scope, context);
  return result.kind === 'refused' ? result : { kind: 'verified', matchedSecret: result.matchedSecret };
}

async function verifyItems(
  scheme: Scheme,
  batch: string,
  reader: RequestReader,
  context: VerifyContext,
): Promise<SchemeVerified | Refused> {
  const document = reader.json();
  if (!document) return refused('malformed', 'body_is_not_json');
  const list = listItems(document, batch);
  if (list.kind !== 'items') return refused('missing', 'no_items');
  if (list.items.length > MAX_VERIFIED_ITEMS) return refused('malformed', 'too_many_items');
  const items: ItemVerdict[] = [];
  let refusal: Refused | undefined;
  let matchedSecret: MatchedSecret | undefined;
  for (const item of list.items) {
    const result = await verifyOne(scheme, reader, context, { item });
    if (result.kind === 'refused') {
      refusal = closer(refusal, result);
      items.push({ path: item.path, verified: false, cause: result.cause });
    } else {
      matchedSecret = matchedSecret === 'previous' ? matchedSecret : result.matchedSecret;
      items.push({ path: item.path, verified: true });
    }
  }
  return matchedSecret === undefined ? (refusal ?? refused('missing')) : { kind: 'verified', matchedSecret, items };
}
