/**
 * One switch per rule of the protocol's life after `pending`. `PROTOCOL` holds the rules as they must be; every bad
 * variant changes one of them and must then fail.
 */
/** `completed` stands for every terminal status but `dead` and `closed`. */
export type Status = 'pending' | 'processing' | 'failed' | 'deferred' | 'completed' | 'dead' | 'closed';

export interface LifecycleRules {
  // Redrive, dead letters and their DLQ message
  /** How a person's redrive is told from any other copy. time: any copy sent after the death counts as one. */
  readonly redriveBy: 'deadId' | 'time';
  readonly deathDoneIf: 'deadId' | 'owner' | 'always';
  readonly reviveIf: 'deadId' | 'always';
  readonly reviveRefused: 'read-table-again' | 'ack';
  /** Another copy of a dead event finishes its DLQ send. */
  readonly copiesFinishDlqSend: boolean;
  /** The sweeper drains the DLQ of messages that no longer match a dead record. */
  readonly drainDlq: boolean;
  /** Open dead letters whose own DLQ message has expired, that the test "DLQ deeper than open dead letters" counts. */
  readonly expiredDlqMessagesCounted: number;
  /** What a person's closing requires: the very death that was read, any death, nothing. */
  readonly closeIf: 'deadId' | 'dead' | 'always';
  /** A redriven message of a closed death is refused. */
  readonly closedIsFinal: boolean;
  /** The drain takes the message of a closed death. */
  readonly drainsClosed: boolean;
  /** Replay removes `expiresAt` and `dlqSent` and brings the watch back. */
  readonly replayClears: boolean;

  // Sweeper rows
  readonly deadRow: boolean;
  readonly unsentRow: boolean;
  readonly parkedRow: boolean;
  readonly overdueRow: readonly Status[];
  readonly catchAllRow: boolean;
  readonly sendBeforeUnpark: boolean;
  /** The sweeper's writes require the item as it was read. */
  readonly bumpIfUnchanged: boolean;
  readonly unclaimableIfUnchanged: boolean;
  readonly unparkIfUnchanged: boolean;
  readonly markIfPending: boolean;
  readonly moveFarIfUnchanged: boolean;
  readonly removeWatchIfUnchanged: boolean;
  /** Sweepers that may run at once. With two, a catch-all write is a read and a later write. */
  readonly sweepers: 1 | 2;
  /** It may also start completed with a watch that nobody removed (an item of an older version). */
  readonly leftoverWatch: boolean;

  // Processor
  readonly successorBeforeAck: boolean;
  readonly copyDueLater: 'hide' | 'ack';
  readonly finishIfOwner: boolean;
  readonly recordAppeared: 'read-table-again' | 'ack';
  readonly payloadMissingIf: 'claimable' | 'always';
  readonly redrivenStillMissing: 'back-to-dlq' | 'ack';
  /**
   * Whether a message may run its handler without a claim (docs/decisions/what-needs-no-claim.md), and what the completion then requires: that
   * nobody has begun, in the generation of the message; in whichever; that it is not over; nothing.
   */
  readonly unclaimed: 'never' | 'pending, of its generation' | 'pending' | 'not over' | 'always';
  /**
   * Whether a processor that has no handler for the event (another release has one) may end it as ignored without a claim
   * (docs/decisions/what-needs-no-claim.md), and what that write then requires.
   */
  readonly ignoresUnclaimed: 'never' | 'pending, of its generation' | 'pending' | 'not over';
  /** false: a poison event, which must still end (dead). */
  readonly handlerCanSucceed: boolean;

  // Pause
  readonly parkIf: 'claimable' | 'always';
  readonly parkRefused: 'refusal-rows' | 'ack';
  /** A pause-parked record is due at once (`nextAttemptAt` = now). */
  readonly pauseParkIsDue: boolean;
  /**
   * far, read by every run: `watchAt` is FAR and each run of a source that is not paused reads it. soon: an ordinary
   * `watchAt`. far, one pass: FAR, brought back once at resume. far: nothing at resume.
   */
  readonly pauseWatch: 'far, read by every run' | 'soon' | 'far, one pass' | 'far';
  readonly redrivenWhilePaused: 'park' | 'ack';
  /** No item while paused: create the record parked; else just ack. */
  readonly recordWhilePaused: boolean;
  /** Also follow a second event behind this one in the watch index. */
  readonly neighbour: boolean;
}

export const PROTOCOL: LifecycleRules = {
  redriveBy: 'deadId',
  deathDoneIf: 'deadId',
  reviveIf: 'deadId',
  reviveRefused: 'read-table-again',
  copiesFinishDlqSend: true,
  drainDlq: true,
  expiredDlqMessagesCounted: 0,
  closeIf: 'deadId',
  closedIsFinal: true,
  drainsClosed: true,
  replayClears: true,
  deadRow: true,
  unsentRow: true,
  parkedRow: true,
  overdueRow: ['pending', 'processing', 'failed', 'deferred'],
  catchAllRow: true,
  sendBeforeUnpark: true,
  bumpIfUnchanged: true,
  unclaimableIfUnchanged: true,
  unparkIfUnchanged: true,
  markIfPending: true,
  moveFarIfUnchanged: true,
  removeWatchIfUnchanged: true,
  sweepers: 1,
  leftoverWatch: false,
  successorBeforeAck: true,
  copyDueLater: 'hide',
  finishIfOwner: true,
  recordAppeared: 'read-table-again',
  payloadMissingIf: 'claimable',
  redrivenStillMissing: 'back-to-dlq',
  unclaimed: 'never',
  ignoresUnclaimed: 'never',
  handlerCanSucceed: true,
  parkIf: 'claimable',
  parkRefused: 'refusal-rows',
  pauseParkIsDue: true,
  pauseWatch: 'far, read by every run',
  redrivenWhilePaused: 'park',
  recordWhilePaused: true,
  neighbour: false,
};
