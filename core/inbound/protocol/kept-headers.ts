/** Which request headers are stored with an event: an allow-list, never a signature, cookie or credential. */

import { eventTimes, type ProviderSpec, type Src } from '#core/provider/provider-spec.ts';
import { signatureHeadersOf } from '#core/provider/spec-defaults.ts';
import { readTraceParent } from '#core/trace.ts';

/** Under this name ingest keeps which items of a batch were verified, when not all were. No request can bring it. */
export const VERIFIED_ITEMS_HEADER = 'holdfast-verified-items';

/** Under this name ingest keeps of a batch that its signature covered a fresh time: its items are not judged by their age. */
export const SIGNED_FRESH_HEADER = 'holdfast-signed-fresh';

/** Under this name ingest keeps the query of a request whose identity is read from it. No request can bring it. */
export const QUERY_HEADER = 'holdfast-query';

/** Under this name the splitter keeps what an item is about, where the request around it said so. No request can bring it. */
export const SUBJECT_HEADER = 'holdfast-subject';

/** `traceparent`: the trace goes on in whatever the event starts (w3.org/TR/trace-context). */
const ALWAYS = ['content-type', 'user-agent', 'traceparent'];
const NEVER = /^(?:authorization|proxy-.*|cookie|set-cookie|x-amz-security-token)$/;
const MAX_HEADER_LENGTH = 1_024;
const MAX_QUERY_LENGTH = 4_096;

export function keptHeaders(
  spec: ProviderSpec,
  headers: Readonly<Record<string, string>>,
  rawQuery = '',
): Record<string, string> {
  const kept: Record<string, string> = {};
  const proofs = signatureHeadersOf(spec);
  for (const name of [...ALWAYS, ...(spec.keepHeaders ?? []), ...identityHeaders(spec)]) {
    const value = headers[name];
    if (value === undefined || NEVER.test(name) || proofs.includes(name)) continue;
    if (name === 'traceparent' && readTraceParent(value) === undefined) continue;
    kept[name] = value.slice(0, MAX_HEADER_LENGTH);
  }
  const { key, ordering = [] } = spec.identity;
  const readsQuery = [...key, ordering].flat().some(src => src.startsWith('query:'));
  if (readsQuery && rawQuery !== '') kept[QUERY_HEADER] = rawQuery.slice(0, MAX_QUERY_LENGTH);
  return kept;
}

/** The headers kept with an item of a request: it is JSON by itself. */
export function itemHeaders(
  request: Readonly<Record<string, string>>,
  { subject }: { readonly subject?: string },
): Record<string, string> {
  const { [VERIFIED_ITEMS_HEADER]: _, [SIGNED_FRESH_HEADER]: __, ...headers } = request;
  const about = subject === undefined ? {} : { [SUBJECT_HEADER]: subject.slice(0, MAX_HEADER_LENGTH) };
  return { ...headers, ...about, 'content-type': 'application/json' };
}

function identityHeaders(spec: ProviderSpec): string[] {
  const { key, type } = spec.identity;
  const sources: readonly (Src | string)[] = [
    ...key.flat(),
    ...type,
    ...eventTimes(spec.identity).map(({ from }) => from),
  ];
  return sources.flatMap(src => (src.startsWith('header:') ? [src.slice('header:'.length).replace(/\?$/, '')] : []));
}
