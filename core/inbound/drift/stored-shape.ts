/** A shape as the text of a control item. */
import type { EpochMs } from '#core/glossary.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import type { Shape } from './shape.ts';

export interface StoredShape {
  readonly shape: Shape;
  /** Until then a difference is learned, not told: optional fields take a while to be seen. */
  readonly learnUntil: EpochMs;
  /** What was told, newest first. */
  readonly changes?: readonly ShapeChange[];
}

/** A difference that was told: names of paths and types, never a value. */
export interface ShapeChange {
  readonly at: EpochMs;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** How many paths differed; the lists have the first ten of each. */
  readonly paths: number;
}

/** Changes kept with a shape. */
const MAX_CHANGES = 5;

interface Node {
  readonly t: number;
  readonly o?: 1;
  readonly g?: number;
  readonly p?: 1;
  readonly m?: Readonly<Record<string, Node>>;
  readonly e?: Node;
  readonly a?: Node;
}

export function encodeShape({ shape, learnUntil, changes = [] }: StoredShape): string {
  const told = changes.length === 0 ? {} : { changes: changes.slice(0, MAX_CHANGES) };
  return JSON.stringify({ v: 1, learnUntil, ...told, shape: toNode(shape) });
}

/** Undefined when there is none, or one of another version: it is learned anew. */
export function decodeShape(text: string | undefined): StoredShape | undefined {
  const raw = decodeJsonObject(text ?? '');
  const shape = raw?.['shape'];
  if (raw?.['v'] !== 1 || typeof raw['learnUntil'] !== 'number' || typeof shape !== 'object' || shape === null)
    return undefined;
  const changes = Array.isArray(raw['changes']) ? { changes: raw['changes'] as readonly ShapeChange[] } : {};
  return { learnUntil: raw['learnUntil'], ...changes, shape: fromNode(shape as Node) };
}

function toNode(shape: Shape): Node {
  return {
    t: shape.types,
    ...(shape.optional ? { o: 1 } : {}),
    ...(shape.growths > 0 ? { g: shape.growths } : {}),
    ...(shape.isMap ? { p: 1 } : {}),
    ...(shape.members.size > 0
      ? { m: Object.fromEntries([...shape.members].map(([key, member]) => [key, toNode(member)])) }
      : {}),
    ...(shape.element ? { e: toNode(shape.element) } : {}),
    ...(shape.any ? { a: toNode(shape.any) } : {}),
  };
}

function fromNode({ t, o, g, p, m, e, a }: Node): Shape {
  const members = new Map(Object.entries(m ?? {}).map(([key, member]) => [key, fromNode(member)]));
  return {
    types: t,
    optional: o === 1,
    growths: g ?? 0,
    members,
    required: [...members.values()].filter(member => !member.optional).length,
    element: e && fromNode(e),
    any: a && fromNode(a),
    isMap: p === 1,
  };
}
