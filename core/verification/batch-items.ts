/**
 * Finds the items of a request that carries many events. Nothing is lost: an element that no pattern fits is an item by
 * itself, so that a new kind of entry is recorded instead of dropped.
 */
import { type JsonDocument, ROOT } from '#core/scan/json-scan.ts';

export interface BatchItem {
  /** The place of the item, e.g. `notificationItems[0].NotificationRequestItem`. */
  readonly path: string;
  readonly node: number;
  /** The array element around a nested item (`entry[0]` of `entry[0].changes[1]`), else the root. */
  readonly parent: number;
  /** The member name that matched a `*` of the pattern. */
  readonly key?: string;
}

/** `empty`: the array is there and has no elements. `absent`: the body is not a batch of this kind. */
export type BatchItems =
  | { readonly kind: 'items'; readonly items: readonly BatchItem[] }
  | { readonly kind: 'empty' }
  | { readonly kind: 'absent' };

interface Step {
  readonly kind: 'member' | 'any' | 'each';
  readonly name: string;
}

interface Search {
  readonly document: JsonDocument;
  readonly found: Map<number, BatchItem>;
  /** Elements of the outermost array, and whether some pattern fits them. */
  readonly elements: Map<number, { item: BatchItem; fits: boolean }>;
  emptyArray: boolean;
}

/** Items at one or several patterns (`[]`, `events[]`, `entry[].changes[]`, `*[]`), in the order of the body. */
export function listItems(document: JsonDocument, patterns: string | readonly string[]): BatchItems {
  const search: Search = { document, found: new Map(), elements: new Map(), emptyArray: false };
  for (const pattern of typeof patterns === 'string' ? [patterns] : patterns) {
    walk(search, { path: '', node: ROOT, parent: ROOT }, parsePattern(pattern), undefined);
  }
  for (const [node, { item, fits }] of search.elements) if (!fits) search.found.set(node, item);
  const items = [...search.found.values()].sort((a, b) => a.node - b.node);
  if (items.length > 0) return { kind: 'items', items };
  return { kind: search.emptyArray ? 'empty' : 'absent' };
}

function parsePattern(pattern: string): Step[] {
  return pattern.split('.').flatMap((part): Step[] => {
    const name = part.endsWith('[]') ? part.slice(0, -2) : part;
    const member: Step[] = name === '' ? [] : [{ kind: name === '*' ? 'any' : 'member', name }];
    return part.endsWith('[]') ? [...member, { kind: 'each', name: '' }] : member;
  });
}

/** Follows the steps from a place; `element` is the outermost array element it lies in. */
function walk(search: Search, at: BatchItem, steps: readonly Step[], element: number | undefined): void {
  const { document } = search;
  const [step, ...rest] = steps;
  if (step === undefined) {
    search.found.set(at.node, at);
    const outer = element === undefined ? undefined : search.elements.get(element);
    if (outer) outer.fits = true;
    return;
  }
  if (step.kind === 'each') {
    if (document.kind(at.node) !== 'array') return;
    const elements = document.elements(at.node);
    if (elements.length === 0 && element === undefined) search.emptyArray = true;
    for (const [index, node] of elements.entries()) {
      // The parent of a nested item is the element around it; of an item of the outermost array, the root.
      const place = { ...at, path: `${at.path}[${index}]`, node, parent: element ?? ROOT };
      if (element === undefined && !search.elements.has(node)) search.elements.set(node, { item: place, fits: false });
      walk(search, place, rest, element ?? node);
    }
    return;
  }
  const members =
    step.kind === 'any' ? document.members(at.node) : [{ name: step.name, value: document.member(at.node, step.name) }];
  for (const { name, value } of members) {
    if (value === undefined) continue;
    const path = at.path === '' ? name : `${at.path}.${name}`;
    walk(search, { ...at, path, node: value, ...(step.kind === 'any' ? { key: name } : {}) }, rest, element);
  }
}
