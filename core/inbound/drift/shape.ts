/**
 * The structure of a payload without its values: which paths there are, of which types, which of them always. Shapes only
 * grow, so what is known needs no second look. Bounded: keys that look like ids count as one, an object that keeps getting
 * new keys is taken for a map, arrays are the union of their elements.
 */
const NULL = 1;
const TYPE_BITS: Readonly<Record<string, number>> = { boolean: 2, number: 4, bigint: 4, string: 8 };
const OBJECT = 16;
const ARRAY = 32;
const NAMES: readonly (readonly [bit: number, name: string])[] = [
  [2, 'boolean'],
  [4, 'number'],
  [8, 'string'],
  [OBJECT, 'object'],
  [ARRAY, 'array'],
];

/** Below this nothing is looked at. */
const MAX_DEPTH = 12;
const MAX_ELEMENTS = 50;
/** An object with more keys than this, or that grew by new keys more often than `MAX_GROWTHS`, is a map. */
const MAX_MEMBERS = 150;
const MAX_GROWTHS = 20;
/** Of one shape; one that is full learns nothing new. */
export const MAX_NODES = 2_000;
const MAX_KEY = 64;
/** Never structure: what is stored is read without it. */
const PROTO = '__proto__';

export interface Shape {
  types: number;
  /** Not in every event. */
  optional: boolean;
  /** Occasions on which keys were added after the first. */
  growths: number;
  readonly members: Map<string, Shape>;
  /** Members that are not optional. */
  required: number;
  /** All elements of an array. */
  element: Shape | undefined;
  /** All values under keys that are ids, or of a map. */
  any: Shape | undefined;
  isMap: boolean;
}

export interface ShapeDiff {
  readonly added: string[];
  readonly removed: string[];
  /** `data.object.amount: number, now also string`. */
  readonly changed: string[];
  /** Something to store, though nothing to tell (a first null). */
  silent: boolean;
}

const makeShape = (types: number): Shape => ({
  types,
  optional: false,
  growths: 0,
  members: new Map(),
  required: 0,
  element: undefined,
  any: undefined,
  isMap: false,
});

export const emptyDiff = (): ShapeDiff => ({ added: [], removed: [], changed: [], silent: false });
export const isNews = ({ added, removed, changed }: ShapeDiff): boolean =>
  added.length + removed.length + changed.length > 0;

function typeOf(value: unknown): number {
  if (value === null || value === undefined) return NULL;
  return TYPE_BITS[typeof value] ?? (Array.isArray(value) ? ARRAY : OBJECT);
}

/** True when the shape has all of this value, and the value has all that every event has. Allocates nothing. */
export function fits(shape: Shape, value: unknown, depth = 0): boolean {
  const type = typeOf(value);
  if (type === NULL) return true;
  if ((shape.types & type) === 0) return false;
  if (depth >= MAX_DEPTH || type < OBJECT) return true;
  if (type === ARRAY) return fitsElements(shape, value as readonly unknown[], depth);
  let required = 0;
  for (const key in value as object) {
    if (key === PROTO) continue;
    const member = memberOf(shape, key);
    if (!member || !fits(member, (value as Record<string, unknown>)[key], depth + 1)) return false;
    if (!member.optional && member !== shape.any) required += 1;
  }
  return required >= shape.required;
}

function fitsElements(shape: Shape, elements: readonly unknown[], depth: number): boolean {
  const count = Math.min(elements.length, MAX_ELEMENTS);
  for (let i = 0; i < count; i++) {
    if (!shape.element || !fits(shape.element, elements[i], depth + 1)) return false;
  }
  return true;
}

function memberOf(shape: Shape, key: string): Shape | undefined {
  return shape.isMap || isIdLike(key) ? shape.any : shape.members.get(key);
}

/** Numbers, UUIDs, hashes, prefixed ids, addresses: data, not structure. */
function isIdLike(key: string): boolean {
  if (key.length < 5) return /^\d+$/.test(key);
  return (
    key.length > MAX_KEY ||
    /^\d+$|^[0-9a-f]{8}-[0-9a-f]{4}-|^[0-9a-f]{16,}$|[@:/]/i.test(key) ||
    (/^[A-Za-z]{2,12}_[A-Za-z0-9]{8,}$/.test(key) && /\d/.test(key))
  );
}

/** Nodes that may still be added. */
export interface Room {
  nodes: number;
  isFull?: true;
}

/** The shape of one value. */
export function shapeOf(value: unknown, depth = 0): Shape {
  const type = typeOf(value);
  const shape = makeShape(type);
  if (depth >= MAX_DEPTH) return shape;
  if (type === ARRAY) {
    for (const element of (value as readonly unknown[]).slice(0, MAX_ELEMENTS)) {
      const seen = shapeOf(element, depth + 1);
      if (shape.element) mergeShape(shape.element, seen);
      else shape.element = seen;
    }
  }
  if (type === OBJECT) {
    for (const [key, member] of Object.entries(value as object)) {
      if (key !== PROTO) addMember(shape, key, shapeOf(member, depth + 1));
    }
  }
  return shape;
}

function addMember(shape: Shape, key: string, member: Shape): void {
  if (shape.isMap || isIdLike(key)) {
    if (shape.any) mergeShape(shape.any, member);
    else shape.any = member;
    return;
  }
  shape.members.set(key, member);
  if (!member.optional) shape.required += 1;
  if (shape.members.size > MAX_MEMBERS) becomeMap(shape);
}

function becomeMap(shape: Shape): void {
  const values = [...shape.members.values(), ...(shape.any ? [shape.any] : [])];
  shape.any = undefined;
  for (const value of values) {
    if (shape.any) mergeShape(shape.any, value);
    else shape.any = value;
  }
  shape.members.clear();
  shape.required = 0;
  shape.isMap = true;
}

/** Adds to `known` what `seen` has more, and to `diff` what that was. Paths are told as `data.items[].id`. */
export function mergeShape(
  known: Shape,
  seen: Shape,
  diff = emptyDiff(),
  path = '',
  room: Room = { nodes: MAX_NODES },
): void {
  const wasObject = (known.types & OBJECT) !== 0;
  mergeTypes(known, seen, diff, path);
  if (seen.element) {
    if (known.element) mergeShape(known.element, seen.element, diff, `${path}[]`, room);
    else if (take(room, seen.element)) {
      known.element = seen.element;
      diff.silent = true;
    }
  }
  if ((seen.types & OBJECT) === 0) return;
  if (seen.isMap && !known.isMap) becomeMap(known);
  if (wasObject) mergeMembers(known, seen, diff, path, room);
  else adoptMembers(known, seen, room);
  if (!seen.any) return;
  if (known.any) mergeShape(known.any, seen.any, diff, `${path}.*`, room);
  else if (take(room, seen.any)) {
    known.any = seen.any;
    diff.silent = true;
  }
}

function mergeTypes(known: Shape, seen: Shape, diff: ShapeDiff, path: string): void {
  const fresh = seen.types & ~known.types;
  if (fresh === 0) return;
  const had = known.types & ~NULL;
  if (had !== 0 && (fresh & ~NULL) !== 0)
    diff.changed.push(`${path || 'the whole'}: ${namesOf(had)}, now also ${namesOf(fresh & ~NULL)}`);
  else diff.silent = true;
  known.types |= seen.types;
}

/** The first object at this place: all it has counts as always there. */
function adoptMembers(known: Shape, seen: Shape, room: Room): void {
  for (const [key, member] of seen.members) if (take(room, member)) addMember(known, key, member);
}

function mergeMembers(known: Shape, seen: Shape, diff: ShapeDiff, path: string, room: Room): void {
  let grew = false;
  for (const [key, member] of seen.members) {
    const place = path === '' ? key : `${path}.${key}`;
    const there = known.isMap ? known.any : known.members.get(key);
    if (there) mergeShape(there, member, diff, place, room);
    else if (take(room, member)) {
      grew = true;
      diff.added.push(place);
      addMember(known, key, { ...member, optional: true });
    }
  }
  for (const [key, member] of known.members) {
    const other = seen.members.get(key);
    if (member.optional || (other && !other.optional)) continue;
    member.optional = true;
    known.required -= 1;
    diff.removed.push(path === '' ? key : `${path}.${key}`);
  }
  if (grew && ++known.growths >= MAX_GROWTHS) becomeMap(known);
}

/** False: the shape is full, and stays as it is. */
function take(room: Room, shape: Shape): boolean {
  const size = sizeOf(shape);
  if (size > room.nodes) {
    room.isFull = true;
    return false;
  }
  room.nodes -= size;
  return true;
}

export function sizeOf(shape: Shape): number {
  let size = 1 + (shape.element ? sizeOf(shape.element) : 0) + (shape.any ? sizeOf(shape.any) : 0);
  for (const member of shape.members.values()) size += sizeOf(member);
  return size;
}

function namesOf(types: number): string {
  return NAMES.filter(([bit]) => (types & bit) !== 0)
    .map(([, name]) => name)
    .join(' or ');
}

/** The paths of a shape and what is at them, for a person: `data.object.amount`, `number, string`. In the order they came. */
export function pathsOf(shape: Shape): readonly (readonly [path: string, types: string, optional: boolean])[] {
  const paths: (readonly [string, string, boolean])[] = [];
  const walk = (node: Shape, path: string): void => {
    if (path !== '') paths.push([path, namesOf(node.types) || 'null', node.optional]);
    for (const [key, member] of node.members) walk(member, path === '' ? key : `${path}.${key}`);
    if (node.element) walk(node.element, `${path}[]`);
    if (node.any) walk(node.any, path === '' ? '*' : `${path}.*`);
  };
  walk(shape, '');
  return paths;
}
