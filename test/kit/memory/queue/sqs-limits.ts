/** What SQS refuses, by its Developer Guide. Each refusal is a `DependencyError` that was surely not applied. */

import { utf8Bytes } from '#adapters/memory/item-rules.ts';
import { DependencyError } from '#core/errors.ts';

export interface SendOptions {
  readonly groupId?: string;
  readonly delaySeconds?: number;
  /** Message attributes, texts only. */
  readonly attributes?: Readonly<Record<string, string>>;
}

export const MAX_VISIBILITY_SECONDS = 43_200;
// What SQS accepts: tab, line feed, carriage return and the characters XML 1.0 allows. Lone surrogates are not characters.
const REFUSED_CHARACTERS = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const GROUP_ID = /^[A-Za-z0-9!-/:-@[-`{-~]{1,128}$/;

/** Refuses what SendMessage refuses. `maximumBytes`: of the queue; 1 MiB where it sets none. */
export function checkSend(body: string, options: SendOptions, maximumBytes = 1_048_576): void {
  const { groupId, delaySeconds = 0, attributes = {} } = options;
  if (body === '') throw refuse('The request must contain a message body');
  let bytes = utf8Bytes(body);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === '') throw refuse(`Message attribute ${name} must have a non-empty value`);
    checkCharacters(value);
    bytes += utf8Bytes(name) + utf8Bytes(value) + 'String'.length;
  }
  if (bytes > maximumBytes) {
    throw refuse(`Message must be shorter than ${maximumBytes} bytes; this one has ${bytes}`);
  }
  checkCharacters(body);
  if (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > 900) {
    throw refuse(`DelaySeconds is 0 to 900, not ${delaySeconds}`);
  }
  if (groupId !== undefined && !GROUP_ID.test(groupId)) {
    throw refuse(`MessageGroupId "${groupId}" is not 1 to 128 letters, digits and punctuation`);
  }
}

/** Refuses a number of messages that ReceiveMessage does not take. */
export function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > 10) throw refuse(`receive takes 1 to 10 messages, not ${limit}`);
}

function checkCharacters(text: string): void {
  const refused = REFUSED_CHARACTERS.exec(text);
  if (!refused) return;
  const code = refused[0].codePointAt(0)?.toString(16);
  throw refuse(`InvalidMessageContents: character U+${code} at ${refused.index}`);
}

export function checkVisibility(seconds: number): void {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_VISIBILITY_SECONDS) {
    throw refuse(`a visibility is 0 to ${MAX_VISIBILITY_SECONDS} whole seconds, not ${seconds}`);
  }
}

export function refuse(message: string): DependencyError {
  return new DependencyError('sqs', message, { outcome: 'not_applied' });
}
