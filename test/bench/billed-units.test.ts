/** What an event costs, in counts: a call or a write unit more is a failure here, and a decision. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { measureUpkeep, runScript, SCRIPT, type ScriptResult } from '#bench/billing/script.ts';
import { countedUnitsOf } from '#bench/billing/units.ts';
import { countedUnits } from '#operator/cost/counted-units.ts';
import { isLongRun } from '#test/kit/long-run.ts';

/** Every kind of event, few of each. */
const SHORT = { ...SCRIPT, ok: 30, effect: 6, ignored: 6, duplicates: 6, retries: 3 };

let result: ScriptResult;
beforeAll(async () => {
  result = await runScript(10, SHORT);
});

describe('one event that goes well', () => {
  it('makes exactly these calls', () => {
    expect(result.happyPath.map(it => `${it.call} ${it.target}`)).toEqual([
      'PutItem payloads',
      'PutItem events',
      'SendMessage work',
      'ReceiveMessage work',
      'UpdateItem events',
      'UpdateItem events',
      'DeleteMessageBatch work',
    ]);
  });

  it('writes exactly these units, table and indexes', () => {
    const writes = result.happyPath.filter(it => it.call.endsWith('Item'));
    expect(writes.map(({ units, indexUnits }) => [units - indexUnits, indexUnits])).toEqual([
      [2, 0], // the payload, 1 to 2 KB
      [1, 1], // the record, in the index timeline
      [1, 0], // claimed
      [1, 0], // completed
    ]);
  });

  it('keeps its record far below the kilobyte at which each write would cost twice', () => {
    const records = result.happyPath.filter(it => it.target === 'events');
    for (const { bytes } of records) expect(bytes).toBeLessThan(700);
  });

  it('is billed this much', () => {
    expect(result.perEvent.ok).toMatchObject({
      // Stripe's payload fits into one unit, GitHub's and Shopify's into two.
      writeUnits: expect.closeTo(17 / 3, 3),
      queueRequests: 1.2,
      sends: 1,
      httpRequests: 1,
      s3Puts: 0,
    });
    // Only the pause flags, once in five seconds.
    expect(result.perEvent.ok.readUnits).toBeLessThan(0.1);
    expect(result.perEvent.ok.logBytes).toBeLessThan(850);
  });
});

describe('other events', () => {
  it('a duplicate sends nothing', () => {
    expect(result.perEvent.duplicate).toMatchObject({
      writeUnits: expect.closeTo(8 / 3, 3),
      sends: 0,
      queueRequests: 0,
    });
  });

  it('the rest is billed this much', () => {
    const units = Object.entries(result.perEvent).map(([kind, it]) => [kind, it.writeUnits]);
    expect(Object.fromEntries(units)).toEqual({
      ok: expect.closeTo(17 / 3, 3),
      effect: 3,
      unclaimed: expect.closeTo(14 / 3, 3),
      unclaimedEffect: expect.closeTo(23 / 3, 3),
      ignored: expect.closeTo(14 / 3, 3),
      duplicate: expect.closeTo(8 / 3, 3),
      retry: 6,
      // Five of them: two of Stripe.
      deadLetter: 11.2,
      replay: 11,
      crash: expect.closeTo(19 / 3, 3),
    });
  });
});

describe('the counting', () => {
  it('agrees with the units the in-memory database charges by rules of its own', () => {
    expect(result.charged).toEqual(result.billed);
  });

  // The whole script three times takes a while: the quick run compares the first thirty events.
  it('is what the calculator reads', async () => {
    const script = isLongRun() ? SCRIPT : SHORT;
    const results = isLongRun() ? await Promise.all([10, 3, 1].map(size => runScript(size, script))) : [result];
    const record = Math.max(...result.happyPath.filter(it => it.target === 'events').map(it => it.bytes));
    const upkeep = await measureUpkeep(record, isLongRun() ? 300 : 50);
    const counted = countedUnitsOf(results, upkeep);
    const committed = countedUnits();
    expect(committed.perEvent['10'].writeUnits, 'run: npm run bench -- c --write').toBeCloseTo(
      counted.perEvent['10'].writeUnits,
      isLongRun() ? 4 : 2,
    );
    for (const key of ['body', 'deflated', 'payloadItem', 'message', 'eventsStored', 'payloadsStored'] as const) {
      expect(committed[key] / counted[key], key).toBeCloseTo(1, isLongRun() ? 4 : 1);
    }
    for (const part of ['sweep', 'audit'] as const)
      expect(committed.upkeepReads[part] / counted.upkeepReads[part], part).toBeCloseTo(1, 1);
    expect(committed.perEvent['10'].logBytes / counted.perEvent['10'].logBytes).toBeCloseTo(1, 1);
  });

  it('is what the page shows', () => {
    const page = readFileSync(new URL('../../bench/RESULTS.md', import.meta.url), 'utf8');
    expect(page, 'run: npm run bench -- c --write').toContain(
      `| write units, ok event | ${result.perEvent.ok.writeUnits.toFixed(2)} |`,
    );
    expect(page).toMatch(/\| write units, duplicate \| 2\.6\d; 0 sends \|/);
  });
});
