/** The processor's steps, by the real processEvent. */
import {
  busy,
  done,
  type Handler,
  type Outcome,
  PermanentError,
  reject,
  stale,
} from '#core/handler/handler-contract.ts';
import { processEvent } from '#core/inbound/process/process-event.ts';
import type { Consumer } from '#test/proof/model/lifecycle/lifecycle-state.ts';
import { Divergence, expectBefore, expectDisposal, release } from './expect-call.ts';
import { endingOf, endingOfFirstRun, findsNoHandler, IGNORING, WILL_CLAIM } from './first-run.ts';
import type { Ending, RealConsumer, RealLifecycle } from './real-lifecycle.ts';
import { SteppedProcess, type Way } from './stepped-process.ts';
import { EFFECTS, RULES, WAIT_MS } from './walk-rules.ts';

const ENDINGS: readonly Ending[] = ['done', 'reject', 'stale', 'defer', 'retry soon', 'retry later', 'permanent'];

export async function consumerStep(
  real: RealLifecycle,
  me: number,
  from: Consumer | undefined,
  action: string,
  to: Consumer | undefined,
): Promise<void> {
  const consumer = real.consumers[me];
  if (!from || !consumer) {
    const body = real.take(real.queue, to?.tag ?? 'current', (it, item) => real.tagOf(it, item));
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
    // Received for the first time, it would wait as a copy, which this model has not: it dies before that, and comes back.
    const copies = consumer.isFirstReceive && process?.before === 'queue.send';
    if (!copies) expectDisposal(process, 'return', action);
    return giveBack(real, me);
  }
  if (action === WILL_CLAIM) {
    expectBefore(process, 'claim', action, real);
  } else if (to.step === 'got') {
    // The code looks again at what its refused write showed it, or gives the message back; here it is received again.
    consumer.process = undefined;
    consumer.claimId = undefined;
  } else if (to.step === 'ack' || to.step === 'ack-unjustified') expectDisposal(process, 'ack', action);
  else if (consumer.endedAs !== undefined && to.step === 'run') expectFirstEnd(real, consumer, action);
  else expectBefore(process, to.step, action, real);
}

/** The claim found the event as the run without one supposed it: that run is the attempt. Else the handler runs again. */
function expectFirstEnd(real: RealLifecycle, consumer: RealConsumer, action: string): void {
  const isThatRun = real.item()?.attempts === 1;
  if (!isThatRun) {
    consumer.endedAs = undefined;
    expectBefore(consumer.process, 'run', action, real);
    return;
  }
  const wanted = consumer.endedAs === 'done' ? 'store.transact' : 'store.update';
  if (consumer.process?.before !== wanted)
    throw new Divergence(
      `${action}: the run is over, and the code is before ${consumer.process?.before}, not ${wanted}`,
    );
}

async function startConsumer(
  real: RealLifecycle,
  consumer: RealConsumer,
  action: string,
  to: Consumer | undefined,
): Promise<void> {
  const parks = to?.step === 'park' || to?.step === 'park-breaker';
  const isIgnored = findsNoHandler(action);
  const isUnclaimed = action === 'runs without a claim' || isIgnored;
  // It ran without a claim and goes on with one, or has died before that.
  if (consumer.process && !parks && !isUnclaimed) return release(consumer.process, action);
  const process = new SteppedProcess();
  consumer.process = process;
  consumer.endedAs = undefined;
  consumer.isFirstReceive = isUnclaimed;
  const handlers = isIgnored ? { find: () => undefined } : handlersOf(real, process);
  const rules = isIgnored ? { ...RULES, sources: new Map([[IGNORING.id, IGNORING]]) } : RULES;
  const ports = real.processPorts(process, handlers, action === 'finds the breaker open');
  const now = real.clock.now();
  // Received before: what is refused waits hidden, as in this model. Its copies are those of hot-source-model.ts.
  const record = { body: consumer.body, receipt: '', receiveCount: isUnclaimed ? 1 : 2, sentAt: now };
  await process.start(() => processEvent(record, now + 10 ** 12, ports, rules));
  if (isIgnored) await release(process, action, wayOf(action, process));
  else if (!parks && !isUnclaimed) await release(process, action);
}

async function continueConsumer(real: RealLifecycle, consumer: RealConsumer, action: string): Promise<void> {
  const { process } = consumer;
  if (!process) throw new Error('a consumer without a process');
  if (process.before === 'handler') {
    real.ending = action === WILL_CLAIM ? endingOfFirstRun(real, consumer) : endingFor(real, action);
    await release(process, action);
  }
  if (action === WILL_CLAIM) {
    consumer.endedAs = real.ending;
    // Refused: the record is not as it was when ingest sent the message.
    if (real.ending === 'done') await release(process, action);
    return;
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
        return busy(WAIT_MS / 1_000, 'asked by the walk');
      case 'retry later':
        return busy((2 * RULES.timings.parkAboveMs) / 1_000, 'asked by the walk');
      case 'permanent':
        throw new PermanentError('asked by the walk');
    }
  };
  return { find: () => ({ source: '*', type: '*', handle, onlyTransacts: real.onlyTransacts }) };
}

function endingFor(real: RealLifecycle, action: string): Ending {
  // Without one the lease is lost: whatever the handler says must be refused.
  return endingOf(action) ?? real.random.pick(ENDINGS);
}

/** A transaction repeats under its token and is answered as the first time: there, only an error loses the reply. */
function wayOf(action: string, process: SteppedProcess): Way {
  if (action.startsWith('sends to the DLQ twice')) return 'twice';
  if (/^(?:completes|ignores) unclaimed/.test(action)) return 'reply lost';
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
    real.take(real.queue, real.tagOf(consumer.body), (body, item) => real.tagOf(body, item), consumer.body);
  } else if (action.endsWith("the other consumer's copy goes") && other) other.holds = false;
}
