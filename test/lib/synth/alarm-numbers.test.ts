/**
 * The numbers of every alarm of `prod` with webhooks to customers, as they are deployed. A change of one is a decision: the
 * difference is read, and taken with `npx vitest run --project synth test/lib/synth/alarm-numbers.test.ts -u`.
 */
import { Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { expect, it } from 'vitest';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { synthEnvironment } from './synth-environment.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;

function numbersOf(alarm: Resource): string {
  const metrics: Resource[] = alarm.Metrics ?? [
    { ...alarm, MetricStat: { Stat: alarm.Statistic ?? alarm.ExtendedStatistic } },
  ];
  const looks = metrics.flatMap(({ MetricStat: it, Period }) => (it ? [`${it.Stat}/${it.Period ?? Period}s`] : []));
  const says = metrics.flatMap(({ Expression, Label }) => (Expression ? [`${Expression} "${Label ?? ''}"`] : []));
  const topics = JSON.stringify(alarm.AlarmActions ?? []).match(/(?<=Topics)[a-z]+/g) ?? ['nobody'];
  return [
    `tells ${topics.join(', ')}`,
    `${alarm.ComparisonOperator} ${alarm.Threshold ?? 'the band'}, ${alarm.DatapointsToAlarm} of ${alarm.EvaluationPeriods}`,
    [...new Set(looks)].join(' '),
    `missing: ${alarm.TreatMissingData}`,
    ...says,
  ].join('; ');
}

it('stand in alarm-numbers.txt', async () => {
  const { stage } = await synthEnvironment('prod', { ...gateway, environments: { prod: { outbound: {} } } });
  const stacks = stage.node.findAll().filter(it => Stack.isStack(it));
  const lines = stacks.flatMap(stack =>
    Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => `${String(Properties.AlarmName).replace('holdfast-prod-', '')}\n    ${numbersOf(Properties)}`,
    ),
  );
  // One of each kind: the sources differ in nothing but their name.
  const others = Object.keys(gateway.sources).filter(source => source !== 'stripe');
  const own = lines.filter(line => !others.some(source => line.split('\n')[0]?.endsWith(`-${source}`)));
  expect(own.length).toBeGreaterThan(60);
  await expect(`${own.join('\n')}\n`).toMatchFileSnapshot('./alarm-numbers.txt');
});
