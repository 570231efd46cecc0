/**
 * Alarms over shares and sums as they are deployed, evaluated as on the local AWS, over the lines that functions write: each
 * rings for what it is for, also where everything fails, and is quiet for what is below it or somebody else's to tell.
 */
import { Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { MINUTE_MS } from '#core/time.ts';
import { type AlarmDefinition, readAlarms } from '#local/alarms/alarm-definition.ts';
import { addEmfLine } from '#local/alarms/collect-metrics.ts';
import { evaluateAlarm } from '#local/alarms/evaluate-alarm.ts';
import { MetricStore } from '#local/alarms/metric-store.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { synthEnvironment } from './synth-environment.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
let alarms: readonly any[];
beforeAll(async () => {
  const { stage } = await synthEnvironment('prod', { ...gateway, environments: { prod: { outbound: {} } } });
  const stacks = stage.node.findAll().filter(it => Stack.isStack(it));
  alarms = stacks.flatMap(stack =>
    Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => Properties,
    ),
  );
});

/** As it is deployed; each resource that it refers to is called `it`. */
function alarmOf(id: string, store: MetricStore): AlarmDefinition {
  const found = alarms.find(({ AlarmName }) => AlarmName === `holdfast-prod-${id}`);
  const Properties = JSON.parse(JSON.stringify(found), (_, value) =>
    (value?.Ref ?? value?.['Fn::ImportValue']) === undefined ? value : 'it',
  );
  const template = { Resources: { [id]: { Type: 'AWS::CloudWatch::Alarm', Properties } } };
  const names = { stackName: 's', region: 'r', accountId: 'a', outputs: {}, exports: {} };
  const read = readAlarms([{ ...names, template, physicalIds: { [id]: id } }], store);
  expect(read.skipped).toEqual([]);
  return read.alarms[0] as AlarmDefinition;
}

type Minute = (telemetry: EmfTelemetry, requests: (count: number) => void) => void;

/** The state of an alarm after each of these minutes. */
function statesOf(id: string, minutes: readonly Minute[]): readonly string[] {
  const store = new MetricStore();
  const alarm = alarmOf(id, store);
  let now = 0;
  const telemetry = new EmfTelemetry({
    environment: 'prod',
    level: 'error',
    write: line => addEmfLine(line, store),
    now: () => now - 1_000,
  });
  const invocations = { namespace: 'AWS/Lambda', name: 'Invocations', dimensions: { FunctionName: 'it' } };
  return minutes.map(minute => {
    now += MINUTE_MS;
    minute(telemetry, count => store.add(invocations, count, now - 1_000));
    telemetry.flush();
    return evaluateAlarm(alarm, now, 0)?.state ?? 'kept';
  });
}
const rings = (id: string, minutes: readonly Minute[]): boolean => statesOf(id, minutes).includes('ALARM');
const times = <T>(count: number, it: T): readonly T[] => Array.from({ length: count }, () => it);

describe('ingest-signature-rejections', () => {
  const minute =
    (requests: number, refused: number, cause = 'mismatch'): Minute =>
    (telemetry, came) => {
      came(requests);
      if (refused > 0) telemetry.count('RequestRefused', { source: 'stripe', cause }, refused);
    };
  it.each([
    ['one of two senders has an old secret', times(5, minute(40, 20)), true],
    ['two in a hundred do not match', times(5, minute(50, 1)), true],
    ['no request matches', times(5, minute(20, 20)), true],
    ['one in a hundred does not match', times(5, minute(100, 1)), false],
    ['all of fewer than a hundred', times(5, minute(19, 19)), false],
    ['a scanner sends no signature', times(5, minute(40, 20, 'missing')), false],
    ['all match', times(5, minute(500, 0)), false],
  ])('%s', (_what, minutes, is) => {
    expect(rings('ingest-signature-rejections', minutes)).toBe(is);
  });

  it('counts them over all sources, and ends when they end', () => {
    const two: Minute = (telemetry, came) => {
      came(100);
      for (const source of ['stripe', 'github']) telemetry.count('RequestRefused', { source, cause: 'mismatch' }, 1);
    };
    const states = statesOf('ingest-signature-rejections', [...times(5, two), ...times(6, minute(100, 0))]);
    expect(states.at(4)).toBe('ALARM');
    expect(states.at(-1)).toBe('OK');
  });
});

describe('process-error-rate', () => {
  const minute =
    (attempts: number, failed: number): Minute =>
    telemetry => {
      if (attempts > 0) telemetry.count('Attempts', { source: 'stripe' }, attempts);
      if (failed > 0) telemetry.count('AttemptsFailed', { source: 'stripe' }, failed);
    };
  const around = (minutes: number, before = 5): readonly Minute[] => [
    ...times(before, minute(50, 0)),
    ...times(minutes, minute(50, 50)),
    ...times(15, minute(50, 0)),
  ];
  it.each([
    ['six in a hundred fail for fifteen minutes', times(15, minute(50, 3)), true],
    ['all of fifty a minute fail for eleven minutes', [...times(5, minute(50, 0)), ...times(11, minute(50, 50))], true],
    ['all of four a minute fail', times(15, minute(4, 4)), true],
    ['five in a hundred fail', times(30, minute(20, 1)), false],
    ['all fail for five minutes', around(5), false],
    ['all fail for five minutes across the borders of periods', around(5, 3), false],
    ['all of fewer than twenty in five minutes', times(30, minute(3, 3)), false],
    ['none fails', times(30, minute(50, 0)), false],
  ])('%s', (_what, minutes, is) => {
    expect(rings('process-error-rate', minutes)).toBe(is);
  });

  it('adds up sources: one of them alone would be too few', () => {
    const four: Minute = telemetry => {
      for (const source of ['stripe', 'github', 'shopify', 'twilio']) {
        telemetry.count('Attempts', { source }, 2);
        telemetry.count('AttemptsFailed', { source }, 1);
        telemetry.flush();
      }
    };
    expect(rings('process-error-rate', times(15, four))).toBe(true);
  });
});

describe('delivery-backlog', () => {
  const audit =
    (waiting: number): Minute =>
    telemetry =>
      telemetry.measure('DeliveriesWaiting', waiting);
  const quiet: Minute = () => {};
  it('is a ticket from ten thousand on, until an audit finds fewer', () => {
    const states = statesOf('delivery-backlog', [
      ...[audit(9_999), ...times(9, quiet)],
      ...[audit(10_000), ...times(9, quiet)],
      ...[audit(0), ...times(9, quiet)],
    ]);
    expect(states.slice(0, 10)).not.toContain('ALARM');
    // Between two audits, too.
    expect(new Set(states.slice(10, 24))).toEqual(new Set(['ALARM']));
    expect(states.at(-1)).toBe('OK');
  });
});

describe('ingest-budget-burn', () => {
  const HOUR = 60;
  /** `throttled` comes from the access log of this gateway. */
  const statesWith = (errors: number | undefined, throttled: number | undefined, requests: number) => {
    const store = new MetricStore();
    const alarm = alarmOf('ingest-budget-burn', store);
    const add = (namespace: string, name: string, dimensions: Record<string, string>, value: number | undefined) => {
      if (value !== undefined) store.add({ namespace, name, dimensions }, value, 20 * HOUR * MINUTE_MS);
    };
    add('AWS/ApiGateway', '5xx', { ApiId: 'it' }, errors);
    add('AWS/ApiGateway', 'Count', { ApiId: 'it' }, requests);
    add('Holdfast/prod', 'Throttled', {}, throttled);
    return evaluateAlarm(alarm, 24 * HOUR * MINUTE_MS, 0)?.state;
  };
  it.each([
    ['four of a thousand got 5xx', 40, undefined, 10_000, 'ALARM'],
    ['all got 5xx', 5_000, undefined, 5_000, 'ALARM'],
    ['four of a thousand got 429', undefined, 40, 10_000, 'ALARM'],
    ['both together', 20, 20, 10_000, 'ALARM'],
    ['three of a thousand, which the objective allows for ten days', 30, undefined, 10_000, 'OK'],
    ['too few to judge', 900, undefined, 900, 'OK'],
    ['nothing went wrong', undefined, undefined, 10_000, 'OK'],
  ])('%s', (_what, errors, throttled, requests, state) => {
    expect(statesWith(errors, throttled, requests)).toBe(state);
  });
});
