/** Every function of the gateway stack, named after its folder in lambdas/. */
export const FUNCTION_NAMES = [
  ...(['ingest', 'process', 'sweep', 'audit', 'api'] as const),
  ...(['probe', 'notify', 'reconcile-providers', 'otlp'] as const),
] as const;
/** Every function of the delivery stack: bundled only for environments with `outbound`, `portal` and `contacts` where it has them. */
export const OUTBOUND_FUNCTION_NAMES = [
  'publish',
  'fan-out',
  'drain',
  'delivery-api',
  'tend',
  'portal',
  'contacts',
] as const;
export type OutboundFunctionName = (typeof OUTBOUND_FUNCTION_NAMES)[number];
export type GatewayFunctionName = (typeof FUNCTION_NAMES)[number];
export type FunctionName = GatewayFunctionName | OutboundFunctionName;
/** Functions that an environment may do without: no probe, no alarms, no source that is compared with its provider, no OTLP. */
export type OptionalFunction = 'probe' | 'notify' | 'reconcile-providers' | 'otlp';

/** Folder of the bundle of each function of one environment. Those of the delivery stack are there where it is. */
export type Bundles = Readonly<Record<FunctionName, string>>;
