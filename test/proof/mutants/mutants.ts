/**
 * Deliberately broken variants of the product: each is a mistake that real systems make. A bug names a function and what
 * becomes of its calls (break-function.ts finds it), never a line: how the function is written may change.
 */
export interface Bug {
  readonly file: string;
  /** A function of the file, or a method of a class in it. */
  readonly of: string;
  /** `(real, ...args) => …`, as text: it stands at the end of the file and may use what that imports, and bug-kit.ts. */
  readonly bug: string;
}
/** The name turns it on (bug-kit.ts). */
export interface NamedBug extends Bug {
  readonly name: string;
}
export interface Mutant extends NamedBug {
  /** A second change: without it another rule covers the first. */
  readonly also?: Bug;
  /** What complains: a scenario, a journey, or a journey with a fault at one of its calls (probe.ts asks them). */
  readonly shownBy: string;
  readonly says?: RegExp;
}

export const bugsOf = ({ also, ...bug }: Mutant): readonly NamedBug[] =>
  also ? [bug, { name: bug.name, ...also }] : [bug];

const WRITES = 'core/inbound/protocol/event-writes.ts';
const RECORD = 'core/inbound/ingest/record-and-send.ts';
const TAKE = 'core/inbound/process/take-event.ts';
const JUDGE = 'core/inbound/process/judge-attempt.ts';
const FINISH = 'core/inbound/process/finish-event.ts';
const SWEEP = 'core/inbound/sweep/sweep-event.ts';
const ARRIVALS = 'core/inbound/sweep/sweep-arrivals.ts';
const COVER = 'core/inbound/sweep/cover-arrivals.ts';
const PROCESS = 'core/inbound/process/process-event.ts';
const WAIT = 'core/inbound/process/wait-outside.ts';

export const MUTANTS: readonly Mutant[] = [
  // Ingest
  {
    name: 'duplicate means 200, sent or not',
    shownBy: 'scenario aDuplicateOfAnUnsentEventIsSent',
    file: RECORD,
    of: 'meetDuplicate',
    bug: `async (real, ...args) => { await real(...args); return { kind: 'known' }; }`,
  },
  {
    name: "no ingestId check: the SDK's own retry is a duplicate",
    shownBy: 'scenario ownRetryIsNoDuplicate',
    file: RECORD,
    of: 'recordState',
    bug: `(real, arrival, stored, ports, rules) => {
      const insert = async (item) => {
        const written = await ports.store.insert(item);
        return written.item ? { ...written, item: { ...written.item, ingestId: 'another' } } : written;
      };
      return real(arrival, stored, { ...ports, store: also(ports.store, 'insert', insert) }, rules);
    }`,
  },
  {
    name: '200 on hope',
    shownBy: 'scenario ownRetryIsNoDuplicate',
    file: RECORD,
    of: 'answer',
    bug: `(real, arrival, recorded, sent, ports) => real(arrival, recorded, 'whole', ports)`,
  },
  {
    name: 'an outage copy without its payload',
    shownBy: 'scenario anOutageOfTheTableLosesNothing',
    file: RECORD,
    of: 'messageOf',
    bug: `(real, arrival, place, recorded, ports) => {
      const { payload, ref, headers, ...base } = real(arrival, place, recorded, ports) ?? {};
      return recorded.kind === 'unrecorded' ? base : real(arrival, place, recorded, ports);
    }`,
  },
  {
    name: 'state before payload: no payload at all',
    shownBy: 'scenario aBrokenDeployKillsNothing',
    file: RECORD,
    of: 'storePayload',
    bug: `(real, arrival, ports, rules) =>
      real(arrival, { ...ports, payloads: also(ports.payloads, 'putBody', async () => {}) }, rules)`,
  },
  {
    name: 'no fallback when the table is down',
    shownBy: 'scenario anOutageOfTheTableLosesNothing',
    file: RECORD,
    of: 'send',
    bug: `async (real, arrival, stored, recorded, ...rest) => {
      const sent = await real(arrival, stored, recorded, ...rest);
      return recorded.kind === 'unrecorded' && sent === 'whole' ? 'by_name' : sent;
    }`,
  },
  {
    name: 'a request that fails verification is answered like a genuine one',
    shownBy: 'scenario aForgeryStoresNothing',
    file: 'core/verification/verify-request.ts',
    of: 'verifyRequest',
    bug: `async (real, ...args) => {
      const verdict = await real(...args);
      if (verdict.kind !== 'refused') return verdict;
      return { kind: 'verified', scheme: '', strength: 'signed', matchedSecret: 'none' };
    }`,
  },
  {
    name: 'dedup key without the source',
    shownBy: 'scenario oneSourceCannotSuppressAnother',
    file: 'core/glossary.ts',
    of: 'toEventPk',
    bug: `(real, source, key) => real(source === 'other' ? 'default' : source, key)`,
  },
  {
    name: 'the body is turned into text on the way',
    shownBy: 'scenario bytesSurvive',
    file: 'lambdas/shared/api-event.ts',
    of: 'bytesOf',
    bug: '(real, event) => new TextEncoder().encode(new TextDecoder().decode(real(event)))',
  },
  // Writes
  {
    name: 'TTL at insert',
    shownBy: 'scenario retriedEventsAreNeverForgotten',
    file: WRITES,
    of: 'pendingItem',
    bug: '(real, event, now, timings) => ({ ...real(event, now, timings), expiresAt: expiryAfter(now, 30) })',
  },
  {
    name: 'no watch for what is recorded late',
    shownBy: 'scenario whatIsRecordedLateIsWatched',
    file: WRITES,
    of: 'pendingItem',
    bug: '(real, ...args) => { const { watchShard, watchAt, ...item } = real(...args); return item; }',
  },
  {
    name: 'a claim ignores the lease',
    shownBy: 'crash points: happy path, lost_reply_retried at process store.update',
    file: WRITES,
    of: 'claimable',
    bug: `(real, ...args) => changeLeaf(real(...args), 'leaseUntil', exists('leaseUntil'))`,
  },
  {
    name: 'a claim ignores the generation',
    shownBy: 'scenario aRestoredRecordRunsOnce',
    file: WRITES,
    of: 'claimable',
    bug: `(real, ...args) => changeLeaf(real(...args), 'gen')`,
  },
  {
    name: 'a claim does not count the attempt',
    shownBy: 'scenario aPoisonEventEnds',
    file: WRITES,
    of: 'claim',
    bug: '(real, ...args) => ({ ...real(...args), add: { attempts: 0 } })',
  },
  {
    name: 'no fencing: any owner may finish',
    shownBy: 'crash points: happy path, stall at process store.transact',
    file: WRITES,
    of: 'fenced',
    bug: `() => exists('pk')`,
  },
  {
    name: 'finish keeps the watch',
    shownBy: 'crash points: a first delivery without a claim, and duplicates, lost_reply_error at ingest queue.send',
    file: WRITES,
    of: 'finishUnclaimed',
    bug: '(real, ...args) => ({ ...real(...args), remove: [...LEASE] })',
  },
  {
    name: 'finish without a TTL',
    shownBy: 'scenario aPurgeLosesNothing',
    file: WRITES,
    of: 'finalSet',
    bug: '(real, ...args) => { const { expiresAt, ...set } = real(...args); return set; }',
  },
  {
    name: 'death is done for whatever death it is',
    shownBy: 'scenario aLateDeathNoteChangesNothing',
    file: WRITES,
    of: 'deathDone',
    bug: `(real, ...args) => ({ ...real(...args), condition: exists('pk') })`,
  },
  {
    name: 'replay keeps the generation',
    shownBy: 'journey "replay of a completed event"',
    file: WRITES,
    of: 'replay',
    bug: `(real, item, ...rest) => {
      const update = real(item, ...rest);
      return { ...update, set: { ...update.set, gen: item.gen } };
    }`,
  },
  {
    name: 'replay keeps the TTL',
    shownBy: 'journey "replay of a completed event"',
    file: WRITES,
    of: 'replay',
    bug: `(real, ...args) => {
      const update = real(...args);
      return { ...update, remove: update.remove.filter(name => name !== 'expiresAt') };
    }`,
  },
  {
    name: 'replay always gives a new idempotency key',
    shownBy: 'journey "replay of a dead event"',
    file: WRITES,
    of: 'replay',
    bug: `(real, item, ...rest) => {
      const update = real(item, ...rest);
      return { ...update, set: { ...update.set, run: item.run + 1 } };
    }`,
  },
  // Processor
  {
    name: 'in progress is acked as a duplicate',
    shownBy: 'crash points: one id with two bodies, error at ingest payloads.putBody',
    file: TAKE,
    of: 'meetRefusal',
    bug: `async (real, message, item, ...rest) => {
      const met = await real(message, item, ...rest);
      return item.status === 'processing' && met.disposal === RETURN ? { ...met, disposal: ACK } : met;
    }`,
  },
  {
    name: 'due later is acked',
    shownBy: 'scenario aRetryAlwaysHasAMessage',
    file: TAKE,
    of: 'meetRefusal',
    bug: `async (real, message, item, ...rest) => {
      const met = await real(message, item, ...rest);
      return item.status !== 'processing' && met.disposal === RETURN ? { ...met, disposal: ACK } : met;
    }`,
  },
  {
    name: 'any copy revives a dead event',
    shownBy: 'crash points: a permanent error, stall at ingest secrets.fetch',
    file: TAKE,
    of: 'meetRefusal',
    bug: `async (real, message, item, record, way, ports, rules) => {
      if (item.gen !== message.gen || item.deadId === undefined || message.deadId === item.deadId)
        return real(message, item, record, way, ports, rules);
      return { result: await ports.store.update(way.revive(item.deadId)) };
    }`,
  },
  {
    name: 'a record is made without its payload',
    shownBy: 'scenario anOutageOfTheTableLosesNothing',
    file: TAKE,
    of: 'holdPayload',
    bug: 'async () => true',
  },
  {
    name: 'an unreachable table is acked',
    shownBy: 'scenario anOutageOfTheTableLosesNothing',
    file: WAIT,
    of: 'sendOrHide',
    bug: '(real, message, record, ...rest) => record.receiveCount === 1 ? ACK : real(message, record, ...rest)',
  },
  {
    name: 'a copy that waits has no body',
    shownBy: 'scenario anOutageOfTheTableLosesNothing',
    file: WAIT,
    of: 'sendOrHide',
    bug: '(real, message, ...rest) => real({ ...message, payload: undefined, ref: undefined }, ...rest)',
  },
  {
    name: 'a message is deleted although the queue did not take its copy',
    shownBy: 'crash points: an outage of DynamoDB, error at process queue.send',
    file: WAIT,
    of: 'sendOrHide',
    bug: `async (real, message, record, ...rest) => {
      const disposal = await real(message, record, ...rest);
      return record.receiveCount === 1 ? ACK : disposal;
    }`,
  },
  {
    name: 'the receive count decides: dead after five',
    shownBy: 'scenario aBrokenDeployKillsNothing',
    file: PROCESS,
    of: 'processEvent',
    bug: `(real, record, deadlineMs, ports, rules) =>
      record.receiveCount > 5 ? sendAway(record, 'received too often', ports) : real(record, deadlineMs, ports, rules)`,
  },
  {
    name: 'unknown messages are dropped',
    shownBy: 'scenario unknownMessagesWaitInTheDlq',
    file: PROCESS,
    of: 'sendAway',
    bug: `(real, record, reason, ports) =>
      real(record, reason, { ...ports, dead: also(ports.dead, 'send', async () => {}) })`,
  },
  {
    name: 'no deadline: a slow handler outlives its invocation',
    shownBy: 'scenario aSlowRecordCostsItsNeighboursNothing',
    file: 'core/inbound/process/run-handler.ts',
    of: 'runParsed',
    bug: `(real, input, payload, ports) => {
      const limit = (ms, work) => ports.timer.limit(ms * 1_000, work);
      return real(input, payload, { ...ports, timer: also(ports.timer, 'limit', limit) });
    }`,
  },
  // Finish
  {
    name: 'a lost lease is acked',
    shownBy: 'crash points: a handler that fails, then succeeds, lost_reply_retried at process store.update',
    file: FINISH,
    of: '#leaseLost',
    bug: 'real => { real(); return ACK; }',
  },
  {
    name: 'a finish that failed is acked',
    shownBy: 'crash points: happy path, error at process store.transact',
    file: FINISH,
    of: 'finishEvent',
    bug: `async (real, ...args) => {
      const disposal = await real(...args);
      return disposal === REFUSED ? ACK : disposal;
    }`,
  },
  {
    name: 'a retry without its successor',
    shownBy: 'scenario aPoisonEventEnds',
    file: FINISH,
    of: 'finishEvent',
    bug: `(real, attempt, end, ports, rules) =>
      real(attempt, end, { ...ports, queue: also(ports.queue, 'send', async () => {}) }, rules)`,
  },
  {
    name: 'no attempt budget',
    shownBy: 'scenario aPoisonEventEnds',
    file: JUDGE,
    of: 'judgeFailure',
    bug: `(real, attempt, ...rest) =>
      real({ ...attempt, retry: { ...attempt.retry, attempts: 1_000_000 } }, ...rest)`,
  },
  {
    name: 'effects outside the transaction',
    shownBy: 'scenario aPurgeLosesNothing',
    file: FINISH,
    of: '#complete',
    bug: '(real, ruling) => real({ ...ruling, effects: [] })',
  },
  {
    name: 'death does not raise the payload',
    shownBy: 'scenario deadEventsCanBeReplayedLate',
    file: FINISH,
    of: '#raisePayload',
    bug: 'async (real, days) => { if (days !== this.#rules.deadRetentionDays) await real(days); }',
  },
  {
    name: 'a dead letter without its DLQ message',
    shownBy: 'journey "a permanent error"',
    file: 'core/inbound/protocol/send-death.ts',
    of: 'sendDeath',
    bug: `(real, item, death, ports, rules) =>
      real(item, death, { ...ports, dead: also(ports.dead, 'send', async () => {}) }, rules)`,
  },
  // Sweeper
  {
    name: 'the cursor passes what could not be watched',
    shownBy: 'scenario whatCouldNotBeWatchedIsNotPassed',
    file: ARRIVALS,
    of: 'sweepArrivals',
    bug: `(real, run, ...rest) => {
      const cover = async (...args) => { await run.cover(...args); return true; };
      return real({ ...run, cover }, ...rest);
    }`,
  },
  {
    name: 'the cursor passes what was claimed between read and write',
    shownBy: 'scenario whatIsClaimedBetweenReadAndWriteIsWatched',
    file: COVER,
    of: 'coverOne',
    bug: `(real, read, paused, run) => {
      const sweepOne = async (...args) => {
        const result = await run.sweepOne(...args);
        return result?.written && { ...result, written: { kind: 'applied', item: read } };
      };
      return real(read, paused, also(run, 'sweepOne', sweepOne));
    }`,
    also: {
      file: ARRIVALS,
      of: 'sweepArrivals',
      bug: `async (real, run, store, control, name) =>
      name === undefined || name === ARRIVALS_CONTROL ? real(run, store, control, name) : {}`,
    },
  },
  {
    name: 'arrivals that are claimed are passed',
    shownBy: 'crash points: happy path, crash_after at process store.update',
    file: COVER,
    of: 'isCovered',
    bug: `(real, item) => real(item) || item.status === 'processing'`,
  },
  {
    name: 'both looks at arrivals are without a grace',
    shownBy: 'scenario aRequestUnderWayIsNotPassed',
    file: ARRIVALS,
    of: 'sweepArrivals',
    bug: '(real, run, ...rest) => real({ ...run, upTo: run.now() }, ...rest)',
  },
  {
    name: 'the sweeper does not look at arrivals',
    shownBy: 'scenario aPurgeLosesNothing',
    file: COVER,
    of: 'coverArrivals',
    bug: 'async () => []',
  },
  {
    name: 'in a backlog an arrival is taken as sent and never looked at again',
    shownBy: 'scenario whatTheSweeperSentIsLookedAtAgain',
    file: WRITES,
    of: 'markSwept',
    bug: '(real, item, now) => real(item, now, FAR)',
  },
  {
    name: 'an unsent event is not told to the sweeper',
    shownBy: 'scenario aDuplicateOfAnUnsentEventIsSent',
    file: RECORD,
    of: 'noteUnsent',
    bug: 'async () => {}',
  },
  {
    name: 'the audit does not look for what nobody watches',
    shownBy: 'scenario theAuditFindsWhatCameTooLate',
    file: 'core/inbound/watch/audit-records.ts',
    of: 'watchForgotten',
    bug: 'async () => []',
  },
  {
    name: 'the sweeper never sends what is overdue',
    shownBy: 'scenario whatTheSweeperSentIsLookedAtAgain',
    file: SWEEP,
    of: 'rowFor',
    bug: `(real, item, view, timings) => {
      const row = real(item, view, timings);
      return row.kind === 'overdue' ? { kind: 'wait', until: view.now } : row;
    }`,
  },
  {
    name: 'the sweeper forgets the deaths',
    shownBy: 'crash points: a permanent error, crash_after at process store.update',
    file: SWEEP,
    of: 'rowFor',
    bug: `(real, ...args) => {
      const row = real(...args);
      return row.kind === 'finish_death' ? { kind: 'nothing_owed' } : row;
    }`,
  },
  {
    name: 'the drain deletes what it does not know',
    shownBy: 'scenario unknownMessagesWaitInTheDlq',
    file: 'core/inbound/sweep/drain-dead-queue.ts',
    of: 'drainDeadQueue',
    bug: `(real, until, ports) => {
      const receive = async (most) => {
        const messages = await ports.dead.receive(most);
        for (const { body, receipt } of messages)
          if (decodeWorkMessage(body).kind === 'unknown') await ports.dead.delete(receipt);
        return messages;
      };
      return real(until, { ...ports, dead: also(ports.dead, 'receive', receive) });
    }`,
  },
];
