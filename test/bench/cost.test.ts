import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { billPerMillion, totalOf } from '#operator/cost/bill.ts';
import { countedUnits } from '#operator/cost/counted-units.ts';
import { batchAt, monthlyBill } from '#operator/cost/monthly-bill.ts';
import { predictCost } from '#operator/cost/predict-cost.ts';
import { predictDeliveries } from '#operator/cost/predict-deliveries.ts';
import { CliWorld } from '#test/surfaces/cli/cli-world.ts';

const TIMES = { memoryGb: 0.5, ingestMs: 22, processMs: 30 };
const units = countedUnits();

interface CostAnswer {
  readonly total: number;
  readonly per_million_events: number;
  readonly per_million_deliveries?: number;
  readonly lines: readonly { readonly item: string; readonly dollars: number }[];
}

describe('the bill', () => {
  it('multiplies counts by list prices', () => {
    const bill = billPerMillion(
      {
        httpRequests: 1,
        invocations: { ingest: 1, process: 0.1 },
        writeUnits: 9,
        readUnits: 2,
        queueRequests: 1.2,
        fairRequests: 1,
        logBytes: 1_000,
        s3Puts: 1,
        s3Gets: 1,
      },
      TIMES,
      { eventsBytes: 1_000, payloadsBytes: 0, eventsDays: 365 / 12, payloadsDays: 1 },
    );
    expect(bill['DynamoDB writes']).toBeCloseTo(5.625, 6);
    expect(bill['DynamoDB reads']).toBeCloseTo(0.25, 6);
    expect(bill['DynamoDB storage']).toBeCloseTo(0.45, 6);
    expect(bill.Lambda).toBeCloseTo(1.1 * 0.2 + 0.5 * (22_000 + 3_000) * 0.0000133334, 6);
    expect(bill.SQS).toBeCloseTo(0.58, 6);
    expect(bill.Logs).toBeCloseTo(0.5, 6);
    expect(bill.S3).toBeCloseTo(5.4, 6);
  });

  it('of a body as counted is the counted one', () => {
    const bill = monthlyBill(units, TIMES, 1_000_000, units.body);
    expect(bill['DynamoDB writes']).toBeCloseTo((units.perEvent['1'].writeUnits * 0.625 * 365) / 12, 4);
  });

  it('grows by a unit with each KB that deflates to more, and moves to S3 above the limit', () => {
    const writes = (body: number): number => monthlyBill(units, TIMES, 1_000_000, body)['DynamoDB writes'];
    const unit = (0.625 * 365) / 12;
    expect(writes(1_000)).toBeCloseTo(5 * unit, 4);
    expect(writes(50_000)).toBeGreaterThan(writes(5_000) + 7 * unit);
    expect(writes(400_000)).toBeLessThan(writes(units.body));
    expect(monthlyBill(units, TIMES, 1_000_000, 400_000).S3).toBeGreaterThan(100);
    expect(monthlyBill(units, TIMES, 1_000_000, 600_000).API).toBeCloseTo((2 * 365) / 12, 4);
  });

  it('has the queue requests of a body that is longer than one: each 64 KB of a message is one more, sent and received', () => {
    const bytesOf = (body: number): number =>
      units.message + (4 / 3) * (units.deflated / units.body) * (body - units.body);
    const body = Math.ceil(units.body + (80_000 - units.message) / ((4 / 3) * (units.deflated / units.body)));
    expect([Math.ceil(units.message / 65_536), Math.ceil(bytesOf(body) / 65_536)]).toEqual([1, 2]);
    const more = monthlyBill(units, TIMES, 1_000_000, body).SQS - monthlyBill(units, TIMES, 1_000_000, units.body).SQS;
    // A send to a fair queue is a request and ten cents a million more.
    expect(more).toBeCloseTo(((2 * 0.4 + 2 * 0.1) * 365) / 12, 4);
  });

  it('is cheaper per event in larger batches', () => {
    expect([batchAt(1e6), batchAt(1e7), batchAt(1e8)]).toEqual([1, 3, 10]);
    const each = (rate: number): number => totalOf(monthlyBill(units, TIMES, rate, 5_000)) / rate;
    expect(each(1e8)).toBeLessThan(each(1e7));
    expect(each(1e7)).toBeLessThan(each(1e6));
  });
});

describe('the calculator and the page of figures', () => {
  const page = readFileSync(new URL('../../bench/RESULTS.md', import.meta.url), 'utf8');

  it('agree to a cent on a million events at a million a day, sweeper and audit included', () => {
    const [, shipped] = /\| as shipped \| ([\d.]+) \|/.exec(page) ?? [];
    // The page rounds the model's milliseconds.
    expect(Math.abs(predictCost(1_000_000, units.body, 'all').perMillion - Number(shipped))).toBeLessThan(0.01);
  });

  it('have the reads of sweeper and audit at ten million a day, about $150 a month', () => {
    const [reads] = predictCost(10_000_000, 5_000, 'all').lines.filter(({ item }) => item === 'DynamoDB reads');
    expect(reads?.dollars).toBeGreaterThan(145);
    expect(reads?.dollars).toBeLessThan(155);
  });
});

describe('holdfast cost', () => {
  const run = (...args: string[]) => new CliWorld().run(['cost', ...args]);

  it('prints the bill by line with its total and alternatives, without a gateway', async () => {
    const { code, stdout } = await run('--events-per-day', '1000000', '--body', '5k');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Predicted for a month of 1,000,000 events a day of 5,000 bytes/);
    expect(stdout).toMatch(/\d+\.\d\d {2}DynamoDB writes/);
    expect(stdout).toMatch(/together; \$\d+\.\d\d per million/);
    expect(stdout).toMatch(/not listed {2}Hookdeck/);
  });

  it('adds up, and says what it assumed, in JSON', async () => {
    const { value } = await new CliWorld().json([
      'cost',
      '--events-per-day',
      '100000000',
      '--body',
      '1.5k',
      '--alarms',
      'none',
    ]);
    const { lines, total, basis, alternatives } = value as {
      lines: { dollars: number }[];
      total: number;
      basis: object;
      alternatives: { name: string; dollars: number | null }[];
    };
    expect(lines.reduce((sum, it) => sum + it.dollars, 0)).toBeCloseTo(total, 1);
    expect(basis).toMatchObject({ eventsPerDay: 100_000_000, bodyBytes: 1_500, batch: 10, alarms: 'none' });
    expect(alternatives.find(it => it.name.startsWith('Hookdeck'))?.dollars).toBeCloseTo(9_916, -1);
  });

  it('prices deliveries by the endpoints of a message, in lines of their own', async () => {
    const json = async (...args: string[]) => (await new CliWorld().json(['cost', ...args])).value as CostAnswer;
    const without = await json();
    const sending = await json('--deliveries-per-day', '20000000', '--endpoints', '20');
    const { perMillion } = predictDeliveries({ perDay: 20_000_000, fanOut: 20 });
    expect(sending.per_million_deliveries).toBeCloseTo(perMillion, 6);
    expect(sending.total - without.total).toBeCloseTo((20 * perMillion * 365) / 12, 4);
    expect(sending.per_million_events).toBe(without.per_million_events);
    expect(sending.lines.filter(({ item }) => item.startsWith('Sending: ')).length).toBeGreaterThan(5);
    expect(without.lines.filter(({ item }) => item.startsWith('Sending: '))).toEqual([]);
    const { stdout } = await run('--deliveries-per-day', '20000000', '--endpoints', '20');
    expect(stdout).toContain(
      `20,000,000 deliveries a day of bodies as counted, each message to 20: $${perMillion.toFixed(2)}`,
    );
  });

  it.each([
    [['--deliveries-per-day', '-1'], /--deliveries-per-day: "-1"[\s\S]*a whole number from 0/],
    [['--endpoints', '7'], /1, 20, 10000/],
    [['--events-per-day', 'many'], /--events-per-day: "many"[\s\S]*allowed: a whole number from 1/],
    [['--events-per-day', '0'], /--events-per-day: "0"/],
    [['--body', '5kg'], /--body: "5kg"[\s\S]*1 to 4400000 bytes/],
    [['--body', '9m'], /--body: "9m"/],
    [['--alarms', 'some'], /all, essential, none/],
  ])('refuses %j, saying what is allowed', async (args, message) => {
    expect(await run(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });
});
