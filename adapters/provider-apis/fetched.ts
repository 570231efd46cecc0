import type { Fetched } from '#core/handler/ordering/fetch-latest.ts';
import type { ApiAnswer } from '#core/inbound/reconcile/delivery-api.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import type { CappedAnswer } from '../http/fetch-capped.ts';
import { garbage } from './provider-api.ts';

/** What an answer means for a fetcher. `read` finds the object and its id; undefined: it does not exist any more. */
export function toFetched<T>(
  answer: ApiAnswer<CappedAnswer>,
  read: (answer: CappedAnswer) => { readonly id: unknown; readonly object: unknown } | undefined,
): Fetched<T> {
  if (answer.kind !== 'answered') return answer;
  const found = read(answer.value);
  if (!found) return { kind: 'gone' };
  const { id, object } = found;
  if (typeof id !== 'string' && typeof id !== 'number') throw garbage('an object with an id');
  return { kind: 'found', id: String(id), object: object as T };
}

/** Throws DependencyError when the text is not a JSON object. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  const object = decodeJsonObject(text);
  if (!object) throw garbage('a JSON object');
  return object;
}
