/** The processor of the lifecycle model: two consumers that claim, park, revive, run, finish and delete. */
import { type Actor, RuleBroken, type Step } from '#test/proof/model/explorer/model.ts';
import { BusyConsumer } from './lifecycle-consumer.ts';
import {
  deleteBeforeSuccessor,
  deleteMessage,
  finish,
  finishDeath,
  finishUnclaimed,
  ignoreUnclaimed,
  sendDead,
  sendSuccessor,
} from './lifecycle-finish.ts';
import type { LifecycleRules } from './lifecycle-rules.ts';
import {
  addCopy,
  type Consumer,
  changeDeadId,
  die,
  FRESH,
  isClaimable,
  isOver,
  type LifeRecord,
  NOBODY,
  type State,
  setConsumer,
  spend,
  type Tag,
  takeCopy,
  writeRecord,
} from './lifecycle-state.ts';

const TAGS: readonly Tag[] = ['current', 'redriven', 'older', 'afterDeath'];

/** Consumer number `me` (0 or 1). */
export function processorActor(rules: LifecycleRules, me: number): Actor<State> {
  return state => {
    const consumer = state.consumers[me];
    if (consumer) return busySteps(new BusyConsumer(rules, state, me, consumer));
    if (me > 0 && !state.consumers[0]) return [];
    return TAGS.filter(tag => state.queue[tag] > 0).map(tag => ({
      actor: `consumer ${me}`,
      action: `receives a message (${tag})`,
      fair: true,
      to: setConsumer(takeCopy(state, tag), me, { step: 'got', tag, holds: true, dead: undefined }),
    }));
  };
}

function busySteps(self: BusyConsumer): readonly Step<State>[] {
  const { state, consumer } = self;
  const { record, budget } = state;
  if (budget.crash > 0 && consumer.step !== 'got') {
    self.fault(`crashes before ${consumer.step}`, self.stop(spend(state, 'crash')));
  }
  if (budget.zombie > 0 && consumer.holds) {
    const back = spend(addCopy(state, consumer.tag), 'zombie');
    self.fault('(visibility ends while it runs)', setConsumer(back, self.me, { ...consumer, holds: false }));
  }
  if (consumer.step === 'got') decide(self, record);
  else if (consumer.step === 'park' || consumer.step === 'park-breaker') park(self, record);
  else if (consumer.step === 'upsert') createRecord(self, record);
  else if (consumer.step === 'ack' || consumer.step === 'ack-unjustified') deleteMessage(self);
  else if (consumer.step === 'unclaimed') finishUnclaimed(self, record);
  else if (!record) throw new Error(`A consumer cannot be at ${consumer.step} while there is no record.`);
  else if (consumer.step === 'missing') payloadMissing(self, record);
  else if (consumer.step === 'revive') revive(self, record);
  else if (consumer.step === 'run') finish(self, record);
  else if (consumer.step === 'successor') sendSuccessor(self);
  else if (consumer.step === 'ack-first') deleteBeforeSuccessor(self);
  else if (consumer.step === 'dlq') sendDead(self);
  else finishDeath(self, record);
  return self.list;
}

/** A message was received: pause, breaker, payload, then the claim and the table of refusals. */
function decide(self: BusyConsumer, record: LifeRecord | undefined): void {
  const { state, rules, consumer } = self;
  if (state.paused) {
    self.certain('sees the pause', self.goTo('park'));
    return;
  }
  // It need not: a delivery that came before, or a body by reference, is claimed.
  if (rules.unclaimed !== 'never' && (consumer.tag === 'current' || consumer.tag === 'older'))
    self.fault('runs without a claim', self.goTo('unclaimed'));
  ignoreUnclaimed(self, record);
  if (!record) {
    self.certain('finds no item', self.goTo('upsert'));
    return;
  }
  if (state.budget.breaker > 0)
    self.fault('finds the breaker open', self.goTo('park-breaker', spend(state, 'breaker')));
  if (state.budget.payloadMissing > 0) {
    self.fault('finds the payload missing', self.goTo('missing', spend(state, 'payloadMissing')));
  }
  if (!mayClaim(self, record)) {
    refuse(self, '', record);
    return;
  }
  const claimed: LifeRecord = {
    ...record,
    status: 'processing',
    attempts: record.attempts + 1,
    owner: self.me,
    leased: true,
    due: 'none',
    parked: false,
    resends: 0,
    watch: 'near',
    successorSent: false,
  };
  self.certain('claims', self.goTo('run', writeRecord(state, claimed)));
}

function mayClaim(self: BusyConsumer, record: LifeRecord): boolean {
  return self.consumer.tag !== 'older' && isClaimable(record);
}

/** The rows for a refused claim (or a refused park), in their order. */
function refuse(self: BusyConsumer, before: string, record: LifeRecord): void {
  const { state, consumer, rules } = self;
  const row = (action: string, to: State): void => self.certain(before + action, to);
  if (!rules.closedIsFinal && record.status === 'closed' && consumer.tag === 'redriven')
    row('is redriven: will revive', self.goTo('revive'));
  else if (consumer.tag === 'older' || isOver(record)) row('stale or terminal: will ack', self.toAck(state));
  else if (record.status === 'dead') {
    if (consumer.tag === 'redriven' || consumer.tag === 'afterDeath')
      row('is redriven: will revive', self.goTo('revive'));
    else if (!record.dlqSent && rules.copiesFinishDlqSend) {
      row('dead: will finish the DLQ send', setConsumer(state, self.me, { ...consumer, step: 'dlq', dead: 'current' }));
    } else row('dead: will ack', self.toAck(state));
  } else if (record.status === 'processing') row('lease valid: hides the message', self.stop(state));
  else if (record.parked) row('parked: will ack', self.toAck(state));
  else if (rules.copyDueLater === 'ack') row('due later: will ack', self.toAck(state));
  else row('due later: hides the message', self.stop(state));
}

function park(self: BusyConsumer, record: LifeRecord | undefined): void {
  const { state, consumer, rules } = self;
  const byBreaker = consumer.step === 'park-breaker';
  const parkInto = (from: LifeRecord): State => writeRecord(state, parkedRecord(from, rules, byBreaker));
  if (!record) {
    if (rules.recordWhilePaused) {
      self.certain('creates the record, parked', self.toAck(parkInto({ ...FRESH, enqueued: true })));
    } else self.certain('has no item to park: will ack', self.toAck(state));
  } else if (rules.parkIf === 'always') {
    const redriven = consumer.tag === 'redriven' || consumer.tag === 'afterDeath';
    if ((isOver(record) || record.status === 'dead') && !redriven) {
      throw new RuleBroken('I4 A TERMINAL EVENT WAS UNDONE');
    }
    self.certain('parks whatever is there', self.toAck(parkInto(record)));
  } else if (mayClaim(self, record)) self.certain('parks', self.toAck(parkInto(record)));
  else if (record.status === 'dead' && consumer.tag === 'redriven') {
    if (rules.redrivenWhilePaused === 'park' && rules.parkRefused === 'refusal-rows') {
      const parked = changeDeadId(parkInto({ ...record, attempts: 0, resends: 0 }));
      self.certain('revives into parked', self.toAck(parked));
    } else self.certain('dead, nothing to park: will ack', self.toAck(state));
  } else if (rules.parkRefused === 'ack') self.certain('park refused: will ack', self.toAck(state));
  else refuse(self, 'park refused; ', record);
}

function createRecord(self: BusyConsumer, record: LifeRecord | undefined): void {
  const { state } = self;
  if (!record) {
    const created: LifeRecord = {
      ...FRESH,
      status: 'processing',
      enqueued: true,
      attempts: 1,
      owner: self.me,
      leased: true,
    };
    self.certain('creates the record, claimed', self.goTo('run', writeRecord(state, created)));
  } else if (self.rules.recordAppeared === 'read-table-again') {
    self.certain('finds the record created meanwhile: reads the table again', self.goTo('got'));
  } else self.certain('finds the record created meanwhile: will ack', self.toAck(state));
}

function payloadMissing(self: BusyConsumer, record: LifeRecord): void {
  const { state, consumer, rules } = self;
  const toDlq = (from: State): State =>
    setConsumer(from, self.me, { ...(from.consumers[self.me] as Consumer), step: 'dlq', dead: 'current' });
  if (rules.payloadMissingIf === 'always' || mayClaim(self, record)) {
    self.certain('writes dead_letter, payload_missing', toDlq(die(state, record)));
  } else if (record.status === 'dead' && consumer.tag === 'redriven') {
    if (rules.redrivenStillMissing === 'back-to-dlq') self.certain('is dead already: back to the DLQ', toDlq(state));
    else self.certain('is dead already: will ack', self.toAck(state));
  } else refuse(self, 'not claimable; ', record);
}

function revive(self: BusyConsumer, record: LifeRecord): void {
  const { state, consumer, rules } = self;
  if (rules.reviveIf === 'always' && isOver(record)) {
    throw new RuleBroken('I4 A TERMINAL EVENT WAS UNDONE');
  }
  const mayRevive = record.status === 'dead' || (!rules.closedIsFinal && record.status === 'closed');
  if (mayRevive && (consumer.tag === 'redriven' || consumer.tag === 'afterDeath')) {
    if (consumer.tag === 'afterDeath') throw new RuleBroken('I4 A DEAD EVENT WAS REVIVED AND NOBODY ASKED FOR IT');
    const alive: LifeRecord = {
      ...record,
      status: 'processing',
      attempts: 1,
      owner: self.me,
      leased: true,
      due: 'none',
      parked: false,
      watch: 'near',
      dlqSent: false,
      expires: false,
      resends: 0,
      successorSent: false,
    };
    const revived = changeDeadId(writeRecord(state, alive));
    self.certain(
      'revives',
      setConsumer(revived, self.me, { ...(revived.consumers[self.me] as Consumer), step: 'run' }),
    );
    if (state.budget.lostReply > 0 && rules.reviveRefused === 'ack') {
      self.fault('revives, reply lost, own retry refused: will ack', self.toAck(spend(revived, 'lostReply')));
    }
  } else if (rules.reviveRefused === 'ack') self.certain('revive refused: will ack', self.toAck(state));
  else self.certain('revive refused: reads the table again', self.goTo('got'));
}

function parkedRecord(record: LifeRecord, rules: LifecycleRules, byBreaker: boolean): LifeRecord {
  return {
    ...record,
    status: 'deferred',
    owner: NOBODY,
    leased: false,
    parked: true,
    expires: false,
    dlqSent: false,
    successorSent: false,
    due: byBreaker ? 'ahead' : rules.pauseParkIsDue ? 'reached' : record.due,
    watch: byBreaker || rules.pauseWatch === 'soon' ? 'near' : 'far',
  };
}
