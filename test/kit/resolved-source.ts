/** A source as code gets it, every setting at its default: a new setting needs no line here. */

import { PASSED } from '#core/config/gateway-config.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import { toSourceId } from '#core/glossary.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { DEFAULT_RETRY } from '#core/retry/backoff.ts';

/** Refused requests are kept only where `changes` say so. */
export function resolvedSource(id: string, spec: ProviderSpec, changes: Partial<ResolvedSource> = {}): ResolvedSource {
  return {
    id: toSourceId(id),
    spec,
    paths: [`/webhooks/${id}`],
    settings: {},
    maxBodyBytes: 4 * 1_048_576,
    retry: DEFAULT_RETRY,
    ...given(PASSED),
    quarantine: false,
    ...changes,
  };
}
