/** A place in a trace as the W3C writes it (Trace Context, w3.org/TR/trace-context, section 3.2): 32, 16 and 2 hex digits. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: string;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/**
 * The header `traceparent`; undefined for anything else. A higher version is read by the rules of version 00, as it must be
 * readable (section 3.2.4); version `ff` and ids of zeros are invalid.
 */
export function readTraceParent(text: string | undefined): TraceParent | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = FORM.exec(text ?? '') ?? [];
  if (version === '' || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags };
}

/** 32 hex digits, of an event whose sender brought none. The same in each of its lines, whatever sends it again. */
export const ownTraceId = ({ ingestId }: { readonly ingestId: string }): string => ingestId.replaceAll('-', '');

/** Version 00, whatever it was read from. */
export function writeTraceParent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

export function isSampled({ flags }: TraceParent): boolean {
  return (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
}
