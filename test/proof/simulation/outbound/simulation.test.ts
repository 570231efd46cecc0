import { describe, expect, test } from 'vitest';
import { HOUR_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { type SimulationOptions, simulate } from './run.ts';
import { TEMPERAMENTS } from './temperaments.ts';

const INVARIANTS = ['O1', 'O2', 'O3', 'O4', 'O5', 'O6', 'O7', 'O8', 'O9', 'O21'];
/** At noon each application sends 20 messages an hour in the long run; 8 show the same with a third of the work. */
const PER_HOUR = isLongRun() ? 20 : 8;
const DAY: Omit<SimulationOptions, 'seed'> = { endpoints: 40, days: 1, perHour: PER_HOUR, schedule: '27-hours' };
/** 500 endpoints of all temperaments for a month; some are abandoned, and what waits for them expires. */
const MONTH = { endpoints: 500, days: 30, perHour: 0.6, abandoned: true, retentionDays: 10 } as const;

/** Drawn anew each time: what holds for the seeds below only was fitted to them. */
const DRAWN = isLongRun() ? Array.from({ length: 30 }, () => Math.floor(Math.random() * 1e9)) : [];

describe('simulated customers', () => {
  test.each(DRAWN)('a day of 40 endpoints with a seed that was drawn (%i)', { timeout: 600_000 }, async seed => {
    const report = await simulate({ ...DAY, perHour: 8, seed });
    recordRun(INVARIANTS, 'outbound-simulation', report.checks, report.complaints.length);
    expect(report.complaints.slice(0, 20)).toEqual([]);
    expect(report.requests).toBeGreaterThan(report.deliveries);
  });

  for (const seed of isLongRun() ? [1, 2] : [1]) {
    test(`a day of 40 endpoints with weather and people (seed ${seed})`, async () => {
      const report = await simulate({ ...DAY, seed });
      recordRun(INVARIANTS, 'outbound-simulation', report.checks, report.complaints.length);
      expect(report.complaints.slice(0, 20)).toEqual([]);
      // A day in which nothing happened would prove nothing.
      expect(report.deliveries).toBeGreaterThan(PER_HOUR * 300);
      expect(report.requests).toBeGreaterThan(report.deliveries);
      expect(report.opened).toBeGreaterThan(3);
      expect(report.ends['dead']).toBeGreaterThan(0);
      expect(Math.min(report.charged, report.kept, report.retries, report.trials)).toBeGreaterThan(300);
      expect(report.troubles).toBeGreaterThan(10);
      expect(report.mostRequestsOfTheDeadPerDay).toBeLessThanOrEqual(130 + 5);
    });
  }

  test('without weather, healthy endpoints get their first request within a second, whatever their neighbours do', async () => {
    // One of each temperament, and as many that are drawn; broadcasts, copies, large and erased bodies, replays.
    const report = await simulate({ ...DAY, endpoints: 2 * TEMPERAMENTS.length, perHour: 3, seed: 3, calm: true });
    if (isLongRun()) process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.complaints).toEqual([]);
    expect(report.duplicates).toBe(0);
    expect(report.firstDelayP99).toBeLessThanOrEqual(1_000);
    expect(
      Math.min(report.large, report.read, report.more.broadcasts, report.more.copies, report.more.erasedBodies),
    ).toBeGreaterThan(0);
  });

  test('everything that sends is killed each ten seconds, for an hour', async () => {
    const kills = { endpoints: 2 * TEMPERAMENTS.length, days: 1 / 24, perHour: isLongRun() ? 2_000 : 200 };
    // Waits that end within the hour: ten attempts, not three, come while it is killed.
    const report = await simulate({ ...DAY, ...kills, seed: 5, calm: true, killEveryMs: 10_000, schedule: '7-hours' });
    recordRun(INVARIANTS, 'outbound-simulation', report.checks, report.complaints.length);
    if (isLongRun()) process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.complaints).toEqual([]);
    expect(report.kills).toBeGreaterThan(30);
    expect(report.deliveries).toBeGreaterThan(1_200);
    // Only what was in the air when a session was killed comes twice.
    expect(report.duplicates).toBeLessThan(report.deliveries / 20);
  });

  test.skipIf(!isLongRun())('a month of 500 endpoints', { timeout: HOUR_MS }, async () => {
    const { complaints, ...numbers } = await simulate({ ...MONTH, seed: 4 });
    process.stdout.write(`${JSON.stringify(numbers)}\n`);
    recordRun(INVARIANTS, 'outbound-simulation', numbers.checks, complaints.length);
    expect(complaints.slice(0, 20)).toEqual([]);
    expect(numbers.deliveries).toBeGreaterThan(70_000);
    for (const end of ['delivered', 'dead', 'expired', 'dropped', 'canceled'])
      expect(numbers.ends[end]).toBeGreaterThan(0);
    expect(Math.min(numbers.charged, numbers.kept, numbers.retries, numbers.trials)).toBeGreaterThan(3_000);
  });
});
