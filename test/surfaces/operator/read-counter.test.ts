/** What is asked of CloudWatch for a counter of a source: exactly the set of dimensions that it is published under. */
import { CloudWatchClient, type GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { expect, it } from 'vitest';
import { dimensionsOf } from '#core/metrics.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { readCounter } from '#operator/aws/read-counter.ts';

const TO = Date.parse('2026-11-28T02:03:00Z');
const OVER = { from: TO - HOUR_MS, to: TO, periodMs: 5 * MINUTE_MS };

it('joins the pages of one sum of each period, oldest first', async () => {
  const inputs: GetMetricDataCommand['input'][] = [];
  const pages = [
    { MetricDataResults: [{ Timestamps: [new Date(TO - HOUR_MS)], Values: [3] }], NextToken: 'more' },
    { MetricDataResults: [{ Timestamps: [new Date(TO)], Values: [1] }] },
  ];
  const send = async ({ input }: GetMetricDataCommand) => pages[inputs.push({ ...input }) - 1];
  const client = Object.assign(new CloudWatchClient({ region: 'eu-central-1' }), { send });
  const of = { metric: 'PreviousSecretMatched', source: 'shop' } as const;
  expect(await readCounter(client, { environment: 'prod', prefix: 'payments' }, of, OVER)).toEqual([
    { at: TO - HOUR_MS, value: 3 },
    { at: TO, value: 1 },
  ]);
  const [stat] = inputs[0]?.MetricDataQueries ?? [];
  expect(inputs[0]).toMatchObject({ StartTime: new Date('2026-11-28T01:00:00Z'), ScanBy: 'TimestampAscending' });
  expect(stat?.MetricStat).toMatchObject({ Period: 300, Stat: 'Sum', Metric: { Namespace: 'payments/Holdfast' } });
  expect(stat?.MetricStat?.Metric?.Dimensions).toEqual([
    { Name: 'environment', Value: 'prod' },
    { Name: 'source', Value: 'shop' },
  ]);
  expect(dimensionsOf(of.metric)).toEqual([['environment', 'source']]);
});
