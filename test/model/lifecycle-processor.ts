/** The processor of the lifecycle model: two consumers that claim, park, revive, run, finish and delete. */
import { type Actor, RuleBroken, type Step } from './explore.ts';
import type { LifecycleRules } from './lifecycle-rules.ts';
import {
  ATTEMPT_BUDGET,
  addCopy,
  addDlqMessage,
  type Consumer,
  changeDeadId,
  die,
  FRESH,
  GONE,
  isClaimable,
  type LifeRecord,
  NOBODY,
  type State,
  sendCopy,
  setConsumer,
  spend,
  type Tag,
  takeCopy,
  writeDeathDone,
  writeRecord,
} from './lifecycle-state.ts';

const TAGS: readonly Tag[] = ['current', 'redriven', 'older', 'afterDeath'];

/** Consumer number `me` (0 or 1). */
export function processorActor(rules: LifecycleRules, me: number): Actor<State> {
  return state => {
    const consumer = state.consumers[me];
    if (consumer) return new BusyConsumer(rules, state, me, consumer).steps();
    if (me > 0 && !state.consumers[0]) return [];
    return TAGS.filter(tag => state.queue[tag] > 0).map(tag => ({
      actor: `consumer ${me}`,
      action: `receives a message (${tag})`,
      fair: true,
      to: setConsumer(takeCopy(state, tag), me, { step: 'got', tag, holds: true, dead: undefined }),
    }));
  };
}

class BusyConsumer {
  private readonly list: Step<State>[] = [];
  private readonly rules: LifecycleRules;
  private readonly state: State;
  private readonly me: number;
  private readonly consumer: Consumer;

  constructor(rules: LifecycleRules, state: State, me: number, consumer: Consumer) {
    this.rules = rules;
    this.state = state;
    this.me = me;
    this.consumer = consumer;
  }

  steps(): readonly Step<State>[] {
    const { state, consumer } = this;
    const { record, budget } = state;
    if (budget.crash > 0 && consumer.step !== 'got') {
      this.fault(`crashes before ${consumer.step}`, this.stop(spend(state, 'crash')));
    }
    if (budget.zombie > 0 && consumer.holds) {
      const back = spend(addCopy(state, consumer.tag), 'zombie');
      this.fault('(visibility ends while it runs)', setConsumer(back, this.me, { ...consumer, holds: false }));
    }
    if (consumer.step === 'got') this.decide(record);
    else if (consumer.step === 'park' || consumer.step === 'park-breaker') this.park(record);
    else if (consumer.step === 'upsert') this.upsert(record);
    else if (consumer.step === 'ack' || consumer.step === 'ack-unjustified') this.delete();
    else if (!record) throw new Error(`A consumer cannot be at ${consumer.step} while there is no record.`);
    else if (consumer.step === 'missing') this.payloadMissing(record);
    else if (consumer.step === 'revive') this.revive(record);
    else if (consumer.step === 'run') this.finish(record);
    else if (consumer.step === 'successor') this.sendSuccessor();
    else if (consumer.step === 'ack-first') this.deleteBeforeSuccessor();
    else if (consumer.step === 'dlq') this.sendDead();
    else
      this.certain(
        'writes death-done',
        this.toAck(writeDeathDone(state, record, consumer.dead, this.rules, this.me), true),
      );
    return this.list;
  }

  /** A message was received: pause, breaker, payload, then the claim and the table of refusals. */
  private decide(record: LifeRecord | undefined): void {
    const { state } = this;
    if (state.paused) {
      this.certain('sees the pause', this.goTo('park'));
      return;
    }
    if (!record) {
      this.certain('finds no item', this.goTo('upsert'));
      return;
    }
    if (state.budget.breaker > 0)
      this.fault('finds the breaker open', this.goTo('park-breaker', spend(state, 'breaker')));
    if (state.budget.payloadMissing > 0) {
      this.fault('finds the payload missing', this.goTo('missing', spend(state, 'payloadMissing')));
    }
    if (!this.mayClaim(record)) {
      this.refuse('', record);
      return;
    }
    const claimed: LifeRecord = {
      ...record,
      status: 'processing',
      attempts: record.attempts + 1,
      owner: this.me,
      leased: true,
      due: 'none',
      parked: false,
      resends: 0,
      watch: 'near',
      successorSent: false,
    };
    this.certain('claims', this.goTo('run', writeRecord(state, claimed)));
  }

  private mayClaim(record: LifeRecord): boolean {
    return this.consumer.tag !== 'older' && isClaimable(record);
  }

  /** The rows for a refused claim (or a refused park), in their order. */
  private refuse(before: string, record: LifeRecord): void {
    const { state, consumer, rules } = this;
    const row = (action: string, to: State): void => this.certain(before + action, to);
    if (consumer.tag === 'older' || record.status === 'completed')
      row('stale or terminal: will ack', this.toAck(state));
    else if (record.status === 'dead') {
      if (consumer.tag === 'redriven' || consumer.tag === 'afterDeath')
        row('is redriven: will revive', this.goTo('revive'));
      else if (!record.dlqSent && rules.copiesFinishDlqSend) {
        row(
          'dead: will finish the DLQ send',
          setConsumer(state, this.me, { ...consumer, step: 'dlq', dead: 'current' }),
        );
      } else row('dead: will ack', this.toAck(state));
    } else if (record.status === 'processing') row('lease valid: hides the message', this.stop(state));
    else if (record.parked) row('parked: will ack', this.toAck(state));
    else if (rules.copyDueLater === 'ack') row('due later: will ack', this.toAck(state));
    else row('due later: hides the message', this.stop(state));
  }

  private park(record: LifeRecord | undefined): void {
    const { state, consumer, rules } = this;
    const byBreaker = consumer.step === 'park-breaker';
    const parkInto = (from: LifeRecord): State => writeRecord(state, parkedRecord(from, rules, byBreaker));
    if (!record) {
      if (rules.recordWhilePaused) {
        this.certain('creates the record, parked', this.toAck(parkInto({ ...FRESH, enqueued: true })));
      } else this.certain('has no item to park: will ack', this.toAck(state));
    } else if (rules.parkIf === 'always') {
      const redriven = consumer.tag === 'redriven' || consumer.tag === 'afterDeath';
      if ((record.status === 'completed' || record.status === 'dead') && !redriven) {
        throw new RuleBroken('I4 A TERMINAL EVENT WAS UNDONE');
      }
      this.certain('parks whatever is there', this.toAck(parkInto(record)));
    } else if (this.mayClaim(record)) this.certain('parks', this.toAck(parkInto(record)));
    else if (record.status === 'dead' && consumer.tag === 'redriven') {
      if (rules.redrivenWhilePaused === 'park' && rules.parkRefused === 'refusal-rows') {
        const parked = changeDeadId(parkInto({ ...record, attempts: 0, resends: 0 }));
        this.certain('revives into parked', this.toAck(parked));
      } else this.certain('dead, nothing to park: will ack', this.toAck(state));
    } else if (rules.parkRefused === 'ack') this.certain('park refused: will ack', this.toAck(state));
    else this.refuse('park refused; ', record);
  }

  private upsert(record: LifeRecord | undefined): void {
    const { state } = this;
    if (!record) {
      const created: LifeRecord = {
        ...FRESH,
        status: 'processing',
        enqueued: true,
        attempts: 1,
        owner: this.me,
        leased: true,
      };
      this.certain('creates the record, claimed', this.goTo('run', writeRecord(state, created)));
    } else if (this.rules.recordAppeared === 'read-table-again') {
      this.certain('finds the record created meanwhile: reads the table again', this.goTo('got'));
    } else this.certain('finds the record created meanwhile: will ack', this.toAck(state));
  }

  private payloadMissing(record: LifeRecord): void {
    const { state, consumer, rules } = this;
    const toDlq = (from: State): State =>
      setConsumer(from, this.me, { ...(from.consumers[this.me] as Consumer), step: 'dlq', dead: 'current' });
    if (rules.payloadMissingIf === 'always' || this.mayClaim(record)) {
      this.certain('writes dead_letter, payload_missing', toDlq(die(state, record)));
    } else if (record.status === 'dead' && consumer.tag === 'redriven') {
      if (rules.redrivenStillMissing === 'back-to-dlq') this.certain('is dead already: back to the DLQ', toDlq(state));
      else this.certain('is dead already: will ack', this.toAck(state));
    } else this.refuse('not claimable; ', record);
  }

  private revive(record: LifeRecord): void {
    const { state, consumer, rules } = this;
    if (rules.reviveIf === 'always' && record.status === 'completed') {
      throw new RuleBroken('I4 A TERMINAL EVENT WAS UNDONE');
    }
    if (record.status === 'dead' && (consumer.tag === 'redriven' || consumer.tag === 'afterDeath')) {
      if (consumer.tag === 'afterDeath') throw new RuleBroken('I4 A DEAD EVENT WAS REVIVED AND NOBODY ASKED FOR IT');
      const alive: LifeRecord = {
        ...record,
        status: 'processing',
        attempts: 1,
        owner: this.me,
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
      this.certain(
        'revives',
        setConsumer(revived, this.me, { ...(revived.consumers[this.me] as Consumer), step: 'run' }),
      );
      if (state.budget.lostReply > 0 && rules.reviveRefused === 'ack') {
        this.fault('revives, reply lost, own retry refused: will ack', this.toAck(spend(revived, 'lostReply')));
      }
    } else if (rules.reviveRefused === 'ack') this.certain('revive refused: will ack', this.toAck(state));
    else this.certain('revive refused: reads the table again', this.goTo('got'));
  }

  /** The handler has run: one of the finish writes, each of which may lose its reply and be refused to its own retry. */
  private finish(record: LifeRecord): void {
    const { state, rules } = this;
    const mine = record.owner === this.me && record.status === 'processing';
    if (!mine && rules.finishIfOwner) {
      this.certain('has lost the lease: reports failure', this.stop(state));
      return;
    }
    if (!mine && (record.status === 'completed' || record.status === 'dead'))
      throw new RuleBroken('I5 TWO OWNERS FINISHED');
    const write = (action: string, written: State, next: Consumer['step'], fair = true): void => {
      const after: Consumer = {
        ...(written.consumers[this.me] as Consumer),
        step: next,
        dead: next === 'dlq' ? 'current' : undefined,
      };
      this.add(action, fair, next === 'ack' ? this.toAck(written) : setConsumer(written, this.me, after));
      if (state.budget.lostReply > 0) {
        const refused = this.stop(spend(written, 'lostReply'));
        this.fault(`${action}, reply lost, own retry refused: reports failure`, refused);
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

  private sendSuccessor(): void {
    const sent = sendCopy(this.state, this.consumer.tag === 'older' ? 'older' : 'current', this.rules);
    const after = this.rules.successorBeforeAck ? this.toAck(sent, true) : setConsumer(sent, this.me, undefined);
    this.certain('sends the successor', after);
  }

  private sendDead(): void {
    const { state } = this;
    const deadId = this.consumer.dead ?? 'current';
    this.certain(`sends to the DLQ (${deadId})`, this.goTo('done', addDlqMessage(state, deadId)));
    if (state.budget.lostReply > 0) {
      this.fault(
        `sends to the DLQ twice (${deadId})`,
        this.goTo('done', spend(addDlqMessage(state, deadId, 2), 'lostReply')),
      );
    }
  }

  private delete(): void {
    for (const [action, to] of deletions(this.state, this.me)) this.certain(action, to);
  }

  private deleteBeforeSuccessor(): void {
    for (const [action, to] of deletions(this.toAck(this.state), this.me)) {
      this.certain(
        `${action}, before the successor`,
        setConsumer(to, this.me, { ...this.consumer, step: 'successor', holds: false }),
      );
    }
  }

  private goTo(step: Consumer['step'], from = this.state): State {
    return setConsumer(from, this.me, { ...this.consumer, step });
  }

  private toAck(from: State, justified = false): State {
    const consumer = from.consumers[this.me] as Consumer;
    const step = justified || mayDelete(from, consumer.tag) ? 'ack' : 'ack-unjustified';
    return setConsumer(from, this.me, { ...consumer, step, dead: undefined });
  }

  /** A crash, or a reported failure: the message comes back, the claim (if any) has no live owner. */
  private stop(from: State): State {
    const consumer = from.consumers[this.me] as Consumer;
    return setConsumer(disown(consumer.holds ? addCopy(from, consumer.tag) : from, this.me), this.me, undefined);
  }

  private certain(action: string, to: State): void {
    this.add(action, true, to);
  }

  private fault(action: string, to: State): void {
    this.add(action, false, to);
  }

  private add(action: string, fair: boolean, to: State): void {
    this.list.push({ actor: `consumer ${this.me}`, action, fair, to });
  }
}

function disown(state: State, me: number): State {
  return state.record?.owner === me ? { ...state, record: { ...state.record, owner: GONE } } : state;
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

/**
 * Invariant I7, as the record shows it. A redriven message is the only DLQ message of its event, so it may not go
 * while the record is still dead with that deadId.
 */
function mayDelete(state: State, tag: Tag): boolean {
  const { record } = state;
  if (tag === 'older') return true;
  if (!record || (record.status === 'dead' && tag === 'redriven')) return false;
  return record.status === 'completed' || record.status === 'dead' || record.parked || record.successorSent;
}

function deletions(state: State, me: number): readonly (readonly [string, State])[] {
  const consumer = state.consumers[me] as Consumer;
  if (consumer.step === 'ack-unjustified' && !mayDelete(state, consumer.tag)) {
    throw new RuleBroken('I7 A MESSAGE WAS DELETED TOO EARLY');
  }
  const after = disown(setConsumer(state, me, undefined), me);
  if (consumer.holds) return [['deletes its message', after]];
  const nothing = ['deletes with a stale handle, nothing happens', after] as const;
  const other = state.consumers[1 - me];
  if (state.queue[consumer.tag] > 0) {
    return [nothing, ['deletes with a stale handle, the copy goes', takeCopy(after, consumer.tag)]];
  }
  if (other?.holds && other.tag === consumer.tag) {
    const lost = setConsumer(after, 1 - me, { ...other, holds: false });
    return [nothing, ["deletes with a stale handle, the other consumer's copy goes", lost]];
  }
  return [nothing];
}
