/**
 * The variants of the lifecycle model. The state counts in `ofTheReference` are those of the reference models that the
 * protocol was chosen with: equal counts show that this model is the same one. Only those with a late duplicate, which no
 * longer marks what it sent (docs/decisions/the-sweeper-reads-every-arrival-twice.md), are new.
 */

import { slow, type Variant, variant } from '#test/proof/model/variants.ts';
import { lifecycleModel } from './lifecycle-model.ts';
import { type LifecycleRules, PROTOCOL } from './lifecycle-rules.ts';
import type { Budget } from './lifecycle-state.ts';

const REVIVED = 'I4 A DEAD EVENT WAS REVIVED AND NOBODY ASKED FOR IT';
const UNDONE = 'I4 A TERMINAL EVENT WAS UNDONE';
const STUCK = 'STUCK FOR EVER';
const NOT_WATCHED = 'I8 WATCH OR EXPIRY DOES NOT MATCH WHAT IS OWED';
const DELETED = 'I7 A MESSAGE WAS DELETED TOO EARLY';
const CLOSED_UNREAD = 'I4 WHAT NOBODY READ AS DEAD WAS CLOSED';
const OLDER = 'I5 AN OLDER GENERATION FINISHED A NEWER ONE';
const TWICE = 'I5 EFFECT TWICE IN ONE GENERATION';
const TWO_OWNERS = 'I5 TWO OWNERS FINISHED';

type Rules = Partial<LifecycleRules>;
type Faults = Partial<Budget>;

const ofTheReference: readonly Variant[] = [
  good('crash, lost reply, late duplicate, outage', 33_648, { crash: 1, lostReply: 1, duplicate: 1 }, {}, 'outage'),
  good('two crashes', 6_515, { crash: 2 }),
  good('two zombies', 12_018, { zombie: 2 }),
  slow(good('redrive: zombie, crash, lost reply', 291_889, { redrive: 1, zombie: 1, crash: 1, lostReply: 1 })),
  good('redrive twice: lost reply', 57_973, { redrive: 2, lostReply: 1 }),
  slow(good('replay: crash, lost reply', 237_487, { replay: 1, crash: 1, lostReply: 1 })),
  slow(good('replay: zombie', 150_878, { replay: 1, zombie: 1 })),
  slow(good('replay by two operators', 160_468, { replay: 2 })),
  slow(good('replay + redrive, poison event', 165_549, { replay: 1, redrive: 1 }, { handlerCanSucceed: false })),
  good(
    'pause: crash, lost reply, late duplicate, outage',
    165_177,
    { pause: 1, crash: 1, lostReply: 1, duplicate: 1 },
    {},
    'outage',
  ),
  good('pause: zombie', 32_483, { pause: 1, zombie: 1 }, {}, 'outage'),
  good('pause twice', 12_502, { pause: 2 }, {}, 'outage'),
  good('pause with ordinary watchAt instead of far: crash', 16_840, { pause: 1, crash: 1 }, { pauseWatch: 'soon' }),
  slow(good('pause + replay + redrive', 777_384, { pause: 1, replay: 1, redrive: 1 })),
  slow(good('breaker + pause + redrive: crash', 335_660, { breaker: 1, pause: 1, redrive: 1, crash: 1 })),
  slow(good('payload missing + pause + redrive', 137_433, { payloadMissing: 2, pause: 1, redrive: 1 })),
  good('neighbour behind a paused event', 10_962, { pause: 1 }, { neighbour: true }),

  bad('redrive recognised by time', 608, REVIVED, { duplicate: 1 }, { redriveBy: 'time' }),
  bad('death-done conditional on the owner', 1_183, STUCK, {}, { deathDoneIf: 'owner' }),
  bad('death-done unconditional', 461, NOT_WATCHED, { replay: 1 }, { deathDoneIf: 'always' }),
  bad('replay keeps the dead fields and the watch', 124, NOT_WATCHED, { replay: 1 }, { replayClears: false }),
  bad('no catch-all row', 10_594, STUCK, { pause: 1 }, { catchAllRow: false, neighbour: true }),
  bad('successor not sent before ack', 31, DELETED, {}, { successorBeforeAck: false }),
  bad('copy that is due later is acked', 323, DELETED, { crash: 1 }, { copyDueLater: 'ack' }),
  bad('DLQ never drained', 28_586, STUCK, { replay: 1 }, { drainDlq: false }),
  bad('no dead row', 14_113, STUCK, { crash: 1, zombie: 1 }, { deadRow: false }),
  bad(
    'no dead row, other copies do not finish the DLQ send',
    2_907,
    STUCK,
    { crash: 1 },
    { deadRow: false, copiesFinishDlqSend: false },
  ),
  bad('no unsent row', 1_060, STUCK, {}, { unsentRow: false }),
  bad('no parked row', 993, STUCK, {}, { parkedRow: false }),
  bad('no overdue row', 430, STUCK, {}, { overdueRow: [] }),
  bad(
    'parked cleared before send, row 4 without failed/deferred',
    3_470,
    STUCK,
    { crash: 1 },
    { sendBeforeUnpark: false, overdueRow: ['pending', 'processing'] },
  ),
  bad('revive without a condition', 7_257, UNDONE, { redrive: 2, lostReply: 1 }, { reviveIf: 'always' }),
  bad('row created meanwhile (no-item path): ack', 270, DELETED, {}, { recordAppeared: 'ack' }, 'outage'),
  bad('finish writes not fenced', 1_205, TWO_OWNERS, { zombie: 1 }, { finishIfOwner: false }),

  text('a pause-parked record has no nextAttemptAt', 5_595, STUCK, { pause: 1 }, { pauseParkIsDue: false }),
  text('pause parks with watchAt far, nothing at resume', 4_887, STUCK, { pause: 1 }, { pauseWatch: 'far' }),
  text('pause parks with watchAt far, one pass at resume', 5_558, STUCK, { pause: 1 }, { pauseWatch: 'far, one pass' }),
  text('park has no condition', 868, UNDONE, { pause: 1 }, { parkIf: 'always' }),
  text('park refused: ack', 1_014, DELETED, { pause: 1 }, { parkRefused: 'ack' }),
  text(
    'redriven while paused: nothing to park, ack',
    1_404,
    DELETED,
    { pause: 1, redrive: 1 },
    { redrivenWhilePaused: 'ack' },
  ),
  text(
    'no item while paused: nothing to park, ack',
    229,
    DELETED,
    { pause: 1 },
    { recordWhilePaused: false },
    'outage',
  ),
  text('row 4 moves watchAt without a condition', 164, NOT_WATCHED, {}, { bumpIfUnchanged: false }),
  text('unclaimable written without a condition', 300, UNDONE, {}, { unclaimableIfUnchanged: false }),
  text(
    'payload_missing written without a condition',
    305,
    UNDONE,
    { payloadMissing: 1 },
    { payloadMissingIf: 'always' },
  ),
  text(
    'redriven, payload still missing: ack',
    549,
    DELETED,
    { payloadMissing: 2, redrive: 1 },
    { redrivenStillMissing: 'ack' },
  ),
  text(
    'drain test counts dead letters whose message has expired',
    28_620,
    STUCK,
    { replay: 1 },
    { expiredDlqMessagesCounted: 1 },
  ),
  text(
    'revive refused: ack (own retry after a lost reply)',
    723,
    DELETED,
    { redrive: 1, lostReply: 1 },
    { reviveRefused: 'ack' },
  ),

  spare('parked cleared before send (row 4 covers)', 3_874, { crash: 1 }, { sendBeforeUnpark: false }),
  spare(
    'row 4 without failed/deferred (parked cleared after send)',
    3_088,
    { crash: 1 },
    { overdueRow: ['pending', 'processing'] },
  ),
  spare(
    'other copies do not finish the DLQ send (row 1 covers)',
    13_897,
    { crash: 1, zombie: 1 },
    { copiesFinishDlqSend: false },
  ),
  spare('no catch-all row, one event alone', 3_472, { crash: 1 }, { catchAllRow: false }),
];

/** For every run: the same deeds as slow variants above and below, with fewer faults or one sweeper. */
const siblings: readonly Variant[] = [
  good('replay', 29_796, { replay: 1 }),
  good('payload missing + pause', 12_375, { payloadMissing: 1, pause: 1 }),
  good('payload missing + redrive', 19_858, { payloadMissing: 1, redrive: 1 }),
  good('two sweepers: redrive', 48_252, { redrive: 1 }, { sweepers: 2 }),
  good(
    'two sweepers: a watch left on a completed event, pause',
    24_416,
    { pause: 1 },
    { sweepers: 2, leftoverWatch: true },
  ),
  good('a watch left on a completed event, replay', 29_798, { replay: 1 }, { leftoverWatch: true }),
];

/** A person closes a death. */
const closing: readonly Variant[] = [
  good('close', 2_004, { close: 1 }),
  good('close: redrive', 29_120, { close: 1, redrive: 1 }),
  slow(good('close: redrive, crash', 90_411, { close: 1, redrive: 1, crash: 1 })),
  slow(good('close: replay, lost reply', 260_049, { close: 1, replay: 1, lostReply: 1 })),
  good('close: pause, zombie', 42_015, { close: 1, pause: 1, zombie: 1 }),
  slow(good('close: redrive, two sweepers', 758_370, { close: 2, redrive: 2 }, { sweepers: 2 })),
  bad('close of any death', 1_139, CLOSED_UNREAD, { close: 1, redrive: 1 }, { closeIf: 'dead' }),
  bad('close without a condition', 749, CLOSED_UNREAD, { close: 1, redrive: 1 }, { closeIf: 'always' }),
  bad('a redrive revives a closed death', 748, UNDONE, { close: 1, redrive: 1 }, { closedIsFinal: false }),
  bad('the message of a closed death is never drained', 1_910, STUCK, { close: 1 }, { drainsClosed: false }),
];

const free: Rules = { unclaimed: 'pending, of its generation' };

/** Handlers whose effects are all in their transaction run their first delivery without a claim. */
const unclaimed: readonly Variant[] = [
  good(
    'unclaimed: crash, lost reply, late duplicate, outage',
    48_965,
    { crash: 1, lostReply: 1, duplicate: 1 },
    free,
    'outage',
  ),
  good('unclaimed: two zombies', 17_831, { zombie: 2 }, free),
  good('unclaimed: replay', 42_404, { replay: 1 }, free),
  slow(good('unclaimed: replay, crash, lost reply', 359_700, { replay: 1, crash: 1, lostReply: 1 }, free)),
  slow(good('unclaimed: pause, redrive, zombie', 261_710, { pause: 1, redrive: 1, zombie: 1 }, free)),
  good('unclaimed: pause', 17_971, { pause: 1, lostReply: 1 }, free),
  good('unclaimed: redrive, close', 37_706, { redrive: 1, close: 1 }, free),
  bad('an unclaimed completion of whichever generation', 146, OLDER, { replay: 1 }, { unclaimed: 'pending' }),
  bad('an unclaimed completion of a death', 275, UNDONE, {}, { unclaimed: 'not over' }),
  bad('an unclaimed completion without a condition', 455, TWICE, { zombie: 1 }, { unclaimed: 'always' }),
];

const ignoring: Rules = { ignoresUnclaimed: 'pending, of its generation' };

/** One release has a handler and another has none, which ends the event without a claim. */
const ignored: readonly Variant[] = [
  good('ignored unclaimed: crash, lost reply, outage', 9_551, { crash: 1, lostReply: 1 }, ignoring, 'outage'),
  good('ignored unclaimed: two zombies', 12_180, { zombie: 2 }, ignoring),
  good('ignored unclaimed: replay', 43_618, { replay: 1 }, { ...ignoring, ...free }),
  slow(good('ignored unclaimed: pause, redrive, zombie', 198_935, { pause: 1, redrive: 1, zombie: 1 }, ignoring)),
  bad('ignored unclaimed in whichever generation', 98, OLDER, { replay: 1 }, { ignoresUnclaimed: 'pending' }),
  bad('ignored while its handler runs elsewhere', 122, TWO_OWNERS, { zombie: 1 }, { ignoresUnclaimed: 'not over' }),
];

const twoSweepers: Rules = { sweepers: 2 };
const leftover: Rules = { sweepers: 2, leftoverWatch: true };

/** Two sweepers at once: every write of theirs requires the item as it was read. */
const withTwoSweepers: readonly Variant[] = [
  good('two sweepers: two crashes', 21_552, { crash: 2 }, twoSweepers),
  good(
    'two sweepers: lost reply, late duplicate, outage',
    41_462,
    { lostReply: 1, duplicate: 1 },
    twoSweepers,
    'outage',
  ),
  slow(good('two sweepers: redrive, crash', 133_811, { redrive: 1, crash: 1 }, twoSweepers)),
  good('two sweepers: pause, crash', 67_718, { pause: 1, crash: 1 }, twoSweepers),
  slow(good('two sweepers: replay', 227_241, { replay: 1 }, twoSweepers)),
  slow(good('two sweepers: replay, zombie', 1_085_916, { replay: 1, zombie: 1 }, twoSweepers)),
  slow(good('two sweepers: pause, redrive, crash', 657_080, { pause: 1, redrive: 1, crash: 1 }, twoSweepers)),
  slow(good('two sweepers: a watch left on a completed event, replay', 227_247, { replay: 1 }, leftover)),
  bad(
    'two sweepers: moves watchAt without a condition',
    246,
    NOT_WATCHED,
    {},
    { ...twoSweepers, bumpIfUnchanged: false },
  ),
  bad(
    'two sweepers: unclaimable without a condition',
    684,
    UNDONE,
    {},
    { ...twoSweepers, unclaimableIfUnchanged: false },
  ),
  bad(
    'two sweepers: clears parked without a condition',
    1_039,
    NOT_WATCHED,
    {},
    { ...twoSweepers, unparkIfUnchanged: false },
  ),
  bad('two sweepers: marks without a condition', 162, NOT_WATCHED, {}, { ...twoSweepers, markIfPending: false }),
  bad(
    'two sweepers: moves to FAR without a condition',
    7_781,
    NOT_WATCHED,
    { pause: 1 },
    { ...twoSweepers, moveFarIfUnchanged: false },
  ),
  bad(
    'two sweepers: death-done without a condition',
    831,
    NOT_WATCHED,
    { redrive: 1 },
    { ...twoSweepers, deathDoneIf: 'always' },
  ),
  bad(
    'two sweepers: removes a watch without a condition',
    158,
    NOT_WATCHED,
    { replay: 1 },
    { ...leftover, removeWatchIfUnchanged: false },
  ),
];

export const lifecycleVariants: readonly Variant[] = [
  ...ofTheReference,
  ...siblings,
  ...closing,
  ...unclaimed,
  ...ignored,
  ...withTwoSweepers,
];

function good(name: string, states: number, budget: Faults, rules: Rules = {}, start?: 'outage'): Variant {
  return variant('GOOD', name, states, [], modelOf(budget, rules, start));
}

function bad(name: string, states: number, breaks: string, budget: Faults, rules: Rules, start?: 'outage'): Variant {
  return variant('BAD', name, states, [breaks], modelOf(budget, rules, start));
}

function text(name: string, states: number, breaks: string, budget: Faults, rules: Rules, start?: 'outage'): Variant {
  return variant('TEXT', name, states, [breaks], modelOf(budget, rules, start));
}

function spare(name: string, states: number, budget: Faults, rules: Rules): Variant {
  return variant('SPARE', name, states, [], modelOf(budget, rules));
}

function modelOf(budget: Faults, rules: Rules, start?: 'outage') {
  return () => lifecycleModel({ ...PROTOCOL, ...rules }, budget, start === 'outage');
}
