/** Every function, named after its folder in lambdas/. */
export const FUNCTION_NAMES = ['ingest', 'process', 'sweep', 'reconcile', 'api'] as const;
export type FunctionName = (typeof FUNCTION_NAMES)[number];

/** Folder of the bundle of each function of one environment. */
export type Bundles = Readonly<Record<FunctionName, string>>;
