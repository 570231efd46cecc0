/** Alarms as CloudWatch has them. The numbers of one are asked for as it asks itself: its metric, or its metric math. */
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { expect, it } from 'vitest';
import { HOUR_MS } from '#core/time.ts';
import { readAlarmGraph, readAlarmParts } from '#operator/aws/read-alarm-graph.ts';
import { readAlarms } from '#operator/aws/read-alarms.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');

const clientOf = (send: unknown) => Object.assign(new CloudWatchClient({ region: 'eu-central-1' }), { send });

function cloudWatch(alarm: object | undefined, results: readonly object[] = []) {
  const sent: { name: string; input: Record<string, unknown> }[] = [];
  const send = (command: { constructor: { name: string }; input: Record<string, unknown> }) => {
    sent.push({ name: command.constructor.name, input: command.input });
    return Promise.resolve(
      sent.length === 1 ? { MetricAlarms: alarm === undefined ? [] : [alarm] } : { MetricDataResults: results },
    );
  };
  return { sent, client: clientOf(send) };
}

it('asks for the metric of a plain alarm over the last three hours', async () => {
  const { sent, client } = cloudWatch(
    {
      ...{ Namespace: 'AWS/SQS', MetricName: 'Visible', Dimensions: [{ Name: 'QueueName', Value: 'dead' }] },
      ...{ Period: 60, Statistic: 'Maximum', Threshold: 0, ComparisonOperator: 'GreaterThanThreshold' },
      ...{ EvaluationPeriods: 5, DatapointsToAlarm: 3, TreatMissingData: 'notBreaching' },
    },
    [{ Timestamps: [new Date(NOW - 120_000), new Date(NOW - 60_000)], Values: [0, 312] }],
  );
  expect(await readAlarmGraph(client, 'holdfast-prod-x', NOW)).toEqual({
    points: [
      { at: NOW - 120_000, value: 0 },
      { at: NOW - 60_000, value: 312 },
    ],
    from: NOW - 3 * HOUR_MS,
    ...{ periodMs: 60_000, threshold: 0, comparison: 'GreaterThanThreshold' },
    ...{ periods: 5, needed: 3, missing: 'notBreaching' },
  });
  expect(sent.map(({ name }) => name)).toEqual(['DescribeAlarmsCommand', 'GetMetricDataCommand']);
  expect(sent[1]?.input).toMatchObject({
    MetricDataQueries: [{ MetricStat: { Metric: { MetricName: 'Visible' }, Period: 60, Stat: 'Maximum' } }],
    StartTime: new Date(NOW - 3 * HOUR_MS),
  });
});

it('asks metric math as the alarm has it, as far back as the alarm looks', async () => {
  const Metrics = [
    { Id: 'rate', Expression: '100 * errors / all', ReturnData: true },
    { Id: 'errors', ReturnData: false, MetricStat: { Metric: { MetricName: 'Errors' }, Period: 3_600, Stat: 'Sum' } },
    { Id: 'all', ReturnData: false, MetricStat: { Metric: { MetricName: 'All' }, Period: 3_600, Stat: 'Sum' } },
  ];
  const { sent, client } = cloudWatch({ Metrics, EvaluationPeriods: 6, Threshold: 5 });
  const graph = await readAlarmGraph(client, 'x', NOW);
  expect(graph).toMatchObject({ points: [], from: NOW - 18 * HOUR_MS, periods: 6, needed: 6, missing: 'missing' });
  expect(sent[1]?.input['MetricDataQueries']).toEqual(Metrics);
});

it('has none of an alarm over other alarms', async () => {
  const { sent, client } = cloudWatch(undefined);
  expect(await readAlarmGraph(client, 'composite', NOW)).toBeUndefined();
  expect(sent).toHaveLength(1);
});

it('asks for each metric of an alarm by itself, in other periods, page by page', async () => {
  const Metrics = [
    { Id: 'rate', Expression: '100 * errors / all', ReturnData: true },
    { Id: 'errors', ReturnData: false, MetricStat: { Metric: { MetricName: 'Errors' }, Period: 60, Stat: 'Sum' } },
    { Id: 'all', ReturnData: false, MetricStat: { Metric: { MetricName: 'All' }, Period: 60, Stat: 'Sum' } },
  ];
  const inputs: Record<string, unknown>[] = [];
  const send = (command: { input: Record<string, unknown> }) => {
    inputs.push({ ...command.input });
    if (inputs.length === 1) return Promise.resolve({ MetricAlarms: [{ Metrics }] });
    const Values = [inputs.length];
    const NextToken = inputs.length === 2 ? { NextToken: 'more' } : {};
    return Promise.resolve({
      MetricDataResults: [
        { Id: 'all', Values },
        { Id: 'errors', Values },
      ],
      ...NextToken,
    });
  };
  const over = { from: NOW - 24 * HOUR_MS, to: NOW, periodMs: HOUR_MS };
  const parts = await readAlarmParts(clientOf(send), 'x', over);
  expect(parts).toEqual({ all: [2, 3], errors: [2, 3] });
  expect(inputs[1]?.['MetricDataQueries']).toEqual([
    { Id: 'errors', MetricStat: { Metric: { MetricName: 'Errors' }, Period: 3_600, Stat: 'Sum' } },
    { Id: 'all', MetricStat: { Metric: { MetricName: 'All' }, Period: 3_600, Stat: 'Sum' } },
  ]);
  expect(inputs[2]).toMatchObject({ NextToken: 'more' });
  expect(await readAlarmParts(cloudWatch(undefined).client, 'x', over)).toBeUndefined();
});

it('lists all alarms, those in ALARM first, and what one that combines others combines', async () => {
  const arn = 'arn:aws:cloudwatch:eu-central-1:1:alarm:holdfast-prod-a';
  const page = {
    MetricAlarms: [{ AlarmName: 'holdfast-prod-a', StateValue: 'OK' }],
    CompositeAlarms: [
      { AlarmName: 'holdfast-prod-c', StateValue: 'ALARM', AlarmRule: `(ALARM("${arn}") OR ALARM(holdfast-prod-b))` },
    ],
  };
  const [first, second] = await readAlarms(
    clientOf(() => Promise.resolve(page)),
    'holdfast-prod-',
  );
  expect(first).toMatchObject({ name: 'holdfast-prod-c', watches: ['holdfast-prod-a', 'holdfast-prod-b'] });
  expect(second).toEqual({ name: 'holdfast-prod-a', state: 'OK', since: 0, reason: '', description: '' });
});
