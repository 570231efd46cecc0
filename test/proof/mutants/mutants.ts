// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
/** Deliberately broken variants of the product: each is a mistake that real systems make. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Text that stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** A second change of the same file: without it another rule covers the first. */
  readonly also?: { readonly from: string; readonly to: string };
  /** Asked first, because it shows it soonest: a scenario, or a journey and then its crash points. @default in order */
  readonly scenario?: string;
  readonly journey?: string;
}

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
    file: RECORD,
    from: "return leftBehind ? { kind: 'left_behind', item } : { kind: 'known' };",
    to: "return leftBehind ? { kind: 'known' } : { kind: 'known' };",
  },
  {
    name: "no ingestId check: the SDK's own retry is a duplicate",
    file: RECORD,
    from: 'there?.ingestId !== event.ingestId',
    to: 'true',
  },
  {
    name: '200 on hope',
    file: RECORD,
    from: "if (recorded.kind === 'unrecorded' && sent !== 'whole') {",
    to: 'if (sent.length < 0) {',
  },
  {
    name: 'an outage copy without its payload',
    scenario: 'anOutageOfTheTableLosesNothing',
    file: RECORD,
    from: "if (recorded.kind === 'left_behind') return { ...base, again: true };",
    to: "if (recorded.kind === 'left_behind') return { ...base, again: true };\n  if (recorded.kind === 'unrecorded') return base;",
  },
  {
    name: 'state before payload: no payload at all',
    scenario: 'aBrokenDeployKillsNothing',
    file: RECORD,
    from: 'putBody({ ...body, place: placed.value }, ports, rules)',
    to: 'Promise.resolve(putBody)',
  },
  {
    name: 'no fallback when the table is down',
    scenario: 'anOutageOfTheTableLosesNothing',
    file: RECORD,
    from: "return message.payload === undefined && message.ref === undefined ? 'by_name' : 'whole';",
    to: "return recorded.kind === 'unrecorded' ? 'by_name' : 'whole';",
  },
  {
    name: 'a request that fails verification is answered like a genuine one',
    file: 'core/inbound/ingest/authenticate-request.ts',
    from: "if (verdict.kind === 'refused') return { kind: 'reply', reply: await turnAway(verdict) };",
    to: "if (verdict.kind === 'refused')\n    verdict = { kind: 'verified', scheme: '', strength: 'signed', matchedSecret: 'none' };",
  },
  {
    name: 'dedup key without the source',
    file: 'core/glossary.ts',
    from: 'return `${sourceId}#${eventKey}` as EventPk;',
    to: 'return `${sourceId === "other" ? "default" : sourceId}#${eventKey}` as EventPk;',
  },
  {
    name: 'the body is turned into text on the way',
    file: 'lambdas/ingest/handle-request.ts',
    from: 'body: bytesOf(apiEvent),',
    to: 'body: new TextEncoder().encode(new TextDecoder().decode(bytesOf(apiEvent))),',
  },
  // Writes
  {
    name: 'TTL at insert',
    scenario: 'retriedEventsAreNeverForgotten',
    file: WRITES,
    from: '  return { ...baseItem(event, now), ...(late ?',
    to: '  return { ...baseItem(event, now), expiresAt: expiryAfter(now, 30), ...(late ?',
  },
  {
    name: 'no watch for what is recorded late',
    scenario: 'whatIsRecordedLateIsWatched',
    file: WRITES,
    from: '  const late = !mayBeAtWork(event.receivedAt, now, timings);',
    to: '  const late = event.gen < 0 && !mayBeAtWork(event.receivedAt, now, timings);',
  },
  {
    name: 'a claim ignores the lease',
    journey: 'happy path',
    file: WRITES,
    from: "lt('leaseUntil', now)",
    to: "exists('leaseUntil')",
  },
  {
    name: 'a claim ignores the generation',
    scenario: 'aRestoredRecordRunsOnce',
    file: WRITES,
    from: "    eq('gen', gen),\n    le('schemaVersion', SCHEMA_VERSION),",
    to: "    le('schemaVersion', SCHEMA_VERSION),",
  },
  {
    name: 'a claim does not count the attempt',
    scenario: 'aPoisonEventEnds',
    file: WRITES,
    from: "    add: { attempts: 1 },\n    remove: ['nextAttemptAt', 'parked'],",
    to: "    add: { attempts: 0 },\n    remove: ['nextAttemptAt', 'parked'],",
  },
  {
    name: 'no fencing: any owner may finish',
    journey: 'happy path',
    file: WRITES,
    from: "all(eq('owner', by.claimId), eq('status', 'processing'))",
    to: "all(exists('pk'))",
  },
  {
    name: 'finish keeps the watch',
    journey: 'a first delivery without a claim, and duplicates',
    file: WRITES,
    from: '    remove: [...LEASE, ...WATCH],\n  };\n}\n\n/** Another attempt soon',
    to: '    remove: [...LEASE],\n  };\n}\n\n/** Another attempt soon',
  },
  {
    name: 'finish without a TTL',
    file: WRITES,
    from: 'completedAt: now, updatedAt: now, expiresAt } as const;',
    to: 'completedAt: now, updatedAt: now, ...(expiresAt ? {} : {}) } as const;',
  },
  {
    name: 'death is done for whatever death it is',
    scenario: 'aLateDeathNoteChangesNothing',
    file: WRITES,
    from: "    condition: all(eq('status', 'dead_letter'), eq('deadId', deadId)),\n    set: { dlqSent: true,",
    to: "    condition: exists('pk'),\n    set: { dlqSent: true,",
  },
  {
    name: 'replay keeps the generation',
    journey: 'replay of a completed event',
    file: WRITES,
    from: '      gen: item.gen + 1,\n      run:',
    to: '      gen: item.gen,\n      run:',
  },
  { name: 'replay keeps the TTL', file: WRITES, from: "  'expiresAt',\n];", to: '];' },
  {
    name: 'replay always gives a new idempotency key',
    journey: 'replay of a dead event',
    file: WRITES,
    from: 'run: item.run + (newRun ? 1 : 0),',
    to: 'run: item.run + 1,',
  },
  // Processor
  {
    name: 'in progress is acked as a duplicate',
    journey: 'one id with two bodies',
    file: TAKE,
    from: '    await ports.receipts.hide(record.receipt, Math.ceil(restMs / 1_000) + 1 + Math.floor(ports.random.next() * 5));\n    return dispose(RETURN);',
    to: '    return dispose(restMs >= 0 ? ACK : RETURN);',
  },
  {
    name: 'due later is acked',
    scenario: 'aRetryAlwaysHasAMessage',
    file: TAKE,
    from: '  await ports.receipts.hide(record.receipt, Math.min(SQS_MAX_WAIT_SECONDS, Math.ceil(waitMs / 1_000)));\n  return dispose(RETURN);',
    to: '  return dispose(waitMs >= 0 ? ACK : RETURN);',
  },
  {
    name: 'any copy revives a dead event',
    journey: 'a permanent error',
    file: TAKE,
    from: 'return { result: await ports.store.update(way.revive(item.deadId)) };\n    }',
    to: 'return { result: await ports.store.update(way.revive(item.deadId)) };\n    }\n    if (item.deadId !== undefined) return { result: await ports.store.update(way.revive(item.deadId)) };',
  },
  {
    name: 'a record is made without its payload',
    scenario: 'anOutageOfTheTableLosesNothing',
    file: TAKE,
    from: 'if (!(await holdPayload(message, ports, rules))) {',
    to: 'if (message.gen < 0 && !(await holdPayload(message, ports, rules))) {',
  },
  {
    name: 'an unreachable table is acked',
    scenario: 'anOutageOfTheTableLosesNothing',
    file: WAIT,
    from: 'if (record.receiveCount === 1 && !isSpent) {',
    to: 'if (record.receiveCount === 1) return ACK;\n  if (record.receiveCount === 1 && !isSpent) {',
  },
  {
    name: 'a copy that waits has no body',
    scenario: 'anOutageOfTheTableLosesNothing',
    file: WAIT,
    from: 'encodeWorkMessage({ ...message, waitingSince, waits: waits + 1 })',
    to: 'encodeWorkMessage({ ...message, payload: undefined, ref: undefined, waitingSince, waits: waits + 1 } as never)',
  },
  {
    name: 'a message is deleted although the queue did not take its copy',
    journey: 'an outage of DynamoDB',
    file: WAIT,
    from: "if ((await ask({ ...asker, stage: 'wait' }, work)).ok) return ACK;",
    to: "await ask({ ...asker, stage: 'wait' }, work);\n    return ACK;",
  },
  {
    name: 'the receive count decides: dead after five',
    scenario: 'aBrokenDeployKillsNothing',
    file: PROCESS,
    from: "  if (decoded.kind === 'unknown') return",
    to: "  if (record.receiveCount > 5) return sendAway(record, 'received too often', ports);\n  if (decoded.kind === 'unknown') return",
  },
  {
    name: 'unknown messages are dropped',
    scenario: 'unknownMessagesWaitInTheDlq',
    file: PROCESS,
    from: "() => ports.dead.send(record.body, 'unknown_message')",
    to: 'async () => ports.clock.now()',
  },
  {
    name: 'no deadline: a slow handler outlives its invocation',
    scenario: 'aSlowRecordCostsItsNeighboursNothing',
    file: 'core/inbound/process/run-handler.ts',
    from: 'const run = await ports.timer.limit(timeLimitMs,',
    to: 'const run = await ports.timer.limit(timeLimitMs * 1_000,',
  },
  // Finish
  {
    name: 'a lost lease is acked',
    journey: 'a handler that fails, then succeeds',
    file: FINISH,
    from: "cause: 'lease_lost' });\n    return RETURN;",
    to: "cause: 'lease_lost' });\n    return ACK;",
  },
  {
    name: 'a finish that failed is acked',
    journey: 'happy path',
    file: FINISH,
    from: 'return recorded.ok ? recorded.value : REFUSED;',
    to: 'return recorded.ok ? recorded.value : ACK;',
  },
  {
    name: 'a retry without its successor',
    scenario: 'aPoisonEventEnds',
    file: FINISH,
    from: '      await this.#ports.queue.send(message, { groupId: this.#source, delaySeconds });',
    to: '      void [message, delaySeconds];',
  },
  {
    name: 'no attempt budget',
    scenario: 'aPoisonEventEnds',
    file: JUDGE,
    from: 'if (item.attempts >= retry.attempts)',
    to: 'if (item.attempts >= 1_000_000)',
  },
  {
    name: 'effects outside the transaction',
    file: FINISH,
    from: 'if (effects.length === 0) return',
    to: 'if (effects.length >= 0) return',
  },
  {
    name: 'death does not raise the payload',
    scenario: 'deadEventsCanBeReplayedLate',
    file: FINISH,
    from: '    await this.#raisePayload(this.#rules.deadRetentionDays);',
    to: '',
  },
  {
    name: 'a dead letter without its DLQ message',
    journey: 'a permanent error',
    file: 'core/inbound/protocol/send-death.ts',
    from: '  await ports.dead.send(encodeWorkMessage({ ...referenceTo(item), again: true, deadId, cause }), cause);',
    to: '  void [cause, encodeWorkMessage];',
  },
  // Sweeper
  {
    name: 'the cursor passes what could not be watched',
    scenario: 'whatCouldNotBeWatchedIsNotPassed',
    file: ARRIVALS,
    from: 'const stuck = place.stuck || !covered;',
    to: 'const stuck = place.stuck && !covered;',
  },
  {
    name: 'the cursor passes what was claimed between read and write',
    scenario: 'whatIsClaimedBetweenReadAndWriteIsWatched',
    file: COVER,
    from: "if (result.written.kind === 'applied' || result.written.item === undefined) return true;",
    to: 'if (round >= 0) return true;',
    also: {
      from: '  await run.guard(() => sweepArrivals(late, store, control, SECOND_LOOK_CONTROL));',
      to: '  void late.upTo;',
    },
  },
  {
    name: 'arrivals that are claimed are passed',
    journey: 'happy path',
    file: COVER,
    from: 'return item.watchAt !== undefined || isTerminal(storedStatus(item));',
    to: "return item.watchAt !== undefined || isTerminal(storedStatus(item)) || item.status === 'processing';",
  },
  {
    name: 'both looks at arrivals are without a grace',
    scenario: 'aRequestUnderWayIsNotPassed',
    file: COVER,
    from: 'const upTo = run.startedAt - run.rules.timings.firstWatchMs;',
    to: 'const upTo = run.startedAt + SECOND_LOOK * run.rules.timings.firstWatchMs;',
  },
  {
    name: 'the sweeper does not look at arrivals',
    scenario: 'aPurgeLosesNothing',
    file: 'core/inbound/sweep/sweep.ts',
    from: '  const failing = await coverArrivals(run);\n',
    to: '  const failing: [] = [];\n',
  },
  {
    name: 'in a backlog an arrival is taken as sent and never looked at again',
    scenario: 'whatTheSweeperSentIsLookedAtAgain',
    file: WRITES,
    from: '    set: { enqueuedAt: now, ...watch(item.pk, watchAt) },',
    to: '    set: { enqueuedAt: now, ...watch(item.pk, FAR + 0 * watchAt) },',
  },
  {
    name: 'an unsent event is not told to the sweeper',
    file: RECORD,
    from: "  if (recorded.kind === 'unrecorded') return;\n  const leftMs",
    to: "  if (recorded.kind !== 'unrecorded') return;\n  const leftMs",
  },
  {
    name: 'the audit does not look for what nobody watches',
    scenario: 'theAuditFindsWhatCameTooLate',
    file: 'core/inbound/watch/audit-records.ts',
    from: 'if (!isOwed(item) || item.watchAt !== undefined) return [];',
    to: 'if (!isOwed(item) || item.gen > 0) return [];',
  },
  {
    name: 'the sweeper never sends what is overdue',
    scenario: 'whatTheSweeperSentIsLookedAtAgain',
    file: SWEEP,
    from: "view.now >= at ? { kind: 'overdue', open }",
    to: "view.now >= at && item.gen < 0 ? { kind: 'overdue', open }",
  },
  {
    name: 'the sweeper forgets the deaths',
    journey: 'a permanent error',
    file: SWEEP,
    from: "return item.dlqSent ? { kind: 'nothing_owed' } : { kind: 'finish_death', death: item };",
    to: "return { kind: 'nothing_owed' };",
  },
  {
    name: 'the drain deletes what it does not know',
    scenario: 'unknownMessagesWaitInTheDlq',
    file: 'core/inbound/sweep/drain-dead-queue.ts',
    from: "if (decoded.kind === 'unknown' || decoded.message.deadId === undefined) continue;",
    to: "if (decoded.kind === 'unknown') {\n        await ports.dead.delete(receipt);\n        continue;\n      }\n      if (decoded.message.deadId === undefined) continue;",
  },
];
