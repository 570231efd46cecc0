/**
 * The variants of the ingest model. A changed state count shows that the model has changed: in full those of the naive variants
 * are still those of the reference model that the protocol was chosen with (docs/decisions/the-sweeper-reads-every-arrival-twice.md changed the others). The slow ones have a sibling with fewer faults ("few
 * faults") that runs every time.
 */
import { ingestModel } from './ingest-model.ts';
import { type Faults, type IngestRules, ONE_OF_EACH, PROTOCOL } from './ingest-state.ts';
import { slow, type Variant, variant } from './variants.ts';

const unclaimed: Partial<IngestRules> = { unclaimed: 'if nobody has begun' };
const noSweeper: Partial<IngestRules> = {
  duplicateOfPending: 'is sent',
  sweepUnsent: false,
  backlogCountsAsSent: false,
  sweepOverdue: false,
};
const onlyUnsentSwept: Partial<IngestRules> = { backlogCountsAsSent: false, sweepOverdue: false };
const quietProvider: Partial<Faults> = { lostReply: 0, queueError: 0, lostAnswer: 0 };

const onlyAborted: Partial<Faults> = { ...quietProvider, aborted: 1, crash: 0, zombie: 0, handlerError: 0 };

const LOST = 'LOST AFTER 200';
const NEVER_HANDLED = 'RECORDED BUT NEVER HANDLED';
const TWICE = 'EFFECT TWICE';
const UNDONE = 'COMPLETED UNDONE';

export const ingestVariants: readonly Variant[] = [
  bad('naive: a known id is answered 200', 8_493, [LOST, NEVER_HANDLED], { ingest: 'naive', ...noSweeper }),
  bad(
    'naive, crashes only',
    4_403,
    [LOST, NEVER_HANDLED],
    { ingest: 'naive', ...noSweeper },
    { lostReply: 0, queueError: 0 },
  ),
  bad(
    'naive, queue errors only',
    1_379,
    [LOST, NEVER_HANDLED],
    { ingest: 'naive', ...noSweeper },
    { crash: 0, lostReply: 0 },
  ),
  bad(
    'compensating delete, no crash',
    1_130,
    [LOST, NEVER_HANDLED],
    { ingest: 'compensate', ...noSweeper },
    { crash: 0, lostReply: 0, lostAnswer: 0 },
  ),
  bad('sends again on a duplicate, 5xx on queue error, no sweeper', 50_673, [NEVER_HANDLED], {
    onQueueError: 'refuse',
    queueOnlyFallback: false,
    ...noSweeper,
  }),
  bad(
    'a duplicate is left to the sweeper, and there is none',
    4_543,
    [LOST, NEVER_HANDLED],
    {
      ...noSweeper,
      duplicateOfPending: 'may be left',
      onQueueError: 'refuse',
      queueOnlyFallback: false,
    },
    { queueError: 0, zombie: 0, handlerError: 0 },
  ),
  bad(
    'taken as sent in a backlog, never looked at again',
    2_631,
    [LOST, NEVER_HANDLED],
    { sweepOverdue: false },
    {
      ...quietProvider,
      zombie: 0,
      handlerError: 0,
    },
  ),
  bad('sends again on a duplicate, 200 on queue error, no sweeper', 54_321, [LOST, NEVER_HANDLED], {
    queueOnlyFallback: false,
    ...noSweeper,
  }),
  slow(bad('copies of an event in progress are acked', 137_157, [LOST, NEVER_HANDLED], ackInProgress())),
  bad('copies of an event in progress are acked, few faults', 11_277, [LOST, NEVER_HANDLED], ackInProgress(), {
    ...quietProvider,
    handlerError: 0,
  }),
  bad(
    'copies in progress are acked, no owner token, no crash',
    8_849,
    [LOST, NEVER_HANDLED],
    { ...ackInProgress(), knowsOwnPut: false, knowsOwnClaim: false },
    { crash: 0, zombie: 0 },
  ),
  slow(bad('completion not fenced', 135_535, [TWICE, UNDONE], { consumer: 'unfenced' })),
  bad('completion not fenced, few faults', 25_485, [TWICE, UNDONE], { consumer: 'unfenced' }, quietProvider),
  slow(bad('record deleted on handler error', 204_775, [UNDONE, TWICE], { consumer: 'delete-on-error' })),
  bad(
    'record deleted on handler error, few faults',
    9_488,
    [UNDONE, TWICE],
    { consumer: 'delete-on-error' },
    {
      ...quietProvider,
      crash: 0,
    },
  ),
  slow(bad('queue purged, sweeper covers only unsent', 323_821, [LOST, NEVER_HANDLED], onlyUnsentSwept, { purge: 1 })),
  bad('queue purged, sweeper covers only unsent, few faults', 2_966, [LOST, NEVER_HANDLED], onlyUnsentSwept, {
    purge: 1,
    zombie: 0,
    handlerError: 0,
    lostAnswer: 0,
    lostReply: 0,
    crash: 0,
  }),
  bad(
    "the queue's own redrive after 3 receives",
    3_196,
    ['DLQ WITHOUT ANY HANDLER FAILURE'],
    { redriveAfterReceives: 3 },
    { handlerError: 0, crash: 0, zombie: 0, lostReply: 0, queueError: 0 },
  ),
  slow(bad('external effect: the call can run twice, nothing is lost', 250_245, [TWICE], { effect: 'external' })),
  bad(
    'external effect: the call can run twice, nothing is lost, few faults',
    9_141,
    [TWICE],
    { effect: 'external' },
    {
      ...quietProvider,
      crash: 0,
    },
  ),
  slow(
    bad(
      'queue first, the consumer records, no sweeper, queue purged',
      281_936,
      [LOST, NEVER_HANDLED],
      { ingest: 'queue-first', ...noSweeper },
      { purge: 1 },
    ),
  ),

  bad(
    'an aborted call is taken for not applied: the record is taken back',
    5_216,
    [UNDONE, TWICE, LOST],
    { aborted: 'not applied' },
    onlyAborted,
  ),
  bad(
    'an aborted call is taken for applied: nothing is sent in its place',
    6_890,
    [LOST],
    { aborted: 'applied' },
    { ...onlyAborted, aborted: 2 },
  ),
  good(
    'calls are aborted with their limits',
    21_850,
    {},
    { aborted: 2, crash: 0, lostReply: 0, zombie: 0, handlerError: 0 },
  ),
  slow(good('calls are aborted with their limits, and everything else', 118_297, {}, { aborted: 1, zombie: 0 })),
  good('calls are aborted with their limits, first deliveries unclaimed', 17_676, unclaimed, {
    ...onlyAborted,
    crash: 1,
  }),

  slow(good('first deliveries unclaimed', 249_729, unclaimed)),
  good('first deliveries unclaimed, few faults', 19_723, unclaimed, { ...quietProvider, handlerError: 0 }),
  slow(good('first deliveries unclaimed, queue purged', 501_429, unclaimed, { purge: 1, lostAnswer: 0 })),
  good('first deliveries unclaimed, queue purged, few faults', 16_635, unclaimed, {
    ...quietProvider,
    purge: 1,
    zombie: 0,
    handlerError: 0,
  }),
  slow(good('first deliveries unclaimed, DynamoDB outage', 350_724, unclaimed, { storeDown: 1, lostAnswer: 0 })),
  bad(
    'an unclaimed completion that requires nothing',
    8_760,
    [TWICE],
    { unclaimed: 'completes whatever is there' },
    { ...quietProvider, crash: 0, handlerError: 0 },
  ),
  bad(
    'an unclaimed handler that calls outside: two copies call twice, and nothing went wrong',
    2_344,
    [TWICE],
    { ...unclaimed, effect: 'external' },
    { ...quietProvider, crash: 0, zombie: 0, handlerError: 0 },
  ),

  spare('own put not recognised by ingestId (the row for unsent duplicates covers)', 122_297, { knowsOwnPut: false }),
  good('naive ingest + sweeper', 42_990, { ingest: 'naive', ...onlyUnsentSwept }),
  slow(good('the protocol, transactional effect', 122_195)),
  good('the protocol, transactional effect, few faults', 22_830, {}, quietProvider),
  slow(good('the protocol, queue purged', 406_555, {}, { purge: 1 })),
  good('the protocol, queue purged, few faults', 29_565, {}, { purge: 1, zombie: 0, handlerError: 0, lostAnswer: 0 }),
  slow(good('the protocol, DynamoDB outage + queue error', 288_833, {}, { storeDown: 1 })),
  good(
    'the protocol, DynamoDB outage + queue error, few faults',
    16_525,
    {},
    {
      storeDown: 1,
      zombie: 0,
      handlerError: 0,
      lostReply: 0,
    },
  ),
  slow(
    good(
      'queue first, the consumer records, no sweeper',
      181_214,
      { ingest: 'queue-first', ...noSweeper },
      { storeDown: 1 },
    ),
  ),
];

function ackInProgress(): Partial<IngestRules> {
  return { consumer: 'ack-in-progress', ...onlyUnsentSwept };
}

function good(name: string, states: number, rules: Partial<IngestRules> = {}, faults: Partial<Faults> = {}): Variant {
  return variant('GOOD', name, states, [], modelOf(rules, faults));
}

function spare(name: string, states: number, rules: Partial<IngestRules>): Variant {
  return slow(variant('SPARE', name, states, [], modelOf(rules, {})));
}

function bad(
  name: string,
  states: number,
  breaks: readonly string[],
  rules: Partial<IngestRules>,
  faults: Partial<Faults> = {},
): Variant {
  return variant('BAD', name, states, breaks, modelOf(rules, faults));
}

function modelOf(rules: Partial<IngestRules>, faults: Partial<Faults>) {
  return () => ingestModel({ ...PROTOCOL, ...rules }, { ...ONE_OF_EACH, ...faults });
}
