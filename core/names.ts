/** The names that people and programs find an environment by: the same from its first deploy on. */

import { METRIC_NAMESPACE } from './metrics.ts';

/** What tells an environment from every other of its account and region. */
export interface Place {
  readonly environment: string;
  /** Of this gateway, where the account has several. Absent: it is called `holdfast`. */
  readonly prefix?: string;
}

/** How every name begins: `holdfast`, or `payments-holdfast`. */
export function rootOf({ prefix }: Pick<Place, 'prefix'>): string {
  return prefix === undefined ? 'holdfast' : `${prefix}-holdfast`;
}

/** Of a stack, an alarm, a dashboard or an API: `holdfast-prod`, or `holdfast-prod-<rest>`. */
export function nameIn(place: Place, rest?: string): string {
  return [rootOf(place), place.environment, ...(rest === undefined ? [] : [rest])].join('-');
}

/** The secret's name: the one physical name we set, because a person must be able to write it before the first event. */
export function secretName(place: Place, sourceId: string): string {
  return `${rootOf(place)}/${place.environment}/${sourceId}`;
}

/** The secret with the credential of the provider's API: of sources with `reconcile` or `apiCredential`. */
export function apiSecretName(place: Place, sourceId: string): string {
  return `${secretName(place, sourceId)}/api`;
}

/** Of a function's alias with a canary, which callers and queues name instead of the function. */
export const LIVE_ALIAS = 'live';

/** Of the metrics that the functions emit. */
export function metricNamespace({ prefix }: Pick<Place, 'prefix'>): string {
  return prefix === undefined ? METRIC_NAMESPACE : `${prefix}/${METRIC_NAMESPACE}`;
}
