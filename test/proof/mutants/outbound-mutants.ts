/** Deliberately broken variants of the sending side. Each names the journey that shows it soonest. */
import type { Mutant } from './mutants.ts';

const SESSION = 'core/outbound/drain/session.ts';
const RECORD = 'core/outbound/drain/record-outcome.ts';
const WRITES = 'core/outbound/protocol/delivery-writes.ts';
const REPLAY = 'core/outbound/replay/replay-delivery.ts';
const FAULT = 'core/outbound/drain/whose-fault.ts';
const DECIDE = 'core/outbound/protocol/decide.ts';

export const OUTBOUND_MUTANTS: readonly Mutant[] = [
  {
    name: '202 before the job is accepted',
    shownBy: 'crash points: publish, delivered, error at publish jobs.send',
    file: 'core/outbound/publish/publish.ts',
    of: 'publish',
    bug: `(real, ports, ...rest) => {
      const send = async (...args) => { void ports.jobs.send(...args).catch(() => {}); };
      return real({ ...ports, jobs: also(ports.jobs, 'send', send) }, ...rest);
    }`,
  },
  {
    name: 'a repeated publish is answered without a job',
    shownBy: 'crash points: publish, delivered, lost_reply_retried at publish store.put',
    file: 'core/outbound/publish/publish.ts',
    of: 'publish',
    bug: `(real, ports, ...rest) => {
      let isNew = false;
      const put = async (write) => { const result = await ports.store.put(write); isNew = result.kind === 'applied'; return result; };
      const send = async (...args) => { if (isNew) await ports.jobs.send(...args); };
      return real({ ...ports, store: also(ports.store, 'put', put), jobs: also(ports.jobs, 'send', send) }, ...rest);
    }`,
  },
  {
    name: 'publish sends wake-ups before it puts rows',
    shownBy: 'crash points: publish without a job, delivered, stall at publish store.putMany',
    file: 'core/outbound/fan-out/fan-out-now.ts',
    of: 'fanOutNow',
    bug: `(real, ports, ...rest) => {
      let rows;
      const putMany = async (...args) => { rows = args; };
      const send = async (wakeUps) => { await ports.wake.send(wakeUps); await ports.store.putMany(...rows); };
      return real({ ...ports, store: also(ports.store, 'putMany', putMany), wake: also(ports.wake, 'send', send) }, ...rest);
    }`,
  },
  {
    name: 'publish answers 202 though its rows were not put',
    shownBy: 'crash points: publish without a job, delivered, lost_reply_error at publish store.putMany',
    file: 'core/outbound/fan-out/fan-out-now.ts',
    of: 'fanOutNow',
    bug: `async (real, ports, ...rest) => {
      let failed = false;
      const noted = work => async (...args) => work(...args).catch(error => { failed = true; throw error; });
      const store = also(ports.store, 'putMany', noted((...args) => ports.store.putMany(...args)));
      const wake = also(ports.wake, 'send', noted((...args) => ports.wake.send(...args)));
      return (await real({ ...ports, store, wake }, ...rest)) || failed;
    }`,
  },
  {
    name: 'the first look at the rows leaves a wait that is over',
    shownBy: 'journey "pause and resume with nothing waiting"',
    file: SESSION,
    of: 'hasWork',
    bug: `(real, page, wakeAt, now) =>
      real(page, wakeAt !== undefined && wakeAt <= now ? now + 1 : wakeAt, now)`,
  },
  {
    name: 'the row goes before the success is recorded',
    shownBy: 'journey "publish, delivered"',
    file: RECORD,
    of: 'writeEnd',
    bug: 'async (real, session, hand, ...rest) => { await deleteRow(session, hand.row); return real(session, hand, ...rest); }',
  },
  {
    name: 'no retry row',
    shownBy: 'journey "failure, retry, delivered"',
    file: RECORD,
    of: 'afterFailure',
    bug: `(real, session, hand, record) =>
      session.config.endpoint.ordered ? real(session, hand, record) : deleteRow(session, hand.row)`,
  },
  {
    name: 'a recorded attempt: the row is deleted, the retry row not made',
    shownBy: 'crash points: failure, retry, delivered, crash_after at drain-fast store.update',
    file: DECIDE,
    of: 'decide',
    bug: `(real, ...args) => {
      const decision = real(...args);
      return decision.do === 'repair' ? { do: 'delete' } : decision;
    }`,
  },
  {
    name: 'a final record is sent again',
    shownBy: 'crash points: publish twice, stall at publish store.get',
    file: DECIDE,
    of: 'decide',
    bug: `(real, row, facts) => {
      const { record } = facts;
      const isFinal = record !== undefined && record.gen === row.gen && !isOpen(record);
      return real(row, isFinal ? { ...facts, record: { ...record, status: 'retrying' } } : facts);
    }`,
  },
  {
    name: 'what is not charged is followed by no wait',
    shownBy: 'journey "our way out is suspected, then delivered"',
    file: 'core/outbound/drain/settle-failure.ts',
    of: 'spare',
    bug: 'async () => {}',
  },
  {
    name: 'a trial request is charged',
    shownBy: 'journey "gone twice disables; enabled, it goes on"',
    file: FAULT,
    of: 'isCharged',
    bug: '(real, verdict, at) => real(verdict, { ...at, onTrial: false })',
  },
  {
    name: 'a throttled answer is charged',
    shownBy: 'journey "throttled, then delivered"',
    file: FAULT,
    of: 'isCharged',
    bug: `(real, verdict, at) =>
      real(verdict.fault === 'throttle' ? { fault: 'ambiguous' } : verdict, at)`,
  },
  {
    name: 'a hold without a wake',
    shownBy: 'journey "throttled, then delivered"',
    file: WRITES,
    of: 'releaseLease',
    bug: `(real, ep, me, end) =>
      real(ep, me, end.state.holdUntil === undefined ? end : { ...end, wakeAt: undefined })`,
  },
  {
    name: 'resume without a wake and without a wake-up',
    shownBy: 'journey "pause and resume in mid-session"',
    file: 'core/outbound/gate/gate.ts',
    of: 'change',
    bug: '(real, ports, write, wanted) => real(ports, write, wanted)',
  },
  {
    name: 'no look after the release, and no wake-up for a short wait',
    shownBy: 'journey "failure, retry, delivered"',
    file: SESSION,
    of: 'release',
    bug: `async (real, { ports, ep, me, health }) => {
      await ports.store.update(releaseLease(ep, me, { state: atRelease(health, 0), died: 0, wakeAt: undefined, now: ports.clock.now() }));
      return 'ack';
    }`,
  },
  {
    name: 'a release that fails is acknowledged',
    shownBy: 'crash points: publish, delivered, error at drain-fast store.get',
    file: SESSION,
    of: 'handleWakeUp',
    bug: `async (real, tools, wakeUp, invocation) => {
      const asked = await ask({ telemetry: tools.ports.telemetry, stage: 'session' }, () => runOnce(tools, wakeUp, invocation));
      if (!asked.ok) return 'ack';
      return asked.value === 'again' ? real(tools, wakeUp, invocation) : asked.value;
    }`,
  },
  {
    name: 'an ordered endpoint lets the next one pass',
    shownBy: 'crash points: ordered pair, crash_after at publish store.putMany',
    file: DECIDE,
    of: 'decide',
    bug: `(real, ...args) => {
      const decision = real(...args);
      return decision.do === 'wait' ? { do: 'delete' } : decision;
    }`,
  },
  {
    name: 'dropped without a record',
    shownBy: 'journey "disable, enable and drop the backlog"',
    file: DECIDE,
    of: 'decide',
    bug: `(real, ...args) => {
      const decision = real(...args);
      return decision.do === 'end' ? { do: 'delete' } : decision;
    }`,
  },
  {
    name: 'a success does not ask for its generation or an open record',
    shownBy: 'journey "try now, while it is retrying"',
    file: WRITES,
    of: 'recordEnd',
    bug: `(real, ...args) => ({ ...real(...args), condition: any(missing('pk'), lt('attempts', 0)) })`,
  },
  {
    name: 'a replay puts no row',
    shownBy: 'journey "replay of a delivered one"',
    file: REPLAY,
    of: 'replayOnce',
    bug: `(real, ports, ...rest) => {
      const transact = (writes, token) => ports.store.transact(writes.slice(0, 1), token);
      return real({ ...ports, store: also(ports.store, 'transact', transact) }, ...rest);
    }`,
  },
  {
    name: 'a repeated replay request replays again',
    shownBy: 'crash points: replay of a delivered one, crash_after at people store.transact',
    file: REPLAY,
    of: 'replayOnce',
    bug: `(real, ports, delivery, retentionMs, request) =>
      real(ports, delivery, retentionMs, { ...request, replayId: \`\${request.replayId}-\${ports.ids.uuid()}\` })`,
  },
  {
    name: 'a replay request knows only the last replay',
    shownBy: 'journey "an older replay request comes again"',
    file: REPLAY,
    of: 'replayOnce',
    bug: `(real, ports, ...rest) => {
      const { store } = ports;
      const transact = (writes, token) => store.transact(writes.slice(0, 2), token);
      const get = async (key, read) => { const item = await store.get(key, read); return item?.status ? item : undefined; };
      return real({ ...ports, store: also(also(store, 'transact', transact), 'get', get) }, ...rest);
    }`,
  },
  {
    name: 'the job is done before its rows are put',
    shownBy: 'crash points: publish, delivered, error at fan-out store.get',
    file: 'core/outbound/fan-out/fan-out.ts',
    of: 'runJob',
    bug: 'async (real, ...args) => { try { return await real(...args); } catch { return []; } }',
  },
  {
    name: 'the members of a batch are not fixed',
    shownBy: 'crash points: a batch that fails twice, while more comes, crash_after at drain-fast http.send',
    file: 'core/outbound/drain/batches.ts',
    of: 'fixMembers',
    bug: 'async () => true',
  },
  {
    name: 'what is too old behind a shut gate never ends',
    shownBy: 'journey "expiry behind a shut gate"',
    file: 'core/outbound/tend/audit.ts',
    of: 'endingWakeUp',
    bug: 'async () => undefined',
  },
];
