/** Carries out one step of the lifecycle model with the real code. */

import { drainDeadQueue } from '#core/inbound/drain-dead-queue.ts';
import { FAR } from '#core/inbound/event-writes.ts';
import {
  done,
  type Handler,
  type Outcome,
  PermanentError,
  reject,
  retryAfter,
  stale,
} from '#core/inbound/handler-contract.ts';
import { processEvent } from '#core/inbound/process-event.ts';
import type { Disposal } from '#core/inbound/process-ports.ts';
import { replayEvent } from '#core/inbound/replay-event.ts';
import { sweepEvent } from '#core/inbound/sweep-event.ts';
import { handleRequest } from '#lambdas/ingest/handle-request.ts';
import type { Step } from '../model/explore.ts';
import type { Consumer, DlqTag, LateRequest, Operator, State, Sweep } from '../model/lifecycle-state.ts';
import { signedRequest } from '../support/signed-request.ts';
import {
  EFFECTS,
  type Ending,
  PK,
  type RealConsumer,
  type RealLifecycle,
  RULES,
  SECRET,
  source,
  WAIT_MS,
} from './real-lifecycle.ts';
import { SteppedProcess, type Way } from './stepped-process.ts';

const ENDINGS: readonly Ending[] = ['done', 'reject', 'stale', 'defer', 'retry soon', 'retry later', 'permanent'];

/** Before which call a process stands when the model says it is at this step. */
const CALL_OF: Readonly<Record<string, string>> = {
  park: 'store.update',
  'park-breaker': 'store.update',
  upsert: 'store.insert',
  revive: 'store.update',
  run: 'handler',
  successor: 'queue.send',
  dlq: 'dead.send',
  done: 'store.update',
  'unsent-send': 'queue.send',
  'unsent-mark': 'store.update',
  'parked-send': 'queue.send',
  'parked-clear': 'store.update',
  'overdue-send': 'queue.send',
  'overdue-bump': 'store.update',
  unclaimable: 'store.update',
  'move-far': 'store.update',
  'remove-watch': 'store.update',
  replay: 'store.update',
  send: 'queue.send',
  mark: 'store.update',
};

/** Thrown when the real code does something else than the model. */
export class Divergence extends Error {}

export async function replayStep(real: RealLifecycle, from: State, step: Step<State>): Promise<void> {
  await real.tick();
  const { actor, action, to } = step;
  const me = Number(actor.at(-1));
  switch (actor) {
    case 'consumer 0':
    case 'consumer 1':
      return consumerStep(real, me, from.consumers[me], action, to.consumers[me]);
    case 'sweeper 0':
    case 'sweeper 1':
      return sweeperStep(real, me, from.sweeps[me], action, to.sweeps[me]);
    case 'time':
      return passTime(real, action);
    case 'late request':
      return requestStep(real, from.request, action, to.request);
    case 'source':
      real.paused = to.paused;
      return;
    case 'operator': {
      const which = to.operators.findIndex((it, at) => it?.step !== from.operators[at]?.step);
      return operatorStep(real, which, from.operators[which], action, to.operators[which]);
    }
    case 'person':
      real.queue.push(real.take<DlqTag>(real.dead, tagIn(action) as DlqTag, body => real.deadTagOf(body)));
      return;
    default:
      throw new Error(`The model has an actor nobody drives: ${actor}`);
  }
}

async function consumerStep(
  real: RealLifecycle,
  me: number,
  from: Consumer | undefined,
  action: string,
  to: Consumer | undefined,
): Promise<void> {
  const consumer = real.consumers[me];
  if (!from || !consumer) {
    const body = real.take(real.queue, to?.tag ?? 'current', it => real.tagOf(it));
    real.consumers[me] = { body, holds: true };
    return;
  }
  if (action.startsWith('crashes')) return giveBack(real, me);
  if (action === '(visibility ends while it runs)') {
    consumer.holds = false;
    real.queue.push(consumer.body);
    return;
  }
  if (from.step === 'ack' || from.step === 'ack-unjustified') return deleteMessage(real, me, consumer, action);

  const ownerBefore = real.item()?.owner;
  if (from.step === 'got') await startConsumer(real, consumer, action, to);
  else await continueConsumer(real, consumer, action);
  const owner = real.item()?.owner;
  if (owner !== undefined && owner !== ownerBefore) consumer.claimId = owner;

  const { process } = consumer;
  if (!to) {
    expectDisposal(process, 'return', action);
    return giveBack(real, me);
  }
  if (to.step === 'got') {
    // The code looks again at what its refused write showed it, or gives the message back; here it is received again.
    consumer.process = undefined;
    consumer.claimId = undefined;
  } else if (to.step === 'ack' || to.step === 'ack-unjustified') expectDisposal(process, 'ack', action);
  else expectBefore(process, to.step, action, real);
}

async function startConsumer(
  real: RealLifecycle,
  consumer: RealConsumer,
  action: string,
  to: Consumer | undefined,
): Promise<void> {
  const process = new SteppedProcess();
  consumer.process = process;
  const ports = real.processPorts(process, handlersOf(real, process), action === 'finds the breaker open');
  const now = real.clock.now();
  const record = { body: consumer.body, receipt: '', receiveCount: 1, sentAt: now };
  await process.start(() => processEvent(record, now + 10 ** 12, ports, RULES));
  if (to?.step !== 'park' && to?.step !== 'park-breaker') await release(process, action);
}

async function continueConsumer(real: RealLifecycle, consumer: RealConsumer, action: string): Promise<void> {
  const { process } = consumer;
  if (!process) throw new Error('a consumer without a process');
  if (process.before === 'handler') {
    real.ending = endingFor(real, action);
    await release(process, action);
  }
  await release(process, action, wayOf(action, process));
  // Refused for want of a record, or of a live one: the second write is part of the same step.
  if (action === 'creates the record, parked' || action === 'revives into parked') await release(process, action);
}

function handlersOf(real: RealLifecycle, process: SteppedProcess) {
  const handle: Handler = async (_event, context): Promise<Outcome> => {
    const ending = await process.hold('handler', async () => real.ending);
    switch (ending) {
      case 'done':
        context.transact([
          { kind: 'update', table: EFFECTS, key: { id: `gen ${context.generation}` }, add: { times: 1 } },
        ]);
        return done();
      case 'reject':
        return reject('asked by the walk');
      case 'stale':
        return stale('asked by the walk');
      case 'defer':
        return { kind: 'deferred', untilMs: real.clock.now() + WAIT_MS, reason: 'asked by the walk' };
      case 'retry soon':
        return retryAfter(WAIT_MS / 1_000);
      case 'retry later':
        return retryAfter((2 * RULES.timings.parkAboveMs) / 1_000);
      case 'permanent':
        throw new PermanentError('asked by the walk');
    }
  };
  return { find: () => ({ source: '*', type: '*', handle }) };
}

function endingFor(real: RealLifecycle, action: string): Ending {
  if (action.startsWith('commits effect')) return 'done';
  if (action.startsWith('writes deferred')) return 'defer';
  if (action.startsWith('writes failed, retry soon')) return 'retry soon';
  if (action.startsWith('writes failed, parked')) return 'retry later';
  if (action.startsWith('writes dead_letter')) return 'permanent';
  // The lease is lost: whatever the handler says must be refused.
  return real.random.pick(ENDINGS);
}

/** A transaction repeats under its token and is answered as the first time: there, only an error loses the reply. */
function wayOf(action: string, process: SteppedProcess): Way {
  if (action.startsWith('sends to the DLQ twice')) return 'twice';
  if (!action.includes('reply lost')) return 'once';
  return process.before === 'store.transact' ? 'reply lost' : 'twice';
}

function giveBack(real: RealLifecycle, me: number): void {
  const consumer = real.consumers[me];
  if (consumer?.holds) real.queue.push(consumer.body);
  real.consumers[me] = undefined;
}

function deleteMessage(real: RealLifecycle, me: number, consumer: RealConsumer, action: string): void {
  real.consumers[me] = undefined;
  const other = real.consumers[1 - me];
  if (action.endsWith('the copy goes')) {
    real.take(real.queue, real.tagOf(consumer.body), body => real.tagOf(body), consumer.body);
  } else if (action.endsWith("the other consumer's copy goes") && other) other.holds = false;
}

async function sweeperStep(
  real: RealLifecycle,
  me: number,
  from: Sweep | undefined,
  action: string,
  to: Sweep | undefined,
): Promise<void> {
  if (action.startsWith('crashes')) real.sweeps[me] = undefined;
  else if (action.startsWith('drains')) return drain(real, tagIn(action) as DlqTag);
  else if (from) {
    const process = real.sweeps[me];
    if (!process) throw new Error('a sweeper without a process');
    await release(process, action);
    if (to) return expectBefore(process, to.step, action, real);
    if (!process.ended || 'error' in process.ended) throw notEnded(process, action);
    real.sweeps[me] = undefined;
  } else if (to) {
    const process = await startSweeper(real, action);
    real.sweeps[me] = process;
    expectBefore(process, to.step, action, real);
  }
}

async function startSweeper(real: RealLifecycle, action: string): Promise<SteppedProcess> {
  const item = real.item();
  const now = real.clock.now();
  // The two ranges that a run reads: what is due, and what a pause that is over left behind.
  const due = item?.watchAt !== undefined && (item.watchAt === FAR ? !real.paused : item.watchAt <= now);
  if (!item || !due) throw new Divergence(`${action}: no run would read it, its watchAt is ${item?.watchAt}`);
  const process = new SteppedProcess();
  const view = { now, backlogged: real.queue.length > 0, paused: real.paused };
  await process.start(() => sweepEvent(item, view, real.ports(process), RULES));
  return process;
}

/** The real drain looks at this message and at every one of the present death, and must delete this one only. */
async function drain(real: RealLifecycle, tag: DlqTag): Promise<void> {
  const stays = real.dead.filter(body => real.deadTagOf(body) === 'current');
  const goes = real.take(real.dead, tag, body => real.deadTagOf(body));
  const batches = [[...stays, goes]];
  const deleted: string[] = [];
  const ports = real.ports(new SteppedProcess());
  const dead = {
    ...ports.dead,
    receive: async () =>
      (batches.pop() ?? []).map((body, at) => ({ body, receipt: `${at}`, sentAt: 0, receiveCount: 1 })),
    delete: async (receipt: string) => {
      deleted.push(receipt);
    },
  };
  await drainDeadQueue(Number.POSITIVE_INFINITY, { ...ports, dead });
  if (deleted.join() !== String(stays.length)) {
    throw new Divergence(
      `drains: of ${stays.length} messages of this death and one of another it deleted no. ${deleted}`,
    );
  }
}

async function passTime(real: RealLifecycle, action: string): Promise<void> {
  const item = real.item();
  const at = action === 'the due time comes' ? item?.nextAttemptAt : (item?.leaseUntil ?? 0) + 1;
  await real.clock.advanceTo(at ?? 0);
}

async function requestStep(
  real: RealLifecycle,
  from: LateRequest | undefined,
  action: string,
  to: LateRequest | undefined,
): Promise<void> {
  if (!from) real.request = await startRequest(real);
  const process = real.request;
  if (!process) throw new Error('a request without a process');
  await release(process, action);
  if (to) return expectBefore(process, to.step, action, real);
  const answer = process.ended && 'value' in process.ended ? process.ended.value : undefined;
  if ((answer as { statusCode?: number } | undefined)?.statusCode !== 200) throw notEnded(process, action);
  real.request = undefined;
}

/** A signed request for the walk's event, standing before the insert. */
export async function startRequest(real: RealLifecycle): Promise<SteppedProcess> {
  const process = new SteppedProcess();
  const secrets = {
    get: async () => ({ kind: 'secret' as const, secret: { current: SECRET } }),
    refresh: async () => false,
    pair: async () => 'closed' as const,
  };
  const ingest = handleRequest([source], { ...real.ports(process), secrets }, RULES);
  const delivery = { id: PK.slice(PK.indexOf('#') + 1), createdAt: real.createdAt };
  await process.start(() => ingest(signedRequest(delivery, real.clock.now(), SECRET)));
  return process;
}

async function operatorStep(
  real: RealLifecycle,
  me: number,
  from: Operator | undefined,
  action: string,
  to: Operator | undefined,
): Promise<void> {
  if (!from) {
    const item = real.item();
    if (!item) throw new Error('nothing to replay');
    const process = new SteppedProcess();
    real.operators[me] = process;
    const request = { replayId: `replay-${me}`, by: 'walk', why: 'walk', force: true };
    await process.start(() => replayEvent(item, request, real.ports(process), RULES));
    return expectBefore(process, 'replay', action, real);
  }
  const process = real.operators[me];
  if (!process) throw new Error('an operator without a process');
  await release(process, action, action.includes('reply lost') ? 'reply lost' : 'once');
  if (to?.step !== 'end') return expectBefore(process, to?.step ?? 'end', action, real);
  const ended = process.ended;
  if (!ended) throw notEnded(process, action);
  const kind = 'value' in ended ? (ended.value as { kind: string }).kind : 'error';
  const wanted = action === 'gets 409' ? 'refused' : action === 'marks' ? 'replayed' : 'error';
  if (kind !== wanted) throw new Divergence(`${action}: the replay ended as ${kind}, not as ${wanted}`);
}

async function release(process: SteppedProcess, action: string, way: Way = 'once'): Promise<void> {
  if (process.before === undefined) throw notEnded(process, action);
  await process.release(way);
}

function expectBefore(process: SteppedProcess | undefined, step: string, action: string, real: RealLifecycle): void {
  // Without attempts left the code writes the death itself and asks no handler.
  const spent = step === 'run' && (real.item()?.attempts ?? 0) > RULES_ATTEMPTS;
  const wanted = spent ? 'store.update' : CALL_OF[step];
  if (process?.before !== wanted) {
    throw new Divergence(`${action}: the model is at "${step}" (${wanted}), the code ${whereIs(process)}`);
  }
}

const RULES_ATTEMPTS = source.retry.attempts;

function expectDisposal(process: SteppedProcess | undefined, kind: Disposal['kind'], action: string): void {
  const value = process?.ended && 'value' in process.ended ? (process.ended.value as Disposal) : undefined;
  if (value?.kind !== kind)
    throw new Divergence(`${action}: the code should ${kind} the message, it ${whereIs(process)}`);
}

function notEnded(process: SteppedProcess, action: string): Divergence {
  return new Divergence(`${action}: the code ${whereIs(process)}`);
}

function whereIs(process: SteppedProcess | undefined): string {
  if (!process) return 'does not run';
  if (process.before !== undefined) return `is before ${process.before}`;
  if (!process.ended) return 'waits for something that is no step of the model';
  return 'error' in process.ended
    ? `ended with the error ${String(process.ended.error)}`
    : `ended with ${JSON.stringify(process.ended.value)}`;
}

/** The tag in brackets at the end of an action. */
function tagIn(action: string): string {
  return /\((\w+)\)$/.exec(action)?.[1] ?? '';
}
