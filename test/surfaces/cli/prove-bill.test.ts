/** `holdfast prove --bill` against a Cost Explorer of ours, which answers in the forms that AWS documents. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#core/time.ts';
import { billLines, cents, compareBill, lastRun, predictedLines, type RunRecord } from '#local/prove/bill.ts';
import { priceOf, sizeOf } from '#local/prove/guard.ts';
import { sendHttp } from '#operator/aws/send-http.ts';
import { CliWorld } from './cli-world.ts';

const STARTED = Date.UTC(2026, 10, 27, 23, 30);
const RUN: RunRecord = {
  ...{ environment: 'prove', emulated: false, requests: 13_000, deliveries: 200 },
  ...{ startedAt: STARTED, endedAt: STARTED + 40 * 60_000 },
};

interface Asked {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
}
const asked: Asked[] = [];
let answers: readonly { readonly status: number; readonly body: object }[] = [];
const server = createServer(async (request, response) => {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
  const answer = answers[asked.length] ?? { status: 500, body: {} };
  asked.push({ headers: request.headers, body });
  response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify(answer.body));
});
let url = '';
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => server.close());
afterEach(() => {
  asked.length = 0;
  answers = [];
});

const costsAt = (now: number) => ({
  ...{ url, http: sendHttp, now: () => now },
  credentials: () => Promise.resolve({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }),
});
const group = (usageType: string, dollars: string, quantity: string) => ({
  Keys: [usageType],
  Metrics: { UnblendedCost: { Amount: dollars, Unit: 'USD' }, UsageQuantity: { Amount: quantity, Unit: 'N/A' } },
});
const day = (groups: readonly object[], Estimated = false) => ({ ResultsByTime: [{ Estimated, Groups: groups }] });
const LATER = RUN.endedAt + 25 * HOUR_MS;
const compare = (now = LATER, runs = 1) => compareBill(costsAt(now), { run: RUN, runs });

describe('what is asked', () => {
  it('is one question by the tag that prove writes, for the days of the run, signed for Cost Explorer', async () => {
    answers = [{ status: 200, body: day([group('EUC1-WriteRequestUnits', '0.03', '50000')]) }];
    await compare();
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toEqual({
      // From before midnight to after it: two days, and the end is not in it.
      TimePeriod: { Start: '2026-11-27', End: '2026-11-29' },
      Granularity: 'DAILY',
      Metrics: ['UnblendedCost', 'UsageQuantity'],
      Filter: { Tags: { Key: 'holdfast:prove', Values: ['yes'] } },
      GroupBy: [{ Type: 'DIMENSION', Key: 'USAGE_TYPE' }],
    });
    expect(asked[0]?.headers).toMatchObject({
      'x-amz-target': 'AWSInsightsIndexService.GetCostAndUsage',
      'content-type': 'application/x-amz-json-1.1',
      authorization: expect.stringMatching(/Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/ce\/aws4_request/),
    });
  });

  it('is nothing before a day has passed: each question costs a cent', async () => {
    await expect(compare(RUN.endedAt + 2 * HOUR_MS)).rejects.toThrow(
      /a day late: ask again in 22 hours\. Nothing was asked/,
    );
    expect(asked).toEqual([]);
  });

  it('goes on with the next page, and adds up the days', async () => {
    const first = { ...day([group('EUC1-WriteRequestUnits', '0.01', '10')]), NextPageToken: 'more' };
    answers = [
      { status: 200, body: first },
      { status: 200, body: day([group('EUC1-WriteRequestUnits', '0.02', '32')]) },
    ];
    const { rows, billed } = await compare();
    expect(asked[1]?.body).toMatchObject({ NextPageToken: 'more' });
    expect(rows.find(({ what }) => what === 'DynamoDB writes')).toMatchObject({ measuredUnits: 42 });
    expect(billed).toBeCloseTo(0.03);
  });
});

describe('what is said', () => {
  it('is each line beside its prediction, units beside units, and all that has no line', async () => {
    answers = [
      {
        status: 200,
        body: day(
          [
            group('EUC1-WriteRequestUnits', '0.031', '49600'),
            group('EUC1-ReadRequestUnits', '0.0004', '3200'),
            group('EUC1-ApiGatewayHttpRequest', '0.013', '13100'),
            group('EUC1-Lambda-GB-Second-ARM', '0.02', '1500'),
            group('EUC1-Request-ARM', '0.004', '20000'),
            group('EUC1-CW:AlarmMonitorUsage', '0.05', '1'),
            group('EUC1-AWSSecretsManager-Secrets', '0.003', '0'),
          ],
          true,
        ),
      },
    ];
    const lines = billLines(await compare(LATER, 2));
    expect(lines[0]).toMatch(
      /^predicted \$0\.\d\d, billed \$0\.12 from 2026-11-27 up to 2026-11-29, as AWS estimates it so far$/,
    );
    const line = (what: string) => lines.find(each => each.startsWith(`  ${what}:`)) ?? '';
    expect(line('API')).toMatch(/predicted \$0\.01, billed \$0\.01; units: predicted 13,\d{3}, measured 13,100$/);
    expect(line('DynamoDB writes')).toMatch(/billed \$0\.03; units: predicted [\d,]+, measured 49,600$/);
    expect(line('DynamoDB reads')).toMatch(/billed less than \$0\.01; units: predicted [\d,]+, measured 3,200$/);
    // Requests and time are two units of one line.
    expect(line('Lambda')).toMatch(/billed \$0\.02$/);
    expect(line('everything else')).toMatch(
      /billed \$0\.05 \(EUC1-CW:AlarmMonitorUsage \$0\.05, EUC1-AWSSecretsManager-Secrets less than \$0\.01\)$/,
    );
    expect(lines.join('\n')).toContain('2 runs of this machine');
    expect(lines.at(-1)).toContain('What carries no tag is in no figure');
  });

  it('that the tag must be activated, where Cost Explorer has nothing under it', async () => {
    answers = [{ status: 200, body: { ResultsByTime: [{ Estimated: true, Groups: [] }] } }];
    await expect(compare()).rejects.toThrow(
      /nothing under the tag holdfast:prove from 2026-11-27 .*Activate that tag for cost allocation.*counts only what is used from then on/,
    );
  });

  it.each([
    [
      { __type: 'AccessDeniedException', Message: 'User: x is not authorized' },
      /needs ce:GetCostAndUsage, and in an organization/,
    ],
    [
      { __type: 'com.amazonaws.ce#DataUnavailableException', message: 'not yet' },
      /answers DataUnavailableException: not yet/,
    ],
  ])('what AWS says of %j', async (body, says) => {
    answers = [{ status: 400, body }];
    await expect(compare()).rejects.toThrow(says);
  });

  it('less than a cent is no zero', () => {
    expect([0, 0.0004, 0.01, 12.345].map(cents)).toEqual(['$0.00', 'less than $0.01', '$0.01', '$12.35']);
  });
});

it('is predicted by the counts of holdfast cost: all lines together are what prove says before it begins', () => {
  for (const isShort of [true, false]) {
    const size = sizeOf(false, isShort);
    const deliveries = size.customers * size.messages * 5 * 1.3;
    const lines = [...predictedLines({ requests: size.events * 1.3, deliveries }).values()];
    const sum = lines.reduce((all, dollars) => all + dollars, 0.3);
    // That includes what is stored for a month, and a fan-out between those counted.
    expect(sum).toBeLessThan(priceOf(size) * 1.02);
    expect(sum).toBeGreaterThan(priceOf(size) * 0.75);
  }
});

describe('which run', () => {
  it('is the newest of the environment in an account; all of those days are counted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-bill-'));
    await expect(lastRun(folder, 'prove')).rejects.toThrow(/No run of prove in an account is kept here/);
    const runs = [
      { ...RUN, requests: 1, startedAt: STARTED - 3 * DAY_MS, endedAt: STARTED - 3 * DAY_MS },
      RUN,
      { ...RUN, environment: 'other', startedAt: STARTED + HOUR_MS, endedAt: STARTED + 2 * HOUR_MS },
      { ...RUN, emulated: true, startedAt: STARTED + DAY_MS },
    ];
    for (const [at, run] of runs.entries()) await writeFile(join(folder, `${at}.json`), JSON.stringify(run));
    expect(await lastRun(folder, 'prove')).toEqual({ run: RUN, runs: 2 });
    await rm(folder, { recursive: true });
  });

  it('is a command of its own, which deploys nothing', async () => {
    const cli = new CliWorld();
    const found = {
      from: 'a',
      to: 'b',
      runs: 1,
      rows: [],
      others: [],
      predicted: 0.41,
      billed: 0.38,
      estimated: false,
    };
    const prove = () => Promise.reject(new Error('deployed'));
    const { code, stdout } = await cli.run(['prove', '--bill'], { prove, proveBill: async () => found });
    expect(code).toBe(0);
    expect(stdout).toContain('predicted $0.41, billed $0.38 from a up to b');
  });
});
