/** The resolved configuration, baked into the bundle at synth (Lambda's environment holds 4 KB, too little for it). */
import type { ResolvedConfig, ResolvedSource } from '#core/config/resolved-config.ts';
import type { SourceHead } from '#core/config/source-head.ts';
import { sourceOf } from './lazy-source.ts';

declare const __HOLDFAST_CONFIG__: string;

type BakedConfig = Omit<ResolvedConfig, 'sources'> & { readonly sources: readonly (ResolvedSource | SourceHead)[] };

const folder = new URL('.', import.meta.url);
const baked = JSON.parse(__HOLDFAST_CONFIG__) as BakedConfig;

export const config: ResolvedConfig = {
  ...baked,
  sources: baked.sources.map(source => sourceOf(source, folder)),
};
