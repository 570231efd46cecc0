/** What a cheaper event would cost elsewhere: the table of steps, capacity by the hour, and memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { provisionedDay } from '#bench/billing/provisioned.ts';
import { runScript, SCRIPT } from '#bench/billing/script.ts';
import { stepTable } from '#bench/billing/steps.ts';
import { type Choice, cheapestUnder, MEMORIES, memoryCurve } from '#bench/latency/memory-curve.ts';
import { PAGE } from '#bench/report/page.ts';

const EVEN = { eventsPerDay: 1e6, units: 5.667 };
const MISSION = { ...EVEN, curve: true, bursts: 2 };

describe('capacity by the hour', () => {
  it('costs an even load its price by the part that is used, and nobody waits', () => {
    const { dollars, waiting } = provisionedDay(EVEN);
    // A unit for an hour is 3,600 writes; whole units only.
    expect(dollars).toBeGreaterThanOrEqual((5.667 * 0.00065 * 1e6) / 3_600 / 0.7);
    expect(dollars).toBeLessThan(1.02 * ((5.667 * 0.00065 * 1e6) / 3_600 / 0.7));
    expect(waiting).toBe(0);
  });

  it('follows a day without a wait, and not a minute of 25 times the mean', () => {
    expect(provisionedDay({ ...EVEN, curve: true }).waiting).toBe(0);
    const { waiting, minutes } = provisionedDay(MISSION);
    // The two minutes alone are 34,722 of a million events.
    expect(waiting).toBeGreaterThan(0.03);
    expect(minutes).toBeGreaterThan(2);
  });

  it('lets fewer wait the more of it stands by, for more dollars', () => {
    const days = [1, 100, 200, 300].map(least => provisionedDay({ ...MISSION, least }));
    expect(days.map(it => it.waiting)).toEqual(days.map(it => it.waiting).sort((a, b) => b - a));
    expect(days.map(it => it.dollars)).toEqual(days.map(it => it.dollars).sort((a, b) => a - b));
    expect(days.at(-1)?.waiting).toBe(0);
  });
});

describe('the table of steps', () => {
  it('stands in the results, and the decision has its numbers', async () => {
    const short = { ...SCRIPT, ok: 300, effect: 6, ignored: 6, duplicates: 6, retries: 3 };
    const { head, rows } = stepTable(await runScript(10, short));
    const page = readFileSync(PAGE, 'utf8');
    expect(page, 'run: npm run bench -- c --write').toContain(`| ${head.join(' | ')} |`);
    const decision = readFileSync(
      join(PAGE, '../../docs/decisions/payload-record-and-timeline-are-three-items.md'),
      'utf8',
    );
    for (const [name = '', shipped = ''] of rows) {
      expect(page, name).toContain(`| ${name} |`);
      if (Number(shipped) === 0) continue;
      expect(decision, name).toContain(`$${Math.abs(Number(shipped)).toFixed(2)}`);
    }
  });
});

describe('the curve of memory', () => {
  const lean = { ingestCpuMs: 2, processCpuMs: 1.3, startCpuMs: 120 };
  const curve = memoryCurve({ ...lean, ingestDynamoCalls: 2, ingestSqsCalls: 1, processDynamoCalls: 2 }, 2_000);

  it('has less time and more dollars with more memory', () => {
    expect(curve.map(it => it.memoryMb)).toEqual([...MEMORIES]);
    for (const [n, it] of curve.entries()) {
      const before = curve[n - 1];
      if (before === undefined) continue;
      expect(it.ingestMs).toBeLessThan(before.ingestMs);
      expect(it.p99).toBeLessThanOrEqual(before.p99);
      expect(it.dollars).toBeGreaterThan(before.dollars);
    }
  });

  it('divides CPU by the share of a core, and nothing else', () => {
    const [quarter, , , whole] = curve as [Choice, Choice, Choice, Choice];
    expect(quarter.ingestMs - whole.ingestMs).toBeCloseTo(2 * (1_769 / 256 - 1), 6);
    expect(quarter.processMs - whole.processMs).toBeCloseTo(1.3 * (1_769 / 256 - 1), 6);
  });

  it('chooses the cheapest under a limit, or none', () => {
    expect(cheapestUnder(1e6, curve)?.memoryMb).toBe(256);
    expect(cheapestUnder((curve[0] as Choice).p99, curve)?.memoryMb).not.toBe(256);
    expect(cheapestUnder(1, curve)).toBeUndefined();
  });
});
