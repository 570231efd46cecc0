/** Every function, named after its folder in lambdas/. */
export const FUNCTION_NAMES = [
  ...(['ingest', 'process', 'sweep', 'reconcile', 'api'] as const),
  ...(['probe', 'notify', 'reconcile-providers'] as const),
] as const;
export type FunctionName = (typeof FUNCTION_NAMES)[number];
/** Functions that an environment may do without: no probe, no alarms, no source that is compared with its provider. */
export type OptionalFunction = 'probe' | 'notify' | 'reconcile-providers';

/** Folder of the bundle of each function of one environment. */
export type Bundles = Readonly<Record<FunctionName, string>>;
