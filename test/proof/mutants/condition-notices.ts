/**
 * What notices, in whole runs, that one condition of one write is missing: a race (races.ts) or a walk of the model
 * (conformance/walk.ts). Or why no run can: other conditions of the same write refuse whatever it would refuse, or what it
 * lets through does no harm. Those stay because they say what is meant, and cost nothing. write-guards.test.ts shows of
 * every condition that it means something by itself.
 */
import type { RACES } from './races.ts';

export type Notice =
  | { readonly race: keyof typeof RACES }
  /** Seed of the walk. */
  | { readonly walk: number }
  | { readonly coveredBy: readonly string[]; readonly because: string }
  | { readonly harmless: string };

const covered = (because: string, ...coveredBy: string[]): Notice => ({ coveredBy, because });

const released = covered('every way out of `processing` takes the owner away', 'owner eq');
const deathHasItsId = covered('every way out of `dead_letter` takes `deadId` away', 'deadId eq');
const leaseIsOfProcessing = covered('every way out of `processing` takes the lease away', 'leaseUntil lt');
const newGenerationIsWatchedAnew = covered('a replay and a catch-up set a watch of their own', 'watchAt eq');
const moveShowsElsewhere = covered(
  'what leaves a status sets or takes away the owner, or sets another watch',
  'owner eq',
  'watchAt eq',
);
const noOwnerHere = covered('the record has no owner when it is read, and a claim changes the status', 'status eq');

/** No run here imports: test/surfaces/cli/import.test.ts does. */
const NOT_IMPORTED = 'a person imports, beside no race';

export const NOTICES: Readonly<Record<string, Notice>> = {
  'claim: gen eq': { walk: 5 },
  'claim: schemaVersion le': { race: 'aNewerRecordIsNotRun' },
  'claim: status in': { walk: 1 },
  'claim: nextAttemptAt missing': { walk: 1 },
  'claim: nextAttemptAt le': { walk: 1 },
  'claim: status eq': leaseIsOfProcessing,
  'claim: leaseUntil lt': { walk: 10 },
  'park: gen eq': { walk: 37 },
  'park: schemaVersion le': { race: 'aNewerRecordIsNotParked' },
  'park: status in': { walk: 4 },
  'park: nextAttemptAt missing': { walk: 35 },
  'park: nextAttemptAt le': { walk: 8 },
  'park: status eq': leaseIsOfProcessing,
  'park: leaseUntil lt': { walk: 4 },

  'finish: owner eq': { race: 'aFinishOfALateOwner' },
  'finish: status eq': released,
  'finishUnclaimed: status eq': { race: 'anUnclaimedFinishAfterAnother' },
  'finishUnclaimed: gen eq': { race: 'anUnclaimedFinishAfterAReplay' },
  'finishUnclaimed: ingestId eq': { race: 'anUnclaimedFinishOfAnotherDelivery' },
  'finishUnclaimed: schemaVersion le': { race: 'aNewerRecordIsNotFinished' },
  'retrySoon: owner eq': { race: 'aRetryOfALateOwner' },
  'retrySoon: status eq': released,
  'retryLater: owner eq': { race: 'aLongRetryOfALateOwner' },
  'retryLater: status eq': released,
  'asDeferral: owner eq': { race: 'aDeferralOfALateOwner' },
  'asDeferral: status eq': released,
  'die: owner eq': { race: 'aDeathOfALateOwner' },
  'die: status eq': released,

  'deathDone: status eq': deathHasItsId,
  'deathDone: deadId eq': { race: 'aNoteOfAnOlderDeath' },
  'revive: status eq': deathHasItsId,
  'revive: deadId eq': { race: 'aRedriveOfAnOlderDeath' },
  'close: status eq': deathHasItsId,
  'close: deadId eq': { race: 'aClosingOfAnOlderDeath' },
  'reviveParked: status eq': deathHasItsId,
  'reviveParked: deadId eq': { race: 'aParkedRedriveOfAnOlderDeath' },

  'markEnqueued: status eq': { race: 'markedAfterItEnded' },
  'markEnqueued: gen eq': { race: 'markedForAnotherReplay' },
  'watchUnsent: status eq': { race: 'calledUnsentAfterItEnded' },
  'watchUnsent: gen eq': { harmless: 'a replay that nobody has sent yet is sent half a minute earlier' },
  'watchUnsent: enqueuedAt missing': { race: 'calledUnsentAfterItWasSent' },

  'replay: gen eq': { race: 'replayedAfterAnotherReplay' },
  'replay: replayId ne': covered('a replay with this id has raised the generation', 'gen eq'),
  'replay: status ne completed': { race: 'replayedAfterItCompleted' },
  'replay: status ne processing': { race: 'replayedWhileItRuns' },
  'replay: replayedAt missing': { race: 'aJobTakesWhatWasNeverReplayed' },
  'replay: replayedAt lt': { race: 'aJobTakesWhatWasReplayedBefore' },
  'catchUp: gen eq': { race: 'caughtUpAfterAnother' },
  'catchUp: status eq': { race: 'caughtUpAfterItCompleted' },
  'catchUp: gen lt': covered('it is asked for only where the generation that was read is older', 'gen eq'),

  'endImported: status eq': { harmless: NOT_IMPORTED },
  'endImported: gen eq': { harmless: NOT_IMPORTED },
  'endImported: watchAt eq': { harmless: NOT_IMPORTED },
  'rewatch: status eq': { race: 'foundByTheAuditAfterItEnded' },
  'rewatch: gen eq': newGenerationIsWatchedAnew,
  'rewatch: owner eq': {
    harmless: 'the next owner is watched by the lease before its own: the sweeper looks once more',
  },
  'rewatch: watchAt eq': { harmless: 'the next look comes at another time, and decides by what it reads then' },
  'countResend: status eq': moveShowsElsewhere,
  'countResend: gen eq': newGenerationIsWatchedAnew,
  'countResend: owner eq': { race: 'countedAfterATakeover' },
  'countResend: watchAt eq': { walk: 6 },
  'unwatch: status eq': moveShowsElsewhere,
  'unwatch: gen eq': newGenerationIsWatchedAnew,
  'unwatch: owner eq': noOwnerHere,
  'unwatch: watchAt eq': { race: 'aWatchLeftFromAnOlderDeath' },
  'dieUnclaimed: status eq': moveShowsElsewhere,
  'dieUnclaimed: gen eq': newGenerationIsWatchedAnew,
  'dieUnclaimed: owner eq': { race: 'givenUpAfterATakeover' },
  'dieUnclaimed: watchAt eq': { race: 'givenUpAfterAnotherAttempt' },
  'markSwept: status eq': { race: 'sweptAfterItEnded' },
  'markSwept: gen eq': newGenerationIsWatchedAnew,
  'markSwept: owner eq': noOwnerHere,
  'markSwept: watchAt eq': {
    harmless: 'only ingest sets a watch here, after a send that failed: the sweeper has sent it',
  },
  'markSwept: enqueuedAt missing': {
    harmless: 'a replay has sent and marked it meanwhile: it is sent twice in any case',
  },
  'unpark: status eq': moveShowsElsewhere,
  'unpark: gen eq': newGenerationIsWatchedAnew,
  'unpark: owner eq': noOwnerHere,
  'unpark: watchAt eq': covered(
    'another sweeper took it off the shelf, or saw a pause: the copy that was sent meets the pause again',
    'parked exists',
    'nextAttemptAt eq',
  ),
  'unpark: parked exists': covered('a claim sets the owner, another sweeper the watch', 'owner eq', 'watchAt eq'),
  'unpark: nextAttemptAt eq': covered(
    'what is parked anew is watched anew, except by a pause, which the copy that was sent meets again',
    'watchAt eq',
  ),
};
