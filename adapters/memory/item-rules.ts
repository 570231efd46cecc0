/** What DynamoDB accepts as an item, and how many bytes it counts for it (Developer Guide, "Item sizes and formats"). */

/** Attributes by name, as plain values. */
export type Item = Record<string, unknown>;

const MAX_ITEM_BYTES = 400 * 1024;
const MAX_PARTITION_KEY_BYTES = 2_048;
const MAX_SORT_KEY_BYTES = 1_024;
const MAX_NESTING = 32;

/** The request breaks a rule of the service: it is refused before anything is applied, and so is every repetition. */
export class ValidationException extends Error {
  override readonly name = 'ValidationException';
}
/** No row of the table can have the key. */
export class KeyException extends ValidationException {}

/** Bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(at + 1))) {
      bytes += 2;
      at += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** A deep copy, so that nobody shares references with the table. Refuses what cannot be stored. */
export function copyValue(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      checkNumber(value);
      return value;
    case 'object':
      if (value === null) return null;
      if (depth > MAX_NESTING) throw new ValidationException('Nesting Levels have exceeded supported limits');
      if (value instanceof Uint8Array) return Uint8Array.from(value);
      if (Array.isArray(value)) return value.map(part => copyValue(part, depth + 1));
      if (isPlain(value)) return copyItem(value as Item, depth + 1);
      throw new ValidationException(`A ${value.constructor.name} cannot be stored; use plain values`);
    default:
      throw new ValidationException(`A value of type ${typeof value} cannot be stored; leave the attribute out`);
  }
}

/** A deep copy of all attributes. */
export function copyItem(item: Readonly<Item>, depth = 0): Item {
  // One by one, each new name would change the shape of the copy.
  const copy: Item = { ...item };
  for (const name in copy) {
    if (name === '') throw new ValidationException('Empty attribute name');
    const value = copy[name];
    if (typeof value !== 'string') copy[name] = copyValue(value, depth);
  }
  return copy;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function checkNumber(value: number): void {
  if (!Number.isFinite(value)) throw new ValidationException(`${value} is not a number DynamoDB can store`);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new ValidationException(`${value} is beyond the whole numbers that are kept exactly; store it as text`);
  }
  if (value !== 0 && Math.abs(value) < 1e-130) throw new ValidationException('Number underflow');
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return utf8Bytes(value);
  if (typeof value === 'number') return numberBytes(value);
  if (typeof value === 'boolean' || value === null) return 1;
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + valueBytes(part) + 1, 3);
  let bytes = 3;
  const item = value as Item;
  for (const name in item) bytes += utf8Bytes(name) + valueBytes(item[name]) + 1;
  return bytes;
}

/** About one byte per two significant digits, plus one, plus one for the sign. */
function numberBytes(value: number): number {
  if (value === 0) return 1;
  return Math.ceil(significantDigits(Math.abs(value)) / 2) + 1 + (value < 0 ? 1 : 0);
}

function significantDigits(value: number): number {
  if (!Number.isSafeInteger(value)) return (value.toExponential().split('e')[0] ?? '').replace('.', '').length;
  let rest = value;
  while (rest % 10 === 0) rest /= 10;
  let digits = 1;
  for (let limit = 10; limit <= rest; limit *= 10) digits += 1;
  return digits;
}

/** Bytes DynamoDB counts for an item: names and values. */
export function itemBytes(item: Readonly<Item>): number {
  let bytes = 0;
  for (const name in item) bytes += utf8Bytes(name) + valueBytes(item[name]);
  return bytes;
}

const measured = new WeakMap<Readonly<Item>, number>();

/** The same for an item that no longer changes, such as a stored one: counted once. */
export function storedItemBytes(item: Readonly<Item>): number {
  const known = measured.get(item);
  if (known !== undefined) return known;
  const bytes = itemBytes(item);
  measured.set(item, bytes);
  return bytes;
}

/** Refuses an item above 400 KB. */
export function checkItemBytes(item: Readonly<Item>): number {
  const bytes = storedItemBytes(item);
  if (bytes > MAX_ITEM_BYTES) {
    throw new ValidationException(
      `Item size has exceeded the maximum allowed size: ${bytes} of ${MAX_ITEM_BYTES} bytes`,
    );
  }
  return bytes;
}

/** Refuses a key value that is missing, empty, of another type, or too long. */
export function checkKeyValue(
  name: string,
  value: unknown,
  role: 'partition' | 'sort',
  type: 'string' | 'number',
): void {
  if (typeof value !== type) {
    throw new KeyException(`Type mismatch for key ${name}: expected ${type}, actual ${typeof value}`);
  }
  if (typeof value !== 'string') return;
  const limit = role === 'partition' ? MAX_PARTITION_KEY_BYTES : MAX_SORT_KEY_BYTES;
  const bytes = utf8Bytes(value);
  if (bytes === 0) throw new KeyException(`The key attribute ${name} must not be an empty string`);
  if (bytes > limit) throw new KeyException(`Size of key ${name} is ${bytes} bytes; at most ${limit} are allowed`);
}
