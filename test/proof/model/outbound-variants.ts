/**
 * The variants of the outbound model. The state counts in `ofTheReference` are those of the reference model that the
 * protocol was chosen with: equal counts show that this model is the same one.
 */
import { outboundModel, type Shape } from './outbound-model.ts';
import { AS_BUILT, OUTBOUND, type OutboundRules } from './outbound-rules.ts';
import { SEEN, type SeenSteps } from './outbound-seen.ts';
import type { Budget } from './outbound-state.ts';
import { slow, type Variant, variant } from './variants.ts';

const STUCK = 'O2 STUCK FOR EVER';
const NO_ROW = 'O3 OWED, BUT NO ROW POINTS TO IT';
const SENT_AGAIN = 'O5 SENT AGAIN WITHOUT A CAUSE';

type Rules = Partial<OutboundRules>;
type Faults = Partial<Budget>;

const NO_NETS: Rules = { audit: false, reconcile: false };

const ofTheReference: readonly Variant[] = [
  slow(
    good(
      'publish to end: crash, lost reply, error, duplicate',
      82_089,
      { crash: 1, lost: 1, error: 1, duplicate: 1 },
      {},
      { publish: 2, drainers: 1 },
    ),
  ),
  good(
    'the same without audit and reconcile, two fan-outs, two drainers',
    18_573,
    { crash: 1, lost: 1, error: 1, duplicate: 1 },
    NO_NETS,
    { publish: 2, fans: 2 },
  ),
  good('publish to end: two crashes', 17_579, { crash: 2 }, {}, { publish: 2 }),
  good(
    'publish to end: visibility or lease ends early, crash',
    19_848,
    { zombie: 1, crash: 1 },
    {},
    { publish: 1, fans: 2, drainers: 1 },
  ),
  good('publish to end: both queues purged, crash', 9_567, { purge: 1, crash: 1 }, {}, { publish: 1 }),
  good(
    'a second message arrives: crash, failure, lost reply, no nets',
    55_835,
    { crash: 1, fail: 1, lost: 1 },
    NO_NETS,
    { late: 1 },
  ),
  slow(
    good('a second message arrives: error, throttled, no nets', 67_614, { error: 1, throttled: 1, fail: 1 }, NO_NETS, {
      late: 1,
    }),
  ),
  good('a second message arrives: two crashes, no nets', 3_935, { crash: 2 }, NO_NETS, { late: 1 }),
  slow(
    good(
      'a second message arrives: lease or visibility ends early, failure',
      109_014,
      { zombie: 1, fail: 1 },
      {},
      { late: 1 },
    ),
  ),
  good(
    'a second message arrives: lease or visibility ends early, crash',
    50_022,
    { zombie: 1, crash: 1 },
    {},
    { late: 1 },
  ),
  good('two tokens: crash, failure, lost reply', 4_083, { crash: 1, fail: 1, lost: 1 }, {}, { tokens: 2 }),
  good(
    'without nets: failures, breaker, throttled, crash, error',
    30_770,
    { crash: 1, fail: 2, breaker: 1, throttled: 1, error: 1 },
    NO_NETS,
  ),
  good('three attempts: failures, crash', 11_784, { crash: 1, fail: 3, breaker: 1 }, { attempts: 3 }),
  good('lease or visibility ends early: failure, crash', 27_854, { zombie: 1, fail: 1, crash: 1 }),
  slow(good('the same twice', 29_255, { zombie: 2, fail: 1 })),
  good('two messages: crash, failure, breaker', 10_386, { crash: 1, fail: 1, breaker: 1 }, {}, { messages: 2 }),
  good('two messages in one request: crash, failure', 8_677, { crash: 1, fail: 1 }, { batch: true }, { messages: 2 }),
  good(
    'two messages in one request: lease ends early, failure',
    41_463,
    { zombie: 1, fail: 1 },
    { batch: true },
    { messages: 2 },
  ),
  good(
    'two lanes: crash, failure, second message arrives, no nets',
    30_280,
    { crash: 1, fail: 1 },
    { ...NO_NETS, lanes: 'send, then delete' },
    { late: 1 },
  ),
  good('pause without nets: crash, failure, breaker', 14_391, { pause: 1, crash: 1, fail: 1, breaker: 1 }, NO_NETS),
  slow(good('pause while publishing, crash', 29_004, { pause: 1, crash: 1 }, {}, { publish: 1 })),
  slow(good('pause twice, lease ends early', 41_935, { pause: 2, zombie: 1, fail: 1 })),
  good('pause, 410, replay', 31_884, { pause: 1, gone: 1, fail: 1, replay: 1 }),
  good(
    '410, enable with the backlog dropped, crash',
    16_510,
    { gone: 1, fail: 1, drop: 1, crash: 1 },
    {},
    { messages: 2 },
  ),
  slow(
    good(
      'paused or disabled for good: what waits expires, crash',
      122_141,
      { gone: 1, fail: 1, pause: 1, crash: 1 },
      { disabledForGood: true },
      { late: 1, drainers: 1 },
    ),
  ),
  good('the same with a replay, two drainers', 10_875, { pause: 1, crash: 1, replay: 1 }, { disabledForGood: true }),
  good('410, replay, enable with the backlog dropped', 35_448, { gone: 1, fail: 1, drop: 1, replay: 1, expire: 1 }),
  good('delete while publishing, crash', 10_135, { delete: 1, crash: 1 }, {}, { publish: 1, drainers: 1 }),
  good('delete and replay, crash', 6_787, { delete: 1, replay: 1, crash: 1 }),
  good('replay: crash, failure, lost reply', 44_961, { replay: 1, crash: 1, fail: 1, lost: 1 }),
  slow(good('replay: lease ends early, failure', 54_459, { replay: 1, zombie: 1, fail: 1 })),
  slow(good('two replays, pause', 115_623, { replay: 2, pause: 1, fail: 1 })),
  slow(
    good(
      'replay + duplicate fan-out job',
      74_639,
      { replay: 1, duplicate: 1, fail: 1 },
      {},
      { publish: 1, drainers: 1 },
    ),
  ),
  good('in order: two messages, crash, failures', 7_752, { crash: 1, fail: 2 }, { ordered: true }, { messages: 2 }),
  slow(
    good(
      'in order: lease ends early, failure, replay',
      73_843,
      { zombie: 1, fail: 1, replay: 1 },
      { ordered: true },
      { messages: 2 },
    ),
  ),
  bad(
    '202 before the job is accepted',
    4,
    'O2 ACKNOWLEDGED, BUT NOBODY WILL FAN IT OUT',
    { crash: 1 },
    { answersAfter: 'message' },
    { publish: 1 },
  ),
  bad('fan-out: token before row', 42, STUCK, {}, { ...NO_NETS, fanOrder: ['tokens', 'rows', 'ack'] }, { publish: 1 }),
  bad(
    'fan-out: job deleted before the rows',
    14,
    'O2 ACKNOWLEDGED, BUT NOBODY WILL FAN IT OUT',
    { crash: 1 },
    { fanOrder: ['ack', 'rows', 'tokens'] },
    { publish: 1 },
  ),
  bad(
    'fan-out: job deleted before the token, no audit',
    62,
    STUCK,
    { crash: 1 },
    { ...NO_NETS, fanOrder: ['rows', 'ack', 'tokens'] },
    { publish: 1 },
  ),
  bad('token deleted at the start, no audit', 21, STUCK, { crash: 1 }, { ...NO_NETS, tokenDeleted: 'start' }),
  bad(
    'token deleted, then passed to the slow lane, no audit',
    54,
    STUCK,
    { crash: 1 },
    { ...NO_NETS, lanes: 'delete, then send' },
  ),
  bad(
    'lease taken without a condition',
    10,
    'O6 A LIVE SESSION IS NOT THE OWNER OF THE LEASE',
    {},
    { leaseNeeded: false },
    { tokens: 2 },
  ),
  bad('lease without an end', 226, STUCK, { crash: 1 }, { leaseEnds: false }),
  bad(
    'who holds the lease is read from a stale copy, no audit',
    290,
    STUCK,
    {},
    { ...NO_NETS, heldSeen: 'stale' },
    { late: 1 },
  ),
  bad('own repeated acquire taken for another, no audit', 13, STUCK, { lost: 1 }, { ...NO_NETS, ownClaimKnown: false }),
  bad('visibility shorter than the lease, no audit', 70, STUCK, { crash: 1 }, { ...NO_NETS, visibilityLonger: false }),
  bad('visibility ends early and the owner crashes, no audit', 19_026, STUCK, { zombie: 1, crash: 1 }, NO_NETS, {
    late: 1,
  }),
  bad(
    'a session that lost its lease goes on',
    340,
    SENT_AGAIN,
    { zombie: 1, replay: 1 },
    { sessionLooksAtOwner: false },
  ),
  bad(
    'release without a condition',
    571,
    'O6 A LIVE SESSION IS NOT THE OWNER OF THE LEASE',
    { zombie: 1 },
    { releaseIfOwner: false },
    { late: 1 },
  ),
  bad(
    'release failed, token deleted, no audit',
    1_015,
    STUCK,
    { error: 1 },
    { ...NO_NETS, releaseError: 'ack' },
    { late: 1 },
  ),
  bad('no query after the release, no audit', 188, STUCK, {}, { ...NO_NETS, recheck: false }, { late: 1 }),
  bad(
    'query after the release reads an index, no audit',
    227,
    STUCK,
    {},
    { ...NO_NETS, recheckReads: 'index' },
    { late: 1 },
  ),
  bad(
    'query after the release ignores later rows, no audit',
    4_517,
    STUCK,
    { zombie: 1, fail: 1 },
    { ...NO_NETS, recheckFuture: false },
    { tokens: 2 },
  ),
  bad(
    'query after the release goes by a remembered gate, no audit',
    184,
    STUCK,
    { pause: 1 },
    { ...NO_NETS, recheckGate: 'remembered' },
  ),
  bad(
    'no wakeAt for a retry, and no look at later rows, no audit',
    33,
    STUCK,
    { fail: 1 },
    { ...NO_NETS, wakeOfRetry: false, recheckFuture: false },
  ),
  bad('breaker opens without wakeAt, no audit', 301, STUCK, { fail: 1, breaker: 1 }, { ...NO_NETS, wakeOfHold: false }),
  bad(
    'sweeper removes wakeAt when it sends, no audit',
    331,
    STUCK,
    { throttled: 1, crash: 1, purge: 1 },
    { ...NO_NETS, sweeperClears: true },
  ),
  bad('tokens purged, no audit', 12, STUCK, { purge: 1 }, { audit: false }),
  bad('jobs purged, no reconcile', 398, STUCK, { purge: 1 }, { reconcile: false }, { publish: 1 }),
  bad(
    'acquire and session ignore the gate',
    41,
    'O8 SENT WHILE PAUSED OR DISABLED',
    { pause: 1 },
    { acquireLooksAtGate: false, sessionLooksAtGate: false },
  ),
  bad('resume sets no wakeAt, no audit', 46, STUCK, { pause: 1 }, { ...NO_NETS, resumeWakes: false }),
  bad(
    'wakeAt stays behind a closed gate: swept forever',
    8_884,
    STUCK,
    { pause: 1, fail: 1, crash: 1 },
    { disabledForGood: true, closedClearsWake: false },
  ),
  bad(
    'a session disables whatever the gate says',
    161,
    'O4 A DELETED ENDPOINT CAME BACK',
    { gone: 1, fail: 1, delete: 1 },
    { disableIf: 'always' },
  ),
  bad(
    'acquire ignores the hold',
    67,
    'O9 A SESSION WHILE THE ENDPOINT IS ON HOLD',
    { throttled: 1 },
    { acquireLooksAtHold: false },
  ),
  bad('closed for good, old rows never ended', 311, STUCK, { pause: 1 }, { disabledForGood: true, expiry: false }),
  bad(
    'sent without a look at the record',
    2_576,
    SENT_AGAIN,
    { duplicate: 1 },
    { lookAtRecord: false },
    { publish: 1, fans: 2 },
  ),
  bad('row deleted before the success is recorded', 12, NO_ROW, {}, { successOrder: 'row, record' }),
  bad(
    'success recorded without a condition',
    1_367,
    'O10 REPLAY SWALLOWED BY AN OLDER REQUEST',
    { zombie: 1, replay: 1 },
    { successIf: 'always' },
  ),
  bad(
    'success recorded unless final, whatever the generation',
    1_367,
    'O10 REPLAY SWALLOWED BY AN OLDER REQUEST',
    { zombie: 1, replay: 1 },
    { successIf: 'not final' },
  ),
  bad(
    'failure recorded without a condition',
    689,
    'O4 A FINAL DELIVERY WAS UNDONE',
    { zombie: 1, fail: 1 },
    { failureIf: 'always' },
  ),
  bad('old row deleted before the retry row is there', 19, NO_ROW, { fail: 1 }, { retryOrder: 'record, old, new' }),
  bad(
    'recorded attempt: row deleted, retry row not made',
    588,
    NO_ROW,
    { fail: 1, crash: 1 },
    { repairRecorded: false },
  ),
  bad('dropped without a record', 619, NO_ROW, { gone: 1, fail: 1, drop: 1 }, { cancelRecords: false }),
  bad('replay: record, then row', 74, NO_ROW, { replay: 1, crash: 1 }, { replay: 'record, row' }),
  bad('replay: row, then record', 2_097, STUCK, { replay: 1, crash: 1 }, { replay: 'row, record' }),
  bad(
    'replay does not compare the generation it read',
    706,
    SENT_AGAIN,
    { replay: 1, lost: 1 },
    { replayIf: 'always', requestKnown: 'never' },
  ),
  bad('replay request has no id', 706, SENT_AGAIN, { replay: 1, lost: 1 }, { requestKnown: 'never' }),
  bad(
    'in order: a retry lets the next one pass',
    38,
    'O11 ORDER BROKEN',
    { fail: 1 },
    { ordered: true, headWaits: false },
    { messages: 2 },
  ),
  spare('no query after the release (audit covers)', 442, {}, { recheck: false }, { late: 1 }),
  spare('token deleted at the start (audit covers)', 242, { crash: 1 }, { tokenDeleted: 'start' }),
  spare('visibility shorter than the lease (audit covers)', 444, { crash: 1 }, { visibilityLonger: false }),
  spare('no wakeAt for a retry (the look at later rows covers)', 30, { fail: 1 }, { ...NO_NETS, wakeOfRetry: false }),
  spare('sweeper removes wakeAt (audit covers)', 3_391, { throttled: 1, crash: 1, purge: 1 }, { sweeperClears: true }),
  spare(
    'job deleted before the token (audit covers)',
    4_712,
    { crash: 1 },
    { fanOrder: ['rows', 'ack', 'tokens'] },
    { publish: 1 },
  ),
  spare(
    'retry row before the record (the look at the record covers)',
    2_700,
    { fail: 1, crash: 1 },
    { retryOrder: 'new, record, old' },
  ),
];

/** For every run: the deeds of slow variants above with fewer faults. */
const siblings: readonly Variant[] = [
  good('two replays', 1_917, { replay: 2 }),
  good('two replays, an answer lost', 3_829, { replay: 2, lost: 1 }),
  good('a second message arrives: throttled, failure, no nets', 13_596, { throttled: 1, fail: 1 }, NO_NETS, {
    late: 1,
  }),
  good(
    'replay + duplicate fan-out job, no failure',
    6_319,
    { replay: 1, duplicate: 1 },
    {},
    { publish: 1, drainers: 1 },
  ),
  good(
    'paused for good: what waits expires',
    8_139,
    { pause: 1, fail: 1 },
    { disabledForGood: true },
    { late: 1, drainers: 1 },
  ),
];

/** Rules that the reference does not take away. Without two of them nothing would show that O1 and O7 can break. */
const further: readonly Variant[] = [
  bad(
    '202 before the message is stored',
    3,
    'O1 ACKNOWLEDGED, BUT NOT STORED',
    {},
    { answersAfter: 'nothing' },
    { publish: 1 },
  ),
  bad('a request knows only the last replay', 4_828, SENT_AGAIN, { replay: 2, lost: 1 }, { requestKnown: 'if last' }),
  bad('a request is noted after its replay', 848, SENT_AGAIN, { replay: 1, lost: 1 }, { requestKnown: 'noted after' }),
  bad(
    'a request is noted before its replay',
    90,
    'O10 A REPLAY WAS ANSWERED AND NEVER MADE',
    { replay: 1, lost: 1 },
    { requestKnown: 'noted before' },
  ),
  bad('429 charged', 13, 'O7 CHARGED FOR AN ATTEMPT THAT DID NOT FAIL', { throttled: 1 }, { throttledCharged: true }),
];

const { looks, direct, peeks } = AS_BUILT;
const BUILT: Rules = { looks, direct, peeks };

/** What the code does beyond the reference: fewer looks, and publish that puts rows and tokens itself. */
const built: readonly Variant[] = [
  good('as built: publish to end, crash, lost reply, error', 33_952, { crash: 1, lost: 1, error: 1 }, BUILT, {
    publish: 2,
    drainers: 1,
  }),
  good(
    'as built: publish without nets, error, duplicate',
    1_524,
    { error: 1, duplicate: 1 },
    { ...NO_NETS, ...BUILT },
    {
      publish: 2,
    },
  ),
  good(
    'as built: publish, two crashes, no reconcile',
    8_162,
    { crash: 2 },
    { reconcile: false, ...BUILT },
    { publish: 2 },
  ),
  good('as built: paused, rows grow old, resumed', 21_452, { pause: 1, expire: 2, fail: 1 }, BUILT, { messages: 2 }),
  good('as built: pause while publishing, crash', 19_737, { pause: 1, crash: 1 }, BUILT, { publish: 2, drainers: 1 }),
  good(
    'as built: a second message arrives, error, failure, no nets',
    22_820,
    { error: 1, fail: 1 },
    { ...NO_NETS, ...BUILT },
    {
      late: 1,
    },
  ),
  good('as built: lease ends early twice, failure', 38_222, { zombie: 2, fail: 1 }, BUILT),
  good('as built: lease ends early, failure, replay', 74_893, { zombie: 1, fail: 1, replay: 1 }, BUILT),
  slow(
    good('as built: lease ends early, crash, a second message', 67_054, { zombie: 1, crash: 1 }, BUILT, { late: 1 }),
  ),
  good('as built: pause twice, lease ends early', 37_449, { pause: 2, zombie: 1, fail: 1 }, BUILT),
  slow(
    good(
      'as built: two messages in one request, lease ends early',
      65_271,
      { zombie: 1, fail: 1 },
      { ...BUILT, batch: true },
      {
        messages: 2,
      },
    ),
  ),
  good(
    'as built: 410, enable with the backlog dropped, crash',
    16_954,
    { gone: 1, fail: 1, drop: 1, crash: 1 },
    BUILT,
    {
      messages: 2,
    },
  ),
  good(
    'as built: paused for good, what waits expires',
    9_736,
    { pause: 1, fail: 1 },
    { ...BUILT, disabledForGood: true },
    {
      late: 1,
      drainers: 1,
    },
  ),
  good('as built: delete and replay, crash', 7_165, { delete: 1, replay: 1, crash: 1 }, BUILT),
  good(
    'as built: in order, lease ends early, failure',
    17_606,
    { zombie: 1, fail: 1 },
    { ...BUILT, ordered: true },
    {
      messages: 2,
    },
  ),
  bad(
    'the lease is looked at only as it is taken',
    2_045,
    SENT_AGAIN,
    { zombie: 1, replay: 1 },
    { ...BUILT, looks: 'at the lease' },
  ),
  bad(
    'rows are looked at before the lease by an index, no audit',
    13,
    STUCK,
    {},
    { ...NO_NETS, ...BUILT, peeks: 'index' },
  ),
  bad(
    'the look before the lease leaves a wakeAt that is over: swept forever',
    107_042,
    STUCK,
    { gone: 1, fail: 1, drop: 1, purge: 1, zombie: 1, throttled: 1 },
    { ...BUILT, peeks: 'leaves wakeAt' },
  ),
  bad(
    'the look before the lease ignores later rows, no audit',
    5_011,
    STUCK,
    { zombie: 1, fail: 1 },
    { ...NO_NETS, ...BUILT, peeks: 'due rows only' },
    { tokens: 2 },
  ),
  bad(
    'publish sends the token before it puts the row',
    34,
    STUCK,
    {},
    { ...NO_NETS, ...BUILT, direct: 'tokens, rows, 202' },
    {
      publish: 1,
    },
  ),
  bad(
    'publish answers 202 before its token is accepted, no audit',
    271,
    STUCK,
    { crash: 1 },
    { ...NO_NETS, ...BUILT, direct: 'rows, 202, tokens' },
    { publish: 1 },
  ),
];

export const outboundVariants: readonly Variant[] = [...ofTheReference, ...siblings, ...further, ...built];

function good(name: string, states: number, faults: Faults, rules: Rules = {}, shape: Partial<Shape> = {}): Variant {
  return variant('GOOD', name, states, [], modelOf(faults, rules, shape, SEEN));
}

function bad(
  name: string,
  states: number,
  breaks: string,
  faults: Faults,
  rules: Rules,
  shape: Partial<Shape> = {},
): Variant {
  return variant('BAD', name, states, [breaks], modelOf(faults, rules, shape));
}

function spare(name: string, states: number, faults: Faults, rules: Rules, shape: Partial<Shape> = {}): Variant {
  return variant('SPARE', name, states, [], modelOf(faults, rules, shape));
}

function modelOf(faults: Faults, rules: Rules, shape: Partial<Shape>, seen?: SeenSteps) {
  return () => {
    const model = outboundModel({ ...OUTBOUND, ...rules }, faults, shape);
    return seen ? { ...model, actors: model.actors.map(actor => seen.watch(actor)) } : model;
  };
}
