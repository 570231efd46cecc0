import type { RawRequest } from '#core/verification/raw-request.ts';
import { usageError } from '#operator/operator-error.ts';

/**
 * A request as tools save it: an optional request line, headers, an empty line, then the body to its last byte. Throws
 * OperatorError (usage) when there is no empty line.
 */
export function parseCapturedRequest(bytes: Buffer): RawRequest {
  const crlf = bytes.indexOf('\r\n\r\n');
  const lf = bytes.indexOf('\n\n');
  const isCrlf = crlf !== -1 && (lf === -1 || crlf < lf);
  const end = isCrlf ? crlf : lf;
  if (end === -1) {
    throw usageError(
      'The file has no empty line between headers and body',
      'headers (name: value), an empty line, the exact body',
      'save the request again, body included',
    );
  }
  const lines = bytes.subarray(0, end).toString('latin1').split(/\r?\n/);
  const first = /^([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?$/.exec(lines[0] ?? '');
  const headers: Record<string, string> = {};
  for (const line of first ? lines.slice(1) : lines) {
    const at = line.indexOf(':');
    if (at < 1) continue;
    const name = line.slice(0, at).trim().toLowerCase();
    const value = line.slice(at + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return {
    method: first?.[1] ?? 'POST',
    rawQuery: first?.[2]?.split('?').slice(1).join('?') ?? '',
    headers,
    body: bytes.subarray(end + (isCrlf ? 4 : 2)),
    sourceIp: '127.0.0.1',
  };
}
