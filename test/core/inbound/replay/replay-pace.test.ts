import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { given } from '#core/given.ts';
import { ReplayPace } from '#core/inbound/replay/replay-pace.ts';
import { MINUTE_MS } from '#core/time.ts';

interface Begun {
  readonly at: number;
  readonly count: number;
}
interface RunOfJob {
  /** Since the run before. */
  readonly gapMs: number;
  readonly runMs: number;
  /** By page. */
  readonly behindLive: readonly boolean[];
  /** What batches are late by, in turn. */
  readonly lateMs: readonly number[];
}

/** What a job begins when, with a page every two seconds' worth, as the sweeper works at it. */
function work(ratePerSecond: number, runs: readonly RunOfJob[]): readonly Begun[] {
  const size = Math.max(1, Math.min(10, Math.floor(ratePerSecond)));
  const begun: Begun[] = [];
  let now = 0;
  let paidUntil: number | undefined;
  for (const { gapMs, runMs, behindLive, lateMs } of runs) {
    now += gapMs;
    const until = now + runMs;
    const pace = new ReplayPace({ ratePerSecond, ...given({ paidUntil }) }, now, until);
    for (let page = 0; now < until; page++) {
      pace.look(now, behindLive[page % behindLive.length] ?? false);
      for (let ofPage = 0; ofPage < ratePerSecond * 2; ofPage += size) {
        now = Math.max(now, Math.min(pace.dueAt(), until));
        if (now >= until) break;
        pace.begin(size, now);
        begun.push({ at: now, count: size });
        now += lateMs[begun.length % lateMs.length] ?? 0;
      }
    }
    paidUntil = Math.round(pace.paidUntil);
  }
  return begun;
}

const sum = (begun: readonly Begun[]): number => begun.reduce((total, { count }) => total + count, 0);

describe('the pace of a replay job', () => {
  it('is its rate over runs of which each has 45 s of its minute, and half of it while live traffic waits', () => {
    const runs = (behindLive: boolean): readonly RunOfJob[] => {
      const run = { gapMs: 15_000, runMs: 45_000, behindLive: [behindLive], lateMs: [0] };
      return [run, run, run, run, run];
    };
    const full = sum(work(50, runs(false))) - sum(work(50, runs(false).slice(0, 1)));
    expect(Math.abs(full - 4 * 60 * 50)).toBeLessThanOrEqual(5 * 10);
    const half = sum(work(50, runs(true)));
    expect(Math.abs(half - 5 * 45 * 25)).toBeLessThanOrEqual(5 * 2 * 10);
  });

  it('makes up for 15 s at most, spread over the run', () => {
    const run = { runMs: 45_000, behindLive: [false], lateMs: [0] };
    const begun = work(50, [
      { ...run, gapMs: 0 },
      { ...run, gapMs: 60 * MINUTE_MS },
    ]);
    const later = begun.filter(({ at }) => at > MINUTE_MS);
    expect(Math.abs(sum(later) - 60 * 50)).toBeLessThanOrEqual(10);
    const firstSecond = later.filter(({ at }) => at < (later[0]?.at ?? 0) + 1_000);
    expect(sum(firstSecond)).toBeLessThanOrEqual((50 * 4) / 3 + 10);
  });

  it('never exceeds what it promises, however the sweeper comes and whatever waits', () => {
    const run = fc.record({
      gapMs: fc.integer({ min: 0, max: 3 * MINUTE_MS }),
      runMs: fc.integer({ min: 1_000, max: 30_000 }),
      behindLive: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      lateMs: fc.array(fc.integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 25 }),
        fc.array(run, { minLength: 1, maxLength: 4 }),
        (ratePerSecond, runs) => {
          const begun = work(ratePerSecond, runs);
          const size = begun[0]?.count ?? 0;
          const last = sum(begun);
          for (const [from, { at: start }] of begun.entries()) {
            let count = 0;
            for (const { at, count: more } of begun.slice(from)) {
              count += more;
              const perRate = (count - size) / ratePerSecond;
              const windowS = (at - start) / 1_000 + 0.002;
              if (from === 0) expect(perRate, `since it began, ${last} in all`).toBeLessThanOrEqual(windowS);
              expect(perRate, `${windowS} s`).toBeLessThanOrEqual(windowS + 15);
              // A run may begin a batch as soon as it is there, right after the last one of the run before.
              const firsts = ((runs.length - 1) * size) / ratePerSecond;
              expect(perRate, `${windowS} s, at once`).toBeLessThanOrEqual((windowS + 0.5) * (4 / 3) + firsts);
            }
          }
        },
      ),
      {
        numRuns: 20,
        // Late and then in time: not made up for twice.
        examples: [
          [10, [{ gapMs: 0, runMs: 20_000, behindLive: [false], lateMs: [1_500, 0, 0, 0] }]],
          [
            1,
            [
              { gapMs: 0, runMs: 1_000, behindLive: [false], lateMs: [0] },
              { gapMs: 1_010, runMs: 6_820, behindLive: [false], lateMs: [0] },
              { gapMs: 0, runMs: 1_000, behindLive: [false], lateMs: [0] },
            ],
          ],
        ],
      },
    );
  });
});
