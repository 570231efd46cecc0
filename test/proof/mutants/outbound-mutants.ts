// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
/** Deliberately broken variants of the sending side. Each names the journey that shows it soonest. */
import type { Mutant } from './mutants.ts';

const SESSION = 'core/outbound/drain/session.ts';
const RECORD = 'core/outbound/drain/record-outcome.ts';
const WRITES = 'core/outbound/protocol/delivery-writes.ts';
const FAULT = 'core/outbound/drain/whose-fault.ts';
const DECIDE = 'core/outbound/protocol/decide.ts';

export const OUTBOUND_MUTANTS: readonly Mutant[] = [
  {
    name: '202 before the job is accepted',
    journey: 'publish, delivered',
    file: 'core/outbound/publish/publish.ts',
    from: 'if (!fannedOut) await ports.jobs.send([{ v: 1, app: given.app, msg: id, ...again }], given.app);',
    to: 'if (!fannedOut) void ports.jobs.send([{ v: 1, app: given.app, msg: id, ...again }], given.app).catch(() => {});',
  },
  {
    name: 'a repeated publish is answered without a job',
    journey: 'publish, delivered',
    file: 'core/outbound/publish/publish.ts',
    from: 'if (!fannedOut) await ports.jobs.send([{ v: 1, app: given.app, msg: id, ...again }], given.app);',
    to: "if (put.kind === 'applied') await ports.jobs.send([{ v: 1, app: given.app, msg: id, ...again }], given.app);",
  },
  {
    name: 'publish sends tokens before it puts rows',
    journey: 'publish without a job, delivered',
    file: 'core/outbound/fan-out/fan-out-now.ts',
    from: "    await store.putMany(\n      'outbox',\n      wanting.map(ep => liveRow({ ep, msg, createdAt, ...kept }, now, rules.retentionMs)),\n    );\n    if (wanting.length > 0) await wake.send(wanting.map(ep => ({ v: 1, ep })));\n",
    to: "    if (wanting.length > 0) await wake.send(wanting.map(ep => ({ v: 1, ep })));\n    await store.putMany(\n      'outbox',\n      wanting.map(ep => liveRow({ ep, msg, createdAt, ...kept }, now, rules.retentionMs)),\n    );\n",
  },
  {
    name: 'publish answers 202 though its rows were not put',
    journey: 'publish without a job, delivered',
    file: 'core/outbound/fan-out/fan-out-now.ts',
    from: 'return done === true;',
    to: 'return done !== false;',
  },
  {
    name: 'the first look at the rows leaves a wait that is over',
    journey: 'pause and resume with nothing waiting',
    file: SESSION,
    from: '  if (wakeAt !== undefined && wakeAt <= now) return true;\n',
    to: '',
  },
  {
    name: 'the row goes before the success is recorded',
    journey: 'publish, delivered',
    file: RECORD,
    from: '  const result = await persist(session, () => store.update(recordEnd(delivery, status, outcome)));\n  await deleteRow(session, row);',
    to: '  await deleteRow(session, row);\n  const result = await persist(session, () => store.update(recordEnd(delivery, status, outcome)));',
  },
  {
    name: 'no retry row',
    journey: 'failure, retry, delivered',
    file: RECORD,
    from: 'if (stillOwed && !session.config.endpoint.ordered) await putRetry(session, hand, record);',
    to: '',
  },
  {
    name: 'a recorded attempt: the row is deleted, the retry row not made',
    journey: 'failure, retry, delivered',
    file: DECIDE,
    from: "    return { do: 'repair', n: attempts + 1, nextAt: record?.nextAt ?? now };",
    to: "    return { do: 'delete' };",
  },
  {
    name: 'a final record is sent again',
    journey: 'publish twice',
    file: DECIDE,
    from: 'if (record !== undefined && (record.gen !== row.gen || !isOpen(record)))',
    to: 'if (record !== undefined && record.gen !== row.gen)',
  },
  {
    name: 'what is not charged is followed by no wait',
    journey: 'our way out is suspected, then delivered',
    file: 'core/outbound/drain/settle-failure.ts',
    from: 'else if (session.health.holdUntil === undefined) await spare(session, sending, seen);',
    to: '',
  },
  {
    name: 'a probe is charged',
    journey: 'breaker opens, probe, ramp',
    file: FAULT,
    from: "if (fault === 'endpoint') return !at.probing;",
    to: "if (fault === 'endpoint') return true;",
  },
  {
    name: 'a throttled answer is charged',
    journey: 'throttled, then delivered',
    file: FAULT,
    from: "return fault === 'ambiguous' && (",
    to: "return fault !== 'ours' && (",
  },
  {
    name: 'a hold without a wake',
    journey: 'throttled, then delivered',
    file: SESSION,
    from: 'const wakeAt = session.health.holdUntil ?? (isClosed(',
    to: 'const wakeAt = session.health.holdUntil ? undefined : (isClosed(',
  },
  {
    name: 'resume without a wake and without a token',
    journey: 'pause and resume in mid-session',
    file: 'core/outbound/gate/gate.ts',
    from: 'if (toWake !== undefined) await wake.send',
    to: "if (toWake === 'ep_' && wanted) await wake.send",
  },
  {
    name: 'no look after the release, and no token for a short wait',
    journey: 'failure, retry, delivered',
    file: SESSION,
    from: 'const wakeAt = session.health.holdUntil ?? (isClosed(session.runtime) ? undefined : await nextLook(session));',
    to: "const wakeAt = undefined;\n  if (session.me) {\n    await ports.store.update(releaseLease(ep, me, { state: atRelease(session.health, 0), died: 0, wakeAt }));\n    return 'ack';\n  }",
  },
  {
    name: 'a release that fails is acknowledged',
    journey: 'publish, delivered',
    file: SESSION,
    from: "if (!run.ok) return 'give_back';",
    to: "if (!run.ok) return 'ack';",
  },
  {
    name: 'an ordered endpoint lets the next one pass',
    journey: 'ordered pair',
    file: DECIDE,
    from: "return nextAt > now ? { do: 'wait', until: nextAt } : { do: 'send', n: attempts + 1 };",
    to: "return nextAt > now ? { do: 'delete' } : { do: 'send', n: attempts + 1 };",
  },
  {
    name: 'dropped without a record',
    journey: 'disable, enable and drop the backlog',
    file: 'core/outbound/drain/drain-rows.ts',
    from: "    case 'end':\n",
    to: "    case 'end':\n      await deleteRow(session, row);\n      if (row.gen > 0) return undefined;\n",
  },
  {
    name: 'a success does not ask for its generation or an open record',
    journey: 'try now, while it is retrying',
    file: WRITES,
    from: '    condition: open(delivery.gen),\n    set: { ...about(delivery, now, retentionMs), ...seen(outcome), status, endedAt: now },',
    to: "    condition: any(missing('pk'), lt('attempts', 0)),\n    set: { ...about(delivery, now, retentionMs), ...seen(outcome), status, endedAt: now },",
  },
  {
    name: 'a replay puts no row',
    journey: 'replay of a delivered one',
    file: 'core/outbound/replay/replay-delivery.ts',
    from: 'await store.transact(replay(delivery, record, request, retentionMs), ids.uuid());',
    to: 'await store.transact(replay(delivery, record, request, retentionMs).slice(0, 1), ids.uuid());',
  },
  {
    name: 'a repeated replay request replays again',
    journey: 'replay of a delivered one',
    file: 'core/outbound/replay/replay-delivery.ts',
    from: "if (known !== undefined) return { kind: 'accepted', gen: known };",
    to: 'if (known !== undefined) request = { ...request, replayId: `${request.replayId}-again` };',
  },
  {
    name: 'a replay request knows only the last replay',
    journey: 'an older replay request comes again',
    file: 'core/outbound/replay/replay-delivery.ts',
    from: 'const known = note?.gen ?? (',
    to: 'const known = (',
    also: {
      from: 'await store.transact(replay(delivery, record, request, retentionMs), ids.uuid());',
      to: 'await store.transact(replay(delivery, record, request, retentionMs).slice(0, 2), ids.uuid());',
    },
  },
  {
    name: 'the job is done before its rows are put',
    journey: 'publish, delivered',
    file: 'core/outbound/fan-out/fan-out.ts',
    from: '        failed.set(id, error);\n      }\n    }),',
    to: '        if (id === undefined) failed.set(id, error);\n      }\n    }),',
  },
  {
    name: 'what is too old behind a closed gate never ends',
    journey: 'expiry behind a closed gate',
    file: 'core/outbound/tend/audit.ts',
    from: "  return { token: { v: 1, ep: runtime.ep, mode: 'end' }, lost: false };",
    to: '  return undefined;',
  },
];
