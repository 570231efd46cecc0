/**
 * What stops while one kind of call fails, and only that kind. What a call measures or looks up stops nothing; what it
 * does stops what needs it, and the rest goes on.
 */
import { describe, expect, it } from 'vitest';
import { LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { busy, PermanentError } from '#core/handler/handler-contract.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { type Fault, type FaultPlan, recordCalls } from '#test/kit/memory/faults.ts';
import { MemoryWorld, type Role } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';

/** What the sweeper repairs: each is one event of the incident. */
const REPAIRS = ['unsent', 'lost', 'parked', 'half-dead', 'drained'] as const;
type Repair = (typeof REPAIRS)[number];

/** Calls that may stop something, and what. Every other call of a run stops nothing. */
const STOPS: Readonly<Record<string, readonly Repair[]>> = {
  'store.timeline': ['unsent'],
  // A death whose message is not sent counts as one whose message is: the drain is not begun for the other.
  'store.watchDue': ['lost', 'parked', 'half-dead', 'drained'],
  'store.getMany': ['unsent', 'lost', 'parked', 'half-dead', 'drained'],
  'queue.send': ['unsent', 'lost', 'parked'],
  'dead.send': ['half-dead', 'drained'],
  // Sent, and not noted that it was: the note follows.
  'store.update': ['half-dead'],
  'store.get': ['drained'],
  'dead.receive': ['drained'],
  'dead.delete': ['drained'],
};

interface Incident {
  readonly world: MemoryWorld;
  /** From now on every call of this name fails in the sweeper. */
  readonly break: (name: string, fault: Fault) => void;
  readonly calls: string[];
}

/** One event for each repair, a moment before the sweeper's next run. */
async function incident(): Promise<Incident> {
  const calls: string[] = [];
  const record = recordCalls(calls);
  const failing = new Map<Role, readonly [string, Fault]>();
  const planOf =
    (role: Role): FaultPlan =>
    call => {
      if (role === 'sweep') record(call);
      const [name, fault] = failing.get(role) ?? [];
      return call.name === name || (name === 'unsent' && /queue.send|store.update/.test(call.name)) ? fault : undefined;
    };
  const world = new MemoryWorld({
    timings: LOCAL_TIMINGS,
    queue: { duplicateRate: 0, visibilitySeconds: 60 },
    deadQueue: { duplicateRate: 0 },
    planOf,
    handlers: handlerThat(({ id, nth }) => {
      if (id === 'parked' && nth === 1) return Promise.resolve(busy(90, 'asked'));
      if (id === 'lost' && nth === 1) return Promise.resolve(busy(20, 'asked'));
      if ((id === 'half-dead' || id === 'drained') && nth === 1) return Promise.reject(new PermanentError('for good'));
      return undefined;
    }),
  });
  world.mapping.enable();
  for (const id of ['parked', 'drained', 'lost']) await world.post({ id });
  await world.clock.advanceBy(5 * SECOND_MS);
  failing.set('process', ['dead.send', 'error']);
  await world.post({ id: 'half-dead' });
  await world.clock.advanceBy(5 * SECOND_MS);
  failing.delete('process');
  world.mapping.disable();
  await world.clock.complete(world.replay('drained', { replayId: 'r1', by: 'test', why: 'fixed' }));
  world.main.purge();
  failing.set('ingest', ['unsent', 'error']);
  await world.post({ id: 'unsent' });
  failing.delete('ingest');
  calls.length = 0;
  return { world, calls, break: (name, fault) => failing.set('sweep', [name, fault]) };
}

async function repairedAfter({ world }: Incident): Promise<readonly Repair[]> {
  world.start();
  await world.clock.advanceBy(6 * MINUTE_MS);
  world.stop();
  return REPAIRS.filter(it => {
    if (it === 'drained') return !world.dead.dump().some(({ body }) => body.includes('#drained"'));
    if (it === 'half-dead') return world.item(it)?.dlqSent === true;
    return world.item(it)?.status === 'completed';
  });
}

/** The calls of a run over the incident, by name. */
async function callsOfARun(): Promise<readonly string[]> {
  const calm = await incident();
  expect(await repairedAfter(calm)).toEqual(REPAIRS);
  return [...new Set(calm.calls)];
}

describe('the sweeper, while one kind of call always fails', async () => {
  for (const name of await callsOfARun()) {
    it(`${name}: stops ${STOPS[name]?.join(', ') ?? 'nothing'}`, async () => {
      for (const fault of ['error', 'throttled'] as const) {
        const now = await incident();
        now.break(name, fault);
        expect(await repairedAfter(now), fault).toEqual(REPAIRS.filter(it => !STOPS[name]?.includes(it)));
      }
    });
  }
});

describe('the daily audit, while one kind of call always fails', () => {
  it('control.read, control.write: looks at all records, from the first on', async () => {
    for (const name of ['control.read', 'control.write']) {
      const world = new MemoryWorld({
        planOf: role => call => (role === 'audit' && call.name === name ? 'error' : undefined),
      });
      await world.post({ id: 'evt_1' });
      world.database.write({ kind: 'update', table: 'events', key: { pk: 'default#evt_1' }, set: { expiresAt: 1 } });
      await world.clock.complete(world.auditor.invoke({}));
      const told = world.telemetry.measures.filter(it => it.metric === 'LedgerMismatch');
      expect(
        told.map(it => it.value),
        name,
      ).toEqual([1]);
    }
  });
});
