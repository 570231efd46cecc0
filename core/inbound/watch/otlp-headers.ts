/**
 * Headers as OpenTelemetry writes them in one text: `api-key=abc,team=payments`, values percent-encoded
 * (opentelemetry.io/docs/specs/otel/protocol/exporter, OTEL_EXPORTER_OTLP_HEADERS). Throws RangeError for anything else,
 * without repeating it: it is a secret.
 */
import { decodeUri } from '#core/scan/text.ts';
export function readOtlpHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map(pair => {
    const [, name = '', value = ''] =
      /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([!-+\--~](?:[ -+\--~]*[!-+\--~])?)\s*$/.exec(pair) ?? [];
    if (name === '') throw new RangeError('the secret with the OTLP headers is not of the form name=value,name=value');
    return [name.toLowerCase(), decodeUri(value)] as const;
  });
  return Object.fromEntries(pairs);
}
