/** `otlp` of an environment: spans and metrics to OpenTelemetry. Absent: nothing of it is deployed. */

import { type Place, rootOf } from '#core/names.ts';
import { type Check, text } from '#core/problem.ts';
import { GONE, objectWithout } from './gone-keys.ts';

export interface OtlpConfig {
  /** OTLP over HTTP; `/v1/traces` and `/v1/metrics` are added. @when always */
  readonly endpoint: string;
}

export const otlpShape: Check = objectWithout<OtlpConfig>(
  GONE.otlp,
  {
    endpoint: text(
      /^(?:https:\/\/[^\s?#]+[^\s/?#]|http:\/\/127\.0\.0\.1(?::\d+)?)$/,
      'a URL such as "https://otlp.example.com" without final slash (http to 127.0.0.1 only)',
      'leave out /v1/traces and what follows a ? or #',
    ),
  },
  ['endpoint'],
);

/** The secret with the headers. Not below `holdfast/<environment>/`, where `ingest` may read. */
export function otlpSecretName(place: Place): string {
  return `${rootOf(place)}-otlp/${place.environment}`;
}
