/** The resolved configuration, baked into the bundle at synth (Lambda's environment holds 4 KB, too little for it). */
import type { ResolvedConfig } from '#core/resolved-config.ts';

declare const __HOLDFAST_CONFIG__: string;

export const config = JSON.parse(__HOLDFAST_CONFIG__) as ResolvedConfig;
