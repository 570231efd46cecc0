/** Every function, named after its folder in lambdas/. */
export const FUNCTION_NAMES = ['ingest', 'process', 'sweep', 'reconcile', 'api', 'probe', 'notify'] as const;
export type FunctionName = (typeof FUNCTION_NAMES)[number];
/** Functions that an environment may do without: no probe, no alarms. */
export type OptionalFunction = 'probe' | 'notify';

/** Folder of the bundle of each function of one environment. */
export type Bundles = Readonly<Record<FunctionName, string>>;
