/**
 * Content filters of Convoy and Outpost: nested objects whose leaves are values or operators (`{"amount": {"$gte": 100}}`).
 * What our clauses cannot say is not carried over: a filter that lets more through would send what nobody asked for.
 */
import type { ContentFilter, FilterClause, FilterOp, FilterValue } from '#core/outbound/protocol/items.ts';
import { type Fields, isFields } from './export-file.ts';

const OPS: Readonly<Record<string, FilterOp>> = {
  ...{ $eq: 'eq', $neq: 'ne', $gt: 'gt', $gte: 'ge', $lt: 'lt', $lte: 'le', $in: 'in', $exist: 'exists' },
  $startsWith: 'starts_with',
};

/** Undefined: nothing is filtered. A text says what cannot be said here. */
export function ourFilter(theirs: unknown): ContentFilter | undefined | string {
  if (!isFields(theirs) || Object.keys(theirs).length === 0) return undefined;
  const found = clausesOf(theirs, []);
  if (typeof found === 'string') return found;
  return found.length === 0 ? undefined : { all: found };
}

function clausesOf(from: Fields, path: readonly string[]): readonly FilterClause[] | string {
  const all: FilterClause[] = [];
  for (const [name, value] of Object.entries(from)) {
    const clauses = name.startsWith('$') ? operator(name, value, path) : member(value, [...path, ...name.split('.')]);
    if (typeof clauses === 'string') return clauses;
    all.push(...clauses);
  }
  return all;
}

function member(value: unknown, path: readonly string[]): readonly FilterClause[] | string {
  if (isFields(value)) return clausesOf(value, path);
  if (Array.isArray(value)) return `${path.join('.')} is compared with a list`;
  return [clause(path, 'eq', value as FilterValue)];
}

function operator(name: string, value: unknown, path: readonly string[]): readonly FilterClause[] | string {
  const op = OPS[name];
  if (op === undefined || path.length === 0) return `it uses ${name}`;
  return [clause(path, op, value as FilterValue)];
}

/** A first `data.` of ours is the body itself: their own `data` comes after it. */
const clause = (path: readonly string[], op: FilterOp, value: FilterClause['value']): FilterClause => ({
  ...{ path: `data.${path.join('.')}`, op },
  ...(op === 'exists' ? { value: value !== false } : { value }),
});
