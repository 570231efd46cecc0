/**
 * Whether an answer is the service's own, and whole. An empty or cut 200 reads as "there is no such item", and an event would
 * die of it; it is an unclear answer instead, and tried again.
 */
import { crc32 } from 'node:zlib';

export interface Answered {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Operations that have nothing to say. */
const SILENT = new Set(['ChangeMessageVisibility', 'DeleteMessage']);
/** What an answer always holds, by operation. */
const ALWAYS: Readonly<Record<string, string>> = {
  BatchGetItem: 'Responses',
  Query: 'Items',
  Scan: 'Items',
  SendMessage: 'MD5OfMessageBody',
  GetSecretValue: 'VersionId',
};

/** Throws an Error that says what is wrong: as many bytes as announced, and the checksum where the service gives one. */
export function checkBytes(operation: string, { headers, bytes }: Answered): void {
  const length = headers['content-length'];
  if (length !== undefined && Number(length) !== bytes.length)
    throw new Error(`${bytes.length} bytes of an answer of ${length}`);
  if (bytes.length === 0 && !SILENT.has(operation)) throw new Error(`an empty answer to ${operation}`);
  const sum = headers['x-amz-crc32'];
  if (sum !== undefined && Number(sum) !== crc32(bytes))
    throw new Error(`an answer to ${operation} with another checksum`);
}

/** Throws an Error when a refusal is not the service's own: a proxy's page says nothing about what was applied. */
export function checkRefusal(status: number, bytes: Buffer): void {
  if (!/"__type"\s*:\s*"/.test(bytes.toString('latin1'))) throw new Error(`a status ${status} that names no error`);
}

/** Throws an Error when the parsed answer is not of the operation's shape. */
export function checkShape(
  operation: string,
  input: object,
  answer: unknown,
): asserts answer is Record<string, unknown> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new Error(`an answer to ${operation} that is no object`);
  const wanted =
    operation === 'UpdateItem' && 'ReturnValues' in input && input.ReturnValues === 'ALL_NEW'
      ? 'Attributes'
      : ALWAYS[operation];
  const found = answer as Record<string, unknown>;
  if (wanted !== undefined && found[wanted] === undefined)
    throw new Error(`an answer to ${operation} without ${wanted}`);
}
