/** `otlp` of an environment: spans and metrics to OpenTelemetry. Absent: nothing of it is deployed. */
import { boolean, type Check, object, text } from '#core/problem.ts';

export interface OtlpConfig {
  /** Address of OTLP over HTTP; `/v1/traces` and `/v1/metrics` are added, e.g. `https://otlp.example.com`. */
  readonly endpoint: string;
  /** Requests carry headers out of the secret `holdfast-otlp/<environment>`: `name=value`, separated by commas. @default false */
  readonly secretHeaders?: boolean;
}

export const otlpShape: Check = object<OtlpConfig>(
  {
    endpoint: text(
      /^(?:https:\/\/[^\s?#]+[^\s/?#]|http:\/\/127\.0\.0\.1(?::\d+)?)$/,
      'a URL such as "https://otlp.example.com" without final slash (http to 127.0.0.1 only)',
      'leave out /v1/traces and what follows a ? or #',
    ),
    secretHeaders: boolean,
  },
  ['endpoint'],
);

/** The secret with the headers. Not below `holdfast/<environment>/`, where `ingest` may read. */
export function otlpSecretName(environment: string): string {
  return `holdfast-otlp/${environment}`;
}
