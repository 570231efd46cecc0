/** What differs between the bodies of two events, in structure and in values. */
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { readStoredBody } from './show-event.ts';

export interface Difference {
  readonly path: string;
  /** `type`: the value is of another kind, which is what breaks handlers. */
  readonly kind: 'added' | 'removed' | 'changed' | 'type';
  readonly left?: string;
  readonly right?: string;
}

const MOST = 500;
const MOST_DEPTH = 200;
const SHOWN = 200;

/** `right` against `left`. Throws OperatorError where a body is gone or is no JSON. */
export async function compareEvents(
  operator: Operator,
  left: EventItem,
  right: EventItem,
): Promise<readonly Difference[]> {
  const [a, b] = await Promise.all([jsonOf(operator, left), jsonOf(operator, right)]);
  return differences(a, b);
}

/** At most 500, in the order of the paths. */
export function differences(left: unknown, right: unknown): readonly Difference[] {
  const found: Difference[] = [];
  compare(left, right, { path: '', depth: 0, found });
  return found;
}

interface Place {
  readonly path: string;
  readonly depth: number;
  readonly found: Difference[];
}

function compare(left: unknown, right: unknown, { path, depth, found }: Place): void {
  if (found.length >= MOST || Object.is(left, right)) return;
  const at = path === '' ? '(whole body)' : path;
  if (left === undefined) found.push({ path: at, kind: 'added', right: shown(right) });
  else if (right === undefined) found.push({ path: at, kind: 'removed', left: shown(left) });
  else if (kindOf(left) !== kindOf(right))
    found.push({ path: at, kind: 'type', left: shown(left), right: shown(right) });
  else if (typeof left !== 'object') found.push({ path: at, kind: 'changed', left: shown(left), right: shown(right) });
  else if (depth >= MOST_DEPTH)
    found.push({ path: at, kind: 'changed', left: '(too deep to compare)', right: '(too deep to compare)' });
  else {
    const [a, b] = [left, right] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
    for (const name of [...new Set([...Object.keys(a), ...Object.keys(b)])]) {
      const step = Array.isArray(left) ? `[${name}]` : path === '' ? name : `.${name}`;
      const own = (it: Readonly<Record<string, unknown>>): unknown => (Object.hasOwn(it, name) ? it[name] : undefined);
      compare(own(a), own(b), { path: `${path}${step}`, depth: depth + 1, found });
    }
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** A value in a word or two. What is inside a list or an object is not written out: it may be deep. */
function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return (JSON.stringify(value) ?? '').slice(0, SHOWN);
  const count = Object.keys(value).length;
  return Array.isArray(value) ? `[${count} items]` : `{${count} fields}`;
}

async function jsonOf(operator: Operator, item: EventItem): Promise<unknown> {
  const stored = await readStoredBody(operator, item);
  if (stored === undefined)
    throw new OperatorError(`The body of ${item.pk} is gone: its retention is over`, 'not_found');
  try {
    return JSON.parse(stored.body.toString('utf8'));
  } catch (error) {
    throw new OperatorError(`The body of ${item.pk} is not JSON: compare its bytes instead`, 'usage', { cause: error });
  }
}
