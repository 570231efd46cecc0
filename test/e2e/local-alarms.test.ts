import { describe, expect, it } from 'vitest';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { MINUTE_MS } from '#core/time.ts';
import { type AlarmDefinition, readAlarms } from '#local/alarms/alarm-definition.ts';
import { momentsUntil } from '#local/alarms/alarms.ts';
import { addEmfLine, requestsIn } from '#local/alarms/collect-metrics.ts';
import { evaluateAlarm } from '#local/alarms/evaluate-alarm.ts';
import { compileMetricMath } from '#local/alarms/metric-math.ts';
import { MetricStore, statistic } from '#local/alarms/metric-store.ts';
import { adaptTemplate, STAND_IN_NAMESPACE } from '#local/stacks/assembly.ts';
import type { DeployedStack } from '#local/stacks/deployed-stack.ts';

describe('metric math', () => {
  const values: Readonly<Record<string, readonly (number | undefined)[]>> = {
    a: [6, 2],
    b: [3, undefined],
    zero: [0, 0],
    none: [undefined, undefined],
  };
  const evaluate = (expression: string, period = 0): number | undefined =>
    compileMetricMath(expression, id => at => values[id]?.[at])(period);

  it.each([
    ['a + b * 2', 12],
    ['(a + b) * 2', 18],
    ['-a + 10', 4],
    ['2 ^ 3', 8],
    ['100 * b / a', 50],
    ['IF(a > 0, 100 * b / a, 0)', 50],
    ['IF(zero > 0, 1, 7)', 7],
    ['IF(a > 5 AND b < 4, 1, 0)', 1],
    ['a > 10 || b == 3', 1],
    ['MAX([a, b, none])', 6],
    ['SUM([a, b])', 9],
    ['FILL(none, 4) + a', 10],
    ['DIFF(a)', 4],
  ])('%s is %d', (expression, expected) => {
    expect(evaluate(expression)).toBe(expected);
  });

  it('is missing where a datapoint it needs is missing, and for a division by zero', () => {
    expect(evaluate('a + b', 1)).toBeUndefined();
    expect(evaluate('IF(none > 0, 1, 0)')).toBeUndefined();
    expect(evaluate('a / zero')).toBeUndefined();
  });

  it('names what it does not know', () => {
    expect(() => evaluate('ANOMALY_DETECTION_BAND(a, 2)')).toThrow(/ANOMALY_DETECTION_BAND is not evaluated locally/);
    expect(() => evaluate('a +')).toThrow(/the end/);
    expect(() => evaluate('a b')).toThrow(/"b" was not expected/);
  });
});

describe('alarms', () => {
  const now = 100 * MINUTE_MS;
  const alarm = (series: readonly (number | undefined)[], change: Partial<AlarmDefinition> = {}): AlarmDefinition => ({
    name: 'alarm',
    periodMs: MINUTE_MS,
    evaluationPeriods: 5,
    datapointsToAlarm: 3,
    threshold: 10,
    comparison: 'GreaterThanOrEqualToThreshold',
    missing: 'notBreaching',
    seriesAt: () => period => series[period],
    ...change,
  });
  const stateOf = (it: AlarmDefinition, since = 0): string | undefined => evaluateAlarm(it, now, since)?.state;

  it('are in ALARM when M of the last N periods breach', () => {
    expect(stateOf(alarm([10, 9, 11, 9, 12]))).toBe('ALARM');
    expect(stateOf(alarm([10, 9, 11, 9, 9, 12]))).toBe('OK');
  });

  it('give no value as a reason that did not count, because nothing ran then', () => {
    const filled = alarm([1, 0, 0, 0, 0], { missing: 'breaching', threshold: 1, comparison: 'LessThanThreshold' });
    expect(evaluateAlarm(filled, now, now - 2 * MINUTE_MS)?.reason).toBe(
      '1 of the last 5 periods of 60 s breach (values: 1, 0; 3 from before the start; 0 missing; LessThanThreshold 1)',
    );
    expect(evaluateAlarm(filled, now, 0)?.reason).toMatch(/^4 of .*values: 1, 0, 0, 0, 0; 0 missing/);
  });

  it('treat missing data as they say', () => {
    const silent: readonly undefined[] = [];
    expect(stateOf(alarm(silent))).toBe('OK');
    expect(stateOf(alarm(silent, { missing: 'breaching' }))).toBe('ALARM');
    expect(stateOf(alarm(silent, { missing: 'missing' }))).toBe('INSUFFICIENT_DATA');
    expect(stateOf(alarm(silent, { missing: 'ignore' }))).toBeUndefined();
  });

  it('look beyond N periods where missing data breaches: the last good ones count until they are out of the range', () => {
    const job = { missing: 'breaching', evaluationPeriods: 2, datapointsToAlarm: 2 } as const;
    const good = [9, 9, 9, 9, 9, 9];
    const stopped = (periods: number): readonly (number | undefined)[] => [...Array(periods).fill(undefined), ...good];
    const states = [0, 1, 2, 3, 4, 5].map(periods => stateOf(alarm(stopped(periods), job)));
    // Told by the last two periods alone it would be ALARM from the third on.
    expect(states).toEqual(['OK', 'OK', 'OK', 'OK', 'OK', 'ALARM']);
    // A metric that is filled is told of at once.
    const filled = [0, 1, 2].map(periods => stateOf(alarm([...Array(periods).fill(11), ...good], job)));
    expect(filled).toEqual(['OK', 'OK', 'ALARM']);
  });

  it('keep their state on a metric of AWS/DynamoDB without a datapoint, whatever they say of missing data', () => {
    for (const missing of ['breaching', 'notBreaching'] as const)
      expect(stateOf(alarm([], { missing, keepsStateWhenMissing: true })), missing).toBeUndefined();
    expect(stateOf(alarm([11, 11, 11], { keepsStateWhenMissing: true }))).toBe('ALARM');
  });

  it('do not count the time before the run as missing', () => {
    const silent = alarm([], { missing: 'breaching' });
    expect(stateOf(silent, now - 3 * MINUTE_MS + 1)).toBe('OK');
    expect(stateOf(silent, now - 3 * MINUTE_MS)).toBe('ALARM');
  });

  it('find a metric only by its whole dimension set, from EMF lines', () => {
    const store = new MetricStore();
    const emf = (source: string, value: number): string =>
      JSON.stringify({
        _aws: {
          Timestamp: now - 1_000,
          CloudWatchMetrics: [
            {
              Namespace: 'Holdfast',
              Dimensions: [['environment'], ['environment', 'source']],
              Metrics: [{ Name: 'Failed' }],
            },
          ],
        },
        environment: 'local',
        source,
        Failed: value,
      });
    addEmfLine(emf('stripe', 2), store);
    addEmfLine(emf('github', 3), store);
    addEmfLine('not json', store);
    const sum = (dimensions: Readonly<Record<string, string>>): number | undefined =>
      statistic('Sum', store.values({ namespace: 'Holdfast', name: 'Failed', dimensions }, now - MINUTE_MS, now));
    expect(sum({ environment: 'local' })).toBe(5);
    expect(sum({ environment: 'local', source: 'stripe' })).toBe(2);
    expect(sum({ source: 'stripe' })).toBeUndefined();
  });

  it('know the requests by what ingest printed of them: the emulator counts no run that API Gateway starts', () => {
    let requests = 0;
    const write = (line: string): void => {
      requests += requestsIn(addEmfLine(line, new MetricStore()));
    };
    const telemetry = new EmfTelemetry({ environment: 'local', level: 'info', write });
    for (const metric of ['Accepted', 'Duplicate', 'RequestRefused'] as const) {
      telemetry.count(metric, { source: 'stripe', cause: 'mismatch' });
      telemetry.flush();
    }
    telemetry.count('UnrecordedAccepted');
    telemetry.flush();
    expect(requests).toBe(3);
  });

  it('are read from the template, with references resolved, and evaluated over the store', () => {
    const stack: DeployedStack = {
      stackName: 'gateway',
      region: 'us-east-1',
      accountId: '000000000000',
      outputs: {},
      exports: {},
      physicalIds: { Dead: 'http://localhost/000000000000/dead-1', Alarm: 'dead-letters' },
      template: {
        Resources: {
          Dead: { Type: 'AWS::SQS::Queue' },
          Alarm: {
            Type: 'AWS::CloudWatch::Alarm',
            Properties: {
              ComparisonOperator: 'GreaterThanOrEqualToThreshold',
              EvaluationPeriods: 1,
              Threshold: 1,
              TreatMissingData: 'notBreaching',
              Metrics: [
                { Id: 'sum', Expression: 'visible + hidden' },
                ...['visible', 'hidden'].map(Id => ({
                  Id,
                  ReturnData: false,
                  MetricStat: {
                    Metric: {
                      Namespace: 'AWS/SQS',
                      MetricName: Id,
                      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': ['Dead', 'QueueName'] } }],
                    },
                    Period: 60,
                    Stat: 'Maximum',
                  },
                })),
              ],
            },
          },
        },
      },
    };
    const store = new MetricStore();
    const { alarms, skipped } = readAlarms([stack], store);
    expect(skipped).toEqual([]);
    const add = (name: string, value: number): void =>
      store.add({ namespace: 'AWS/SQS', name, dimensions: { QueueName: 'dead-1' } }, value, now);
    add('visible', 0);
    add('hidden', 0);
    expect(alarms.map(it => [it.name, stateOf(it)])).toEqual([['dead-letters', 'OK']]);
    add('hidden', 1);
    expect(alarms.map(it => stateOf(it))).toEqual(['ALARM']);
  });

  it('see a datapoint that comes when its period was looked at: a log line may be written late', () => {
    const store = new MetricStore();
    const metric = { namespace: 'Holdfast', name: 'DeadLetter', dimensions: {} };
    const one = alarm([], {
      evaluationPeriods: 1,
      datapointsToAlarm: 1,
      threshold: 1,
      seriesAt: at => period =>
        statistic('Sum', store.values(metric, at - (period + 1) * MINUTE_MS, at - period * MINUTE_MS)),
    });
    const statesUntil = (until: number, last: number) =>
      [...momentsUntil(until, last, store)].map(at => evaluateAlarm(one, at, 0)?.state);
    expect(statesUntil(now, now - 2 * MINUTE_MS)).not.toContain('ALARM');
    store.add(metric, 1, now - 90_000);
    const states = statesUntil(now + 2 * MINUTE_MS, now);
    expect(states).toContain('ALARM');
    expect(states.at(-1)).toBe('OK');
  });

  it('over metric math are deployed as stand-ins of the same name and actions', () => {
    const Properties = {
      AlarmName: 'a',
      AlarmActions: ['topic'],
      Threshold: 5,
      Metrics: [{ Id: 'm', Expression: 'x' }],
    };
    const adapted = adaptTemplate(
      { Resources: { A: { Type: 'AWS::CloudWatch::Alarm', Properties } } },
      'http://127.0.0.1:4566',
      'local',
    );
    const { Metrics, ...rest } = adapted.Resources?.['A']?.Properties ?? {};
    expect(Metrics).toBeUndefined();
    expect(rest).toMatchObject({ AlarmName: 'a', AlarmActions: ['topic'], Namespace: STAND_IN_NAMESPACE });
  });
});
