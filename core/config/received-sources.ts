import type { ResolvedConfig, ResolvedSource } from './resolved-config.ts';

/** Everything that has a route: your sources, and the probe's. */
export function receivedSources({
  sources,
  probe,
}: Pick<ResolvedConfig, 'sources' | 'probe'>): readonly ResolvedSource[] {
  return probe === undefined ? sources : [...sources, probe];
}
