import { outboundApiEnv } from '#lambdas/shared/outbound-api-env.ts';

/** Environment of the `portal` function, set by its construct. */
export const portalEnv = outboundApiEnv;

/** Beside its code: the page, as it was built. */
export const PAGE_FILES = { script: 'page.js.txt', style: 'page.css.txt' } as const;
