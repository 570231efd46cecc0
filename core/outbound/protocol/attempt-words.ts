/** What one attempt means, in words for people: the page of a customer and the command line show the same sentence. */
import type { AnswerClass, Fault } from '#core/outbound/ports.ts';
import { WRONG_ADDRESS } from '#core/words.ts';
import type { AttemptItem } from './items.ts';

/** Undefined for what was kept before the fault was known. */
export function wordsOf(
  item: Pick<AttemptItem, 'code' | 'class' | 'fault' | 'spared' | 'othersOk' | 'further'>,
): string | undefined {
  const { code, class: of, fault, spared, othersOk = 0, further = 0 } = item;
  if (fault === undefined) return undefined;
  const answer = code === undefined ? `no answer (${named(of)})` : String(code);
  if (spared === 'egress') return `${answer}: most likely our own way out fails, so it does not count`;
  const more =
    further === 0 ? '' : `, and so ${further === 1 ? 'was the next request' : `were the next ${further} requests`}`;
  return `${answer}${MEANING[fault](othersOk, code)}${more}`;
}

const named = (of: AnswerClass): string => of.replaceAll('_', ' ');
const MEANING: Readonly<Record<Fault, (othersOk: number, code?: number) => string>> = {
  none: () => ': delivered',
  endpoint: () => ': the endpoint is at fault, whatever the message',
  ambiguous: (others, code = 0) =>
    others > 0
      ? ` for this message only: the endpoint answered ${others} ${others === 1 ? 'other' : 'others'} since`
      : `: ${WRONG_ADDRESS.includes(code) ? 'most likely the address is wrong, less likely the message' : 'the message or the endpoint is at fault'}; no other message was answered since`,
  message: () => ': the endpoint refused this message',
  throttle: () => ': the endpoint asked for a slower pace',
  ours: () => ': we did not ask the endpoint, the fault is ours',
};
