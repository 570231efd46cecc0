/** How DynamoDB bills, out of the Developer Guide ("Item sizes and formats", "Read and write operations"). */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

type Attributes = Readonly<Record<string, AttributeValue>>;

export interface BilledIndex {
  readonly partition: string;
  readonly sort: string;
  readonly project: readonly string[];
}

/** Bytes stored for each item, and for each entry of an index, beside its own (billed as storage only). */
export const STORAGE_OVERHEAD_BYTES = 100;

const utf8 = (text: string): number => Buffer.byteLength(text, 'utf8');

/** One byte for each two significant digits, one more, and one for a minus sign. */
function numberBytes(text: string): number {
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+|0+$/g, '');
  return digits === '' ? 1 : Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return utf8(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.B !== undefined) return value.B.length;
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1;
  if (value.L !== undefined) return value.L.reduce((sum, part) => sum + valueBytes(part) + 1, 3);
  if (value.M !== undefined) {
    return Object.entries(value.M).reduce((sum, [name, part]) => sum + utf8(name) + valueBytes(part) + 1, 3);
  }
  throw new RangeError(`No rule for the size of ${JSON.stringify(value)}: add it to bench/billing/dynamodb-units.ts`);
}

/** Bytes of an item as it is billed: names and values. 0 for no item. */
export function itemSize(item: Attributes | undefined): number {
  return Object.entries(item ?? {}).reduce((sum, [name, value]) => sum + utf8(name) + valueBytes(value), 0);
}

/** A write bills each started KB of the larger of the item before and after, at least one. */
export function writeUnits(before: Attributes | undefined, after: Attributes | undefined): number {
  return Math.max(1, Math.ceil(Math.max(itemSize(before), itemSize(after)) / 1024));
}

/** A strongly consistent read bills each started 4 KB, at least one; an eventually consistent one half of it. */
export function readUnits(bytes: number, consistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / 4096)) / (consistent ? 1 : 2);
}

/** The entry of an index, or undefined where a key of it is missing. */
export function indexEntry(
  index: BilledIndex,
  tableKeys: readonly string[],
  item: Attributes | undefined,
): Attributes | undefined {
  if (item?.[index.partition] === undefined || item[index.sort] === undefined) return undefined;
  const names = new Set([...tableKeys, index.partition, index.sort, ...index.project]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

/**
 * What a change of an item costs in one index: nothing while the entry stays as it is, one write for one that comes,
 * goes or changes beside its key, two (delete and put) where the key of the index changes.
 */
export function indexUnits(
  index: BilledIndex,
  tableKeys: readonly string[],
  before: Attributes | undefined,
  after: Attributes | undefined,
): number {
  const [was, is] = [indexEntry(index, tableKeys, before), indexEntry(index, tableKeys, after)];
  if (!was && !is) return 0;
  if (!was || !is) return writeUnits(was, is);
  if (JSON.stringify(was) === JSON.stringify(sameOrder(was, is))) return 0;
  const moved = [index.partition, index.sort].some(name => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  return moved ? writeUnits(was, undefined) + writeUnits(undefined, is) : writeUnits(was, is);
}

const sameOrder = (like: Attributes, item: Attributes): Attributes =>
  Object.fromEntries(
    [...Object.keys(like), ...Object.keys(item)].flatMap(name => (item[name] ? [[name, item[name]]] : [])),
  );
