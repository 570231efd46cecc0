/** Keys of a handler's rows: what no table ever takes is said at once, and not after each attempt of the schedule. */
import { utf8 } from '#core/scan/bytes.ts';
import { PermanentError } from './handler-contract.ts';

/** Of DynamoDB, for a partition key; a sort key has less. */
const LONGEST_KEY = 2_048;

/** Throws PermanentError, without the value, for a key that no table can have. */
export function checkRowKey(table: string, key: unknown): void {
  const problem = problemOf(key);
  if (problem === undefined) return;
  throw new PermanentError(
    `the key of a row of "${table}": ${problem}; give a number or a text of 1 to 2,048 bytes, or reject the event`,
  );
}

/** The same for a row that is put, whose key only its table knows: what is wrong with any attribute. */
export function checkRow(table: string, row: unknown): void {
  const problem = problemOfRow(row);
  if (problem === undefined) return;
  throw new PermanentError(`the item of a row of "${table}": ${problem}; leave it out, or reject the event`);
}

function problemOfRow(row: unknown): string | undefined {
  if (typeof row !== 'object' || row === null || Object.keys(row).length === 0) return 'it names no attribute';
  for (const [name, value] of Object.entries(row)) {
    if (value === undefined) return `${name} has no value`;
    if (typeof value === 'number' && !Number.isFinite(value)) return `${name} is no finite number`;
  }
  return undefined;
}

function problemOf(key: unknown): string | undefined {
  if (typeof key !== 'object' || key === null || Object.keys(key).length === 0) return 'it names no attribute';
  for (const [name, value] of Object.entries(key)) {
    if (value === undefined || value === null) return `${name} has no value`;
    if (value === '') return `${name} is empty`;
    if (typeof value === 'string' && utf8(value).length > LONGEST_KEY) return `${name} is too long`;
    if (typeof value === 'number' && !Number.isFinite(value)) return `${name} is no finite number`;
    if (typeof value === 'boolean' || (typeof value === 'object' && !ArrayBuffer.isView(value)))
      return `${name} is neither text nor number`;
  }
  return undefined;
}
