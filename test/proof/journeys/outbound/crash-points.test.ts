import { describe, expect, test } from 'vitest';
import { isLongRun } from '#test/kit/long-run.ts';
import { FAULTS, type Fault, faultsOf } from '#test/kit/memory/faults.ts';
import type { OutboundRole } from '#test/kit/outbound-world.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { JOURNEYS } from './support/journeys.ts';
import { type Call, runJourney } from './support/stage.ts';

const INVARIANTS = ['O1', 'O2', 'O3', 'O4', 'O5', 'O6', 'O7', 'O8', 'O9', 'O10', 'O11', 'O19', 'O20'];
/** By default one of 17 runs of a journey is played, beginning elsewhere in each journey. */
const STRIDE = isLongRun() ? 1 : 17;
const WHOLE = new Set(['publish, delivered']);

/** What tend does rarely is always met; what it repeats each minute, by default one time of 29. */
const RARE = new Set(['jobs.send', 'wake.send', 'slow.send', 'store.transact', 'store.delete', 'store.put']);

/** Every call that each function makes to a service; but not the drainer's to the dead-letter queue, with what is no wake-up. */
const CALLS: Readonly<Partial<Record<OutboundRole, readonly string[]>>> = {
  publish: ['blobs.put', 'jobs.send', 'store.get', 'store.put', 'store.putMany', 'store.query', 'wake.send'],
  'fan-out': [...['blobs.get', 'jobs.send', 'store.get', 'store.put', 'store.putMany', 'store.query', 'wake.send']],
  'drain-fast': [
    ...['blobs.get', 'http.send', 'jobs.send', 'slow.send', 'store.delete', 'store.get', 'store.getMany'],
    ...['store.put', 'store.query', 'store.transact', 'store.update'],
  ],
  tend: [
    ...['blobs.list', 'blobs.put', 'jobs.send', 'store.delete', 'store.get', 'store.getMany', 'store.put'],
    'store.query',
    ...['store.scan', 'store.transact', 'store.update', 'wake.send', 'slow.send'],
  ],
};

function runsOf(calls: readonly Call[], tends: boolean): readonly (readonly [Call, Fault])[] {
  let tended = 0;
  const wanted = calls.filter(({ role, name }) => {
    if (role !== 'tend') return true;
    return tends && (RARE.has(name) || tended++ % (isLongRun() ? 1 : 29) === 0);
  });
  return wanted.flatMap(call => (isLongRun() ? FAULTS : faultsOf(call.name)).map(fault => [call, fault] as const));
}

// Holds O1, O2, O3, O4, O5, O6, O7, O8, O9, O10, O11, O19, O20, and W2, W7, W8, W25, which have no condition: what they put or delete comes
// before or after another write, whatever fails in between.
describe('outbound: a fault at every call', () => {
  const met = new Map<OutboundRole, Set<string>>();
  for (const [at, journey] of JOURNEYS.entries()) {
    test(journey.name, async () => {
      const good = await runJourney(journey);
      expect(good.complaints).toEqual([]);
      expect(good.duplicates).toBe(0);
      const all = runsOf(good.stage.calls, journey.tends === true);
      const own = good.stage.calls.filter(({ role }) => role !== 'tend' || journey.tends === true);
      for (const { role, name } of own) met.set(role, (met.get(role) ?? new Set()).add(name));
      const runs = WHOLE.has(journey.name) ? all : all.filter((_, n) => n % STRIDE === at % STRIDE);
      const complaints: string[] = [];
      for (const [call, fault] of runs) {
        const verdict = await runJourney(journey, new Map([[call.n, fault]]));
        // The one honest duplicate: a drainer died, lost an answer or froze between a request and its record.
        const excused = call.role.startsWith('drain') || fault === 'stall';
        if (verdict.duplicates > 0 && !excused)
          complaints.push(`${fault} at ${call.role} ${call.name} (${call.n}): a duplicate`);
        complaints.push(
          ...verdict.complaints.map(each => `${fault} at ${call.role} ${call.name} (${call.n}): ${each}`),
        );
      }
      recordRun(INVARIANTS, 'outbound-crash-points', runs.length + 1, complaints.length);
      expect(complaints).toEqual([]);
    });
  }

  test.each(Object.entries(CALLS))('%s: each of its calls is in a journey', (role, calls) => {
    expect([...(met.get(role as OutboundRole) ?? [])].toSorted()).toEqual(calls.toSorted());
  });
});
