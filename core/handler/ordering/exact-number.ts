import type { WebhookEvent } from '#core/handler/handler-contract.ts';
import { scanJson } from '#core/scan/json-scan.ts';

/**
 * Reads a number of the body as text, with every digit; also of a fraction. `path` is like `data.object.id` or
 * `items[0].id`. Undefined if there is no number (or text of digits) at that place.
 * @example
 * const sequence = longSequenceVersion(exactNumber(event, 'data.object.sequence'));
 */
export function exactNumber(event: Pick<WebhookEvent, 'bytes'>, path: string): string | undefined {
  const document = scanJson(event.bytes);
  const node = document?.find(path);
  if (!document || node === undefined) return undefined;
  const text = document.text(node);
  if (document.kind(node) === 'number') return text;
  return document.kind(node) === 'string' && text !== undefined && /^-?\d+$/.test(text) ? text : undefined;
}
