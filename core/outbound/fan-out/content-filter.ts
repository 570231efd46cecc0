/**
 * A customer's filter on the content of a message: at most ten clauses, compared as DynamoDB compares: a missing path is
 * false, but for `ne`. Numbers are compared by their text, exact to every digit. No regular expressions, no code.
 */
import type { ContentFilter, FilterClause, FilterValue } from '#core/outbound/protocol/items.ts';
import { type JsonDocument, ROOT, scanJson } from '#core/scan/json-scan.ts';
import { compareNumbers } from './compare-numbers.ts';

export const FILTER_OPS = ['eq', 'ne', 'in', 'gt', 'ge', 'lt', 'le', 'exists', 'starts_with'] as const;
export const MAX_CLAUSES = 10;
export const MAX_DEPTH = 5;

/** True when the data (JSON text) passes. Data that is no JSON has no path that exists. */
export function passesFilter(filter: ContentFilter, data: Uint8Array): boolean {
  const document = scanJson(data);
  const holds = (clause: FilterClause): boolean => passes(clause, document);
  return 'all' in filter ? filter.all.every(holds) : filter.any.some(holds);
}

function passes({ path, op, value }: FilterClause, document: JsonDocument | undefined): boolean {
  const node = document?.find(path.replace(/^data\./, ''), ROOT);
  if (op === 'exists') return (node !== undefined) === (value !== false);
  if (document === undefined || node === undefined) return op === 'ne';
  const compare = (to: FilterValue): number | undefined => order(document, node, to);
  if (op === 'in') return (Array.isArray(value) ? value : [value]).some(each => compare(each) === 0);
  if (Array.isArray(value)) return false;
  const to = value as FilterValue;
  if (op === 'starts_with')
    return document.kind(node) === 'string' && (document.text(node) ?? '').startsWith(String(to));
  const compared = compare(to);
  if (op === 'ne') return compared !== 0;
  if (op === 'eq') return compared === 0;
  // Only numbers and texts have an order.
  const ordered = document.kind(node) === 'number' || document.kind(node) === 'string';
  if (compared === undefined || !ordered) return false;
  if (op === 'gt') return compared > 0;
  if (op === 'ge') return compared >= 0;
  return op === 'lt' ? compared < 0 : compared <= 0;
}

/** Negative, 0 or positive as the node is below, at or above the value; undefined where the two cannot be compared. */
function order(document: JsonDocument, node: number, to: FilterValue): number | undefined {
  const kind = document.kind(node);
  const text = document.text(node);
  if (kind === 'null') return to === null ? 0 : undefined;
  if (text === undefined || to === null) return undefined;
  if (kind === 'number') return typeof to === 'boolean' ? undefined : compareNumbers(text, String(to));
  if (kind === 'true' || kind === 'false') return typeof to === 'boolean' ? (kind === String(to) ? 0 : 1) : undefined;
  if (typeof to !== 'string') return undefined;
  return text < to ? -1 : text > to ? 1 : 0;
}
