/** Runs without a claim in the walks: which of the model's steps the code can take from where it stands. */
import type { HandlerRegistration } from '#core/handler/handler-contract.ts';
import { mayRunUnclaimed } from '#core/inbound/process/first-delivery.ts';
import { decodeWorkMessage, type WorkMessage } from '#core/inbound/protocol/work-message.ts';
import type { Ending, RealConsumer, RealLifecycle } from './real-lifecycle.ts';
import { source } from './walk-rules.ts';

const FIRST = { receiveCount: 1 };
export const IGNORING = { ...source, unhandled: 'ignore' } as const;

/** The action of a run that leaves its end to the claim. */
export const WILL_CLAIM = 'cannot complete unclaimed: will claim';
/** What the model's consumers do without a claim. */
export const WITHOUT_A_CLAIM: readonly string[] = [
  'runs without a claim',
  'commits effect and completed, unclaimed',
  'completes unclaimed, own retry refused: will claim',
  WILL_CLAIM,
  'finds no handler, ends it unclaimed',
  'ignores unclaimed, own retry refused: will claim',
];

/** By a processor whose release has no handler for the event. */
export const findsNoHandler = (action: string): boolean => /no handler|ignores/.test(action);

/** It has run without a claim, and has read the time of the write before which it stands. */
export function hasReadTheClock(real: RealLifecycle, me: number): boolean {
  return real.consumers[me]?.endedAs !== undefined;
}

/**
 * Only what ingest itself sent runs without a claim; what is completed so is the record of that request; and an end that was
 * left to the claim is the one that is recorded.
 */
export function fitsFirstRun(real: RealLifecycle, me: number, action: string): boolean {
  const consumer = real.consumers[me];
  if (!consumer) return true;
  if (action === 'runs without a claim')
    return mayRunUnclaimed(messageOf(consumer), FIRST, { onlyTransacts: true } as HandlerRegistration, source);
  if (findsNoHandler(action) && (consumer.endedAs || !mayRunUnclaimed(messageOf(consumer), FIRST, undefined, IGNORING)))
    return false;
  if (/unclaimed(?:,|$)/.test(action) && action !== WILL_CLAIM)
    return messageOf(consumer).ingestId === real.item()?.ingestId;
  const wanted = endingOf(action);
  return consumer.endedAs === undefined || wanted === undefined || wanted === consumer.endedAs;
}

/** What a first run may end with: with a met condition only what needs a claim, or else it would have been written. */
export function endingOfFirstRun(real: RealLifecycle, consumer: RealConsumer): Ending {
  const item = real.item();
  const { gen, ingestId } = messageOf(consumer);
  const isMet = item?.status === 'pending' && item.gen === gen && item.ingestId === ingestId;
  return real.random.pick(isMet ? NEED_A_CLAIM : [...NEED_A_CLAIM, 'done']);
}

const NEED_A_CLAIM: readonly Ending[] = ['defer', 'retry soon', 'retry later', 'permanent'];

/** How the handler must end an attempt, for the model's action. Undefined: however it likes. */
export function endingOf(action: string): Ending | undefined {
  if (action.startsWith('commits effect') || action.startsWith('completes unclaimed')) return 'done';
  if (action.startsWith('writes deferred')) return 'defer';
  if (action.startsWith('writes failed, retry soon')) return 'retry soon';
  if (action.startsWith('writes failed, parked')) return 'retry later';
  if (action.startsWith('writes dead_letter')) return 'permanent';
  return undefined;
}

function messageOf({ body }: RealConsumer): WorkMessage {
  const decoded = decodeWorkMessage(body);
  if (decoded.kind === 'unknown') throw new Error(`a consumer holds what nobody can read: ${decoded.reason}`);
  return decoded.message;
}
