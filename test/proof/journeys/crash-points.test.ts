/**
 * A fault at every call: each base journey is run once to number its calls, then once for each call and each fault, and
 * for a sample of pairs of them. Each run is judged at every change and at rest. A new sweeper asks the same two things
 * for each hour of a day: of these repetitions, a third of those in the middle get one fault each, in turn.
 * HOLDFAST_LONG=1 runs every fault there, too, and all pairs.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { FAULTS, type Fault, faultsOf, isRead, SAME_AT_A_READ } from '#test/kit/memory/faults.ts';
import { type Call, interestingCalls, type Journey, runJourney } from './support/crash-run.ts';
import { FIFTY_AT_ONCE, JOURNEYS } from './support/journeys.ts';
import { Tally } from './support/tally.ts';

const SAMPLED_PAIRS = 6;
const SAMPLED_OF_FIFTY = 4;
/** Of many equal calls within a minute, this number at the beginning and at the end gets every fault. */
const AT_EACH_END = 2;
/** Of those between them, one in this number gets a fault. */
const IN_THE_MIDDLE = 3;

/** A fault at a call, and the calls after it that a second fault may hit. */
interface Single {
  readonly at: Call;
  readonly fault: Fault;
  readonly later: readonly Call[];
}

const tally = new Tally();
const singles = new Map<string, Single[]>();
const counts = { single: 0, pair: 0 };

afterAll(() => {
  tally.record('crash-points');
});

async function judge(journey: Journey, faults: ReadonlyMap<number, Fault>, where: string): Promise<readonly Call[]> {
  // With every answer a 200, whether the provider would have tried again makes no difference.
  let calls: readonly Call[] = [];
  for (const retries of [0, 2]) {
    const verdict = await runJourney(journey, faults, retries);
    tally.add(verdict, `${journey.name}: ${where}, ${retries} retries`);
    if (retries === 0) calls = verdict.stage.calls;
    if (verdict.stage.answers.every(answer => answer?.status === 200)) break;
  }
  return calls;
}

describe.each(JOURNEYS)('$name', journey => {
  it('keeps every invariant with a fault at each of its calls', async () => {
    const base = await runJourney(journey);
    expect(base.complaints).toEqual([]);
    const idleSweeps = journey === JOURNEYS[0] ? 1 : 0;
    const found: Single[] = [];
    for (const at of interestingCalls(base.stage.calls, idleSweeps)) {
      for (const fault of faultsAt(at, base.stage.calls)) {
        const calls = await judge(journey, new Map([[at.n, fault]]), describeFault(at, fault));
        found.push({ at, fault, later: interestingCalls(calls).filter(it => it.n > at.n) });
      }
    }
    singles.set(journey.name, found);
    counts.single += found.length;
    expect(Object.fromEntries(tally.complaints)).toEqual({});
  });

  it('keeps every invariant with two faults', { timeout: isLongRun() ? HOUR_MS : 60_000 }, async () => {
    const pairs = (singles.get(journey.name) ?? []).flatMap(first =>
      first.later.flatMap(at => faultsOf(at.name).map(fault => ({ first, second: { at, fault } }))),
    );
    const step = isLongRun() ? 1 : Math.max(1, pairs.length / SAMPLED_PAIRS);
    for (let place = 0; place < pairs.length; place += step) {
      const pair = pairs[Math.floor(place)];
      if (!pair) break;
      const { first, second } = pair;
      const faults = new Map([
        [first.at.n, first.fault],
        [second.at.n, second.fault],
      ]);
      counts.pair += 1;
      await judge(
        journey,
        faults,
        `${describeFault(first.at, first.fault)} and ${describeFault(second.at, second.fault)}`,
      );
    }
    expect(Object.fromEntries(tally.complaints)).toEqual({});
  });
});

it(
  'keeps every invariant with fifty identical requests at once and a fault at one of their calls',
  async () => {
    const base = await runJourney(FIFTY_AT_ONCE);
    expect(base.complaints).toEqual([]);
    const calls = interestingCalls(base.stage.calls);
    expect(calls.length).toBeGreaterThan(150);
    const step = isLongRun() ? 1 : Math.floor(calls.length / SAMPLED_OF_FIFTY);
    for (let place = 0; place < calls.length; place += step) {
      const at = calls[place] as Call;
      for (const fault of faultsOf(at.name))
        await judge(FIFTY_AT_ONCE, new Map([[at.n, fault]]), describeFault(at, fault));
    }
    expect(Object.fromEntries(tally.complaints)).toEqual({});
  },
  HOUR_MS,
);

it('at a read ends alike whether the service saw it: half of the faults stand for the others', async () => {
  const met = new Set<string>();
  for (const journey of JOURNEYS) {
    const base = await runJourney(journey);
    for (const at of interestingCalls(base.stage.calls)) {
      if (!isRead(at.name) || met.has(at.name)) continue;
      met.add(at.name);
      const ends = new Map<Fault | undefined, object>();
      for (const which of new Set(Object.entries(SAME_AT_A_READ).flat() as (Fault | undefined)[])) {
        const { stage, complaints } = which ? await runJourney(journey, new Map([[at.n, which]])) : base;
        const names = stage.calls.map(it => `${it.role} ${it.name}`);
        // By chance a page is short, and the call for the rest of it follows.
        const calls = names.filter((name, n) => name !== names[n - 1]);
        const items = stage.world.items().map(({ pk, status, attempts }) => ({ pk, status, attempts }));
        ends.set(which, { calls, items, complaints });
      }
      for (const [fault, same] of Object.entries(SAME_AT_A_READ))
        expect(ends.get(fault as Fault), `${fault} at ${at.name} of ${journey.name}`).toEqual(ends.get(same));
    }
  }
  expect(met.size).toBeGreaterThan(12);
});

it('went through every fault at every call', () => {
  expect(counts.single).toBeGreaterThan(2_500);
  expect(counts.pair).toBeGreaterThan(JOURNEYS.length * 5);
});

/** All faults that differ at this call; in the middle of many equal calls, one fault at every third. */
function faultsAt(at: Call, calls: readonly Call[]): readonly Fault[] {
  const minute = Math.floor(at.at / MINUTE_MS);
  const equal = calls.filter(
    it => it.role === at.role && it.name === at.name && Math.floor(it.at / MINUTE_MS) === minute,
  );
  const place = equal.indexOf(at);
  const inTheMiddle = place >= AT_EACH_END && place < equal.length - AT_EACH_END;
  if (isLongRun()) return FAULTS;
  const faults = faultsOf(at.name);
  if (!inTheMiddle) return faults;
  const turn = place / IN_THE_MIDDLE;
  return Number.isInteger(turn) ? faults.slice(turn % faults.length).slice(0, 1) : [];
}

function describeFault(call: Call, fault: Fault): string {
  return `${fault} at call ${call.n} (${call.role} ${call.name})`;
}
