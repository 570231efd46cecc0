/** How an attempt ends in the lifecycle model: the finish writes, the successor, the DLQ send, the deletion. */
import { RuleBroken } from '#test/proof/model/explorer/model.ts';
import { type BusyConsumer, deletions } from './lifecycle-consumer.ts';
import {
  ATTEMPT_BUDGET,
  addDlqMessage,
  type Consumer,
  die,
  isOver,
  type LifeRecord,
  NOBODY,
  type State,
  sendCopy,
  setConsumer,
  spend,
  writeDeathDone,
  writeRecord,
} from './lifecycle-state.ts';

/** The handler has run: one of the finish writes, each of which may lose its reply and be refused to its own retry. */
export function finish(self: BusyConsumer, record: LifeRecord): void {
  const { state, rules } = self;
  const mine = record.owner === self.me && record.status === 'processing';
  if (!mine && rules.finishIfOwner) {
    self.certain('has lost the lease: reports failure', self.stop(state));
    return;
  }
  if (!mine && (record.status === 'completed' || record.status === 'dead'))
    throw new RuleBroken('I5 TWO OWNERS FINISHED');
  const write = (action: string, written: State, next: Consumer['step'], fair = true): void => {
    const after: Consumer = {
      ...(written.consumers[self.me] as Consumer),
      step: next,
      dead: next === 'dlq' ? 'current' : undefined,
    };
    self.add(action, fair, next === 'ack' ? self.toAck(written) : setConsumer(written, self.me, after));
    if (state.budget.lostReply > 0) {
      const refused = self.stop(spend(written, 'lostReply'));
      self.fault(`${action}, reply lost, own retry refused: reports failure`, refused);
    }
  };
  const unclaimed: LifeRecord = { ...record, owner: NOBODY, leased: false, watch: 'near' };
  if (record.attempts <= ATTEMPT_BUDGET) {
    if (record.effects > 0) throw new RuleBroken('I5 EFFECT TWICE IN ONE GENERATION');
    const completed: LifeRecord = { ...unclaimed, status: 'completed', watch: 'none', expires: true, effects: 1 };
    write('commits effect and completed', writeRecord(state, completed), 'ack', rules.handlerCanSucceed);
    const successor = rules.successorBeforeAck ? 'successor' : 'ack-first';
    const deferred: LifeRecord = { ...unclaimed, status: 'deferred', due: 'ahead', attempts: record.attempts - 1 };
    write('writes deferred', writeRecord(state, deferred), successor);
    if (record.attempts < ATTEMPT_BUDGET) {
      const failed: LifeRecord = { ...unclaimed, status: 'failed', due: 'ahead' };
      write('writes failed, retry soon', writeRecord(state, failed), successor);
      write('writes failed, parked', writeRecord(state, { ...failed, parked: true }), 'ack');
    }
  }
  write('writes dead_letter', die(state, record), 'dlq');
}

/** The handler has run, and nobody holds the event for it: one write, or the ordinary way. */
export function finishUnclaimed(self: BusyConsumer, record: LifeRecord | undefined): void {
  const { state, rules, consumer } = self;
  const isMet = {
    never: false,
    'pending, of its generation': record?.status === 'pending' && consumer.tag === 'current',
    pending: record?.status === 'pending',
    'not over': record !== undefined && !isOver(record),
    always: record !== undefined,
  }[rules.unclaimed];
  self.certain('cannot complete unclaimed: will claim', self.goTo('got'));
  if (!record || !isMet) return;
  if (record.effects > 0) throw new RuleBroken('I5 EFFECT TWICE IN ONE GENERATION');
  if (consumer.tag === 'older') throw new RuleBroken('I5 AN OLDER GENERATION FINISHED A NEWER ONE');
  if (record.status === 'dead' && consumer.tag !== 'redriven') throw new RuleBroken('I4 A TERMINAL EVENT WAS UNDONE');
  const written = writeRecord(state, {
    ...record,
    status: 'completed',
    attempts: record.attempts + 1,
    owner: NOBODY,
    leased: false,
    watch: 'none',
    expires: true,
    effects: 1,
  });
  self.fault('commits effect and completed, unclaimed', self.toAck(written));
  if (state.budget.lostReply > 0)
    self.fault('completes unclaimed, own retry refused: will claim', self.goTo('got', spend(written, 'lostReply')));
}

/** Nothing runs for the event here: one write ends it as ignored, where it requires no more than what is there. */
export function ignoreUnclaimed(self: BusyConsumer, record: LifeRecord | undefined): void {
  const { state, rules, consumer } = self;
  const isMet = {
    never: false,
    'pending, of its generation': record?.status === 'pending' && consumer.tag === 'current',
    pending: record?.status === 'pending',
    'not over': record !== undefined && !isOver(record),
  }[rules.ignoresUnclaimed];
  if (!record || !isMet) return;
  if (consumer.tag === 'older') throw new RuleBroken('I5 AN OLDER GENERATION FINISHED A NEWER ONE');
  if (record.status === 'dead' && consumer.tag !== 'redriven') throw new RuleBroken('I4 A TERMINAL EVENT WAS UNDONE');
  if (record.status === 'processing' && record.leased) throw new RuleBroken('I5 TWO OWNERS FINISHED');
  const { attempts } = record;
  const over = { status: 'completed', owner: NOBODY, leased: false, watch: 'none', expires: true } as const;
  const written = writeRecord(state, { ...record, ...over, attempts: attempts + 1 });
  self.fault('finds no handler, ends it unclaimed', self.toAck(written));
  if (state.budget.lostReply > 0)
    self.fault('ignores unclaimed, own retry refused: will claim', self.goTo('got', spend(written, 'lostReply')));
}

export function sendSuccessor(self: BusyConsumer): void {
  const sent = sendCopy(self.state, self.consumer.tag === 'older' ? 'older' : 'current', self.rules);
  const after = self.rules.successorBeforeAck ? self.toAck(sent, true) : setConsumer(sent, self.me, undefined);
  self.certain('sends the successor', after);
}

export function sendDead(self: BusyConsumer): void {
  const { state } = self;
  const deadId = self.consumer.dead ?? 'current';
  self.certain(`sends to the DLQ (${deadId})`, self.goTo('done', addDlqMessage(state, deadId)));
  if (state.budget.lostReply > 0) {
    self.fault(
      `sends to the DLQ twice (${deadId})`,
      self.goTo('done', spend(addDlqMessage(state, deadId, 2), 'lostReply')),
    );
  }
}

export function deleteMessage(self: BusyConsumer): void {
  for (const [action, to] of deletions(self.state, self.me)) self.certain(action, to);
}

export function deleteBeforeSuccessor(self: BusyConsumer): void {
  for (const [action, to] of deletions(self.toAck(self.state), self.me)) {
    self.certain(
      `${action}, before the successor`,
      setConsumer(to, self.me, { ...self.consumer, step: 'successor', holds: false }),
    );
  }
}

export function finishDeath(self: BusyConsumer, record: LifeRecord): void {
  const written = writeDeathDone(self.state, record, self.consumer.dead, self.rules, self.me);
  self.certain('writes death-done', self.toAck(written, true));
}
