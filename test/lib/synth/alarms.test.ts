import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import { dimensionsOf, METRIC_NAMESPACE, type MetricName } from '#core/metrics.ts';
import { gatewayMetric } from '#lib/alarms/gateway-metric.ts';
import { ALARM_NAMES, runbookOfAlarm } from '#lib/alarms/runbooks.ts';
import { compileMetricMath } from '#local/alarms/metric-math.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { listAlarms } from './alarm-list.ts';
import { type SynthesizedEnvironment, synthEnvironment } from './synth-environment.ts';

const RUNBOOKS = join(import.meta.dirname, '../../../docs/runbooks');
/** Of the page that the command in a description prints. */
const runbookFile = (description: string): string => `${/-- runbook ([a-z-]+) /.exec(description)?.[1]}.md`;
// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;
let prod: Template;
let local: Template;
beforeAll(async () => {
  prod = wholeOf(await synthEnvironment('prod'));
  local = wholeOf(await synthEnvironment('local'));
});
/** The gateway stack with the resources of its nested stacks among its own. */
function wholeOf({ gateway: outer, nested }: SynthesizedEnvironment): Template {
  const all = [outer, ...Object.values(nested)].map(each => each.toJSON()['Resources'] as object);
  return Template.fromJSON({ ...outer.toJSON(), Resources: Object.assign({}, ...all) });
}
const alarmsOf = (template: Template): Resource[] =>
  [
    ...Object.values(template.findResources('AWS::CloudWatch::Alarm')),
    ...Object.values(template.findResources('AWS::CloudWatch::CompositeAlarm')),
  ].map(alarm => alarm['Properties']);
const alarm = (id: string, template: Template = prod): Resource => {
  const found = alarmsOf(template).find(
    each => each.AlarmName === `holdfast-${template === local ? 'local' : 'prod'}-${id}`,
  );
  expect(found, id).toBeDefined();
  return plain(found);
};
/** An alarm whose one metric is filled, as if it looked at the metric itself. */
function plain(each: Resource): Resource {
  const stat = /^FILL\(reported, /.test(each.Metrics?.[0].Expression) ? each.Metrics[1].MetricStat : undefined;
  if (stat === undefined) return each;
  const { Metric, Period, Stat } = stat;
  return { ...each, ...Metric, Period, [/^p\d/.test(Stat) ? 'ExtendedStatistic' : 'Statistic']: Stat };
}
/** A description as one text; references to resources stand as `<…>`. */
const descriptionOf = (each: Resource): string =>
  typeof each.AlarmDescription === 'string'
    ? each.AlarmDescription
    : each.AlarmDescription['Fn::Join'][1].map((part: unknown) => (typeof part === 'string' ? part : '<…>')).join('');
/** All metrics an alarm looks at. */
const metricsOf = (each: Resource): Resource[] =>
  each.Metrics
    ? each.Metrics.filter((m: Resource) => m.MetricStat).map((m: Resource) => ({
        ...m.MetricStat.Metric,
        Stat: m.MetricStat.Stat,
      }))
    : [
        {
          Namespace: each.Namespace,
          MetricName: each.MetricName,
          Dimensions: each.Dimensions,
          Stat: each.Statistic ?? each.ExtendedStatistic,
        },
      ];

describe('every alarm', () => {
  it('tells somebody when it fires and when it is over', () => {
    for (const each of [...alarmsOf(prod), ...alarmsOf(local)]) {
      expect(each.AlarmActions, each.AlarmName).toHaveLength(1);
      expect(each.OKActions, each.AlarmName).toEqual(each.AlarmActions);
      expect(each.ActionsEnabled ?? true).toBe(true);
    }
  });

  it('says what missing data means', () => {
    for (const each of alarmsOf(prod)) {
      if (each.AlarmRule) continue;
      expect(['breaching', 'notBreaching'], each.AlarmName).toContain(each.TreatMissingData);
    }
  });

  it('has a severity, a meaning, a first command and a runbook that exists', () => {
    for (const each of alarmsOf(prod)) {
      const description = descriptionOf(each);
      expect(description, each.AlarmName).toMatch(
        /^(page|ticket|notice): [A-Z].{20,}\nFirst: (?:aws lambda get-account-settings|npm run holdfast --) .+\nRunbook: npm run holdfast -- runbook [a-z-]+ --env prod$/,
      );
      // The limit of CloudWatch; each reference may grow to the length of an ARN.
      expect(description.length + 150 * (description.split('<…>').length - 1), each.AlarmName).toBeLessThan(1024);
      const runbook = runbookFile(description);
      expect(existsSync(join(RUNBOOKS, runbook)), runbook).toBe(true);
    }
  });

  it('fills with a number and nothing else: REPEAT sticks, RATE jumps on sparse metrics', () => {
    for (const each of alarmsOf(prod)) {
      for (const { Expression = '' } of each.Metrics ?? []) {
        expect(Expression).not.toMatch(/REPEAT|LINEAR|RATE|METRICS\(/);
        for (const [, filler] of Expression.matchAll(/FILL\(\w+, ([^)]+)\)/g)) expect(filler).toMatch(/^\d+$/);
      }
    }
  });

  it('is filled where missing data is to breach, so that no good datapoint of before delays it', () => {
    const breaching = alarmsOf(prod).filter(each => each.TreatMissingData === 'breaching' && !each.ThresholdMetricId);
    expect(breaching.length).toBeGreaterThan(2);
    for (const each of breaching) {
      const expression = each.Metrics?.find((m: Resource) => m.ReturnData !== false)?.Expression ?? '';
      const filler = Number(/^FILL\(reported, (\d+)\)$/.exec(expression)?.[1]);
      const breaks = each.ComparisonOperator.startsWith('Less') ? filler < each.Threshold : filler > each.Threshold;
      expect(breaks, `${each.AlarmName} ${expression}`).toBe(true);
      // CloudWatch has the latest minute late: one of them alone may never decide.
      expect(each.DatapointsToAlarm, each.AlarmName).toBeGreaterThan(1);
    }
  });

  it('waits, where missing data is to breach, until the first data of a first deploy can fill what it looks at', () => {
    for (const each of alarmsOf(prod)) {
      const isFilled = each.TreatMissingData === 'breaching' && !each.ThresholdMetricId;
      expect(each.WarmUpConfiguration !== undefined, each.AlarmName).toBe(isFilled);
      if (!isFilled) continue;
      const { WarmUpPeriodDurationInMinutes: minutes, ...how } = each.WarmUpConfiguration;
      // Filled, it has data from its first moment: a warm-up that data ends would be none.
      expect(how, each.AlarmName).toEqual({ OnlyStartEvaluatingAfterWarmUpPeriodEnds: true });
      const period = each.Metrics.find((m: Resource) => m.MetricStat).MetricStat.Period;
      expect(minutes, each.AlarmName).toBe((period / 60) * each.EvaluationPeriods + 15);
      expect(minutes, each.AlarmName).toBeLessThanOrEqual(2_880);
    }
  });

  it('never looks at a metric of AWS/DynamoDB itself, which would keep its state when the throttling ends', async () => {
    const { stage } = await synthEnvironment('prod', { ...gateway, environments: { prod: { outbound: {} } } });
    const delivery = Template.fromStack(stage.delivery as NonNullable<typeof stage.delivery>);
    const watched = [...alarmsOf(prod), ...alarmsOf(delivery)].filter(
      each => !each.AlarmRule && metricsOf(each).some(m => m.Namespace === 'AWS/DynamoDB'),
    );
    expect(watched).toHaveLength(9);
    for (const each of watched) expect(each.Metrics?.[0].Expression, each.AlarmName).toBe('FILL(reported, 0)');
  });

  it('over metric math has a value when a part of it has none: all that fails is then not one of them', async () => {
    const { stage } = await synthEnvironment('prod', { ...gateway, environments: { prod: { outbound: {} } } });
    const delivery = Template.fromStack(stage.delivery as NonNullable<typeof stage.delivery>);
    const all = [...alarmsOf(prod), ...alarmsOf(delivery)].filter(each => each.Metrics && !each.ThresholdMetricId);
    // The whole, without which there is nothing to say.
    const guards = new Set(['requests', 'attempts', 'whole']);
    for (const each of all) {
      const [{ Expression = '' }, ...parts] = each.Metrics;
      for (const { Id } of parts) {
        const bare = Expression.replaceAll(new RegExp(`FILL\\(${Id},`, 'g'), '').match(new RegExp(`\\b${Id}\\b`, 'g'));
        expect(bare === null || guards.has(Id), `${each.AlarmName}: ${Id} in ${Expression}`).toBe(true);
      }
    }
    const shareAt = (id: string, values: Readonly<Record<string, number>>) => {
      const found = all.find(each => each.AlarmName === `holdfast-prod-${id}`);
      const { Expression = '' } = found.Metrics[0];
      return [compileMetricMath(Expression, name => () => values[name])(0), found.Threshold];
    };
    for (const [id, values] of [
      ['delivery-first-success-low', { whole: 500 }],
      ['delivery-dead', { dead: 500 }],
    ] as const) {
      const [value = 0, threshold] = shareAt(id, values);
      expect(value, id).toBe(100);
      expect(value, id).toBeGreaterThan(threshold);
    }
  });

  it('never counts messages sent to the dead-letter queue: moves by SQS do not count there', () => {
    for (const each of alarmsOf(prod)) {
      for (const metric of metricsOf(each)) expect(metric.MetricName).not.toBe('NumberOfMessagesSent');
    }
  });

  it('looks at no average, which hides the slow hundredth, and at times by their p99', () => {
    const times: string[] = [];
    for (const each of alarmsOf(prod)) {
      if (each.AlarmRule) continue;
      for (const { MetricName, Stat } of metricsOf(each)) {
        expect(Stat, each.AlarmName).toMatch(/^(Sum|Maximum|Minimum|SampleCount|p99)$/);
        if (!/Latency$/.test(MetricName)) continue;
        times.push(MetricName);
        expect(Stat, each.AlarmName).toBe('p99');
      }
    }
    expect(times.sort()).toEqual(['Latency', 'ProbeLatency', 'ProcessingLatency']);
  });

  it('looks at no count of the event source mapping, which exists only where it is asked for', () => {
    for (const each of alarmsOf(prod).filter(it => !it.AlarmRule))
      for (const { MetricName } of metricsOf(each))
        expect(MetricName, each.AlarmName).not.toMatch(/EventCount$|^(OnFailureDestination|Dropped)/);
    for (const mapping of Object.values(prod.findResources('AWS::Lambda::EventSourceMapping')))
      expect(mapping['Properties']).not.toHaveProperty('MetricsConfig');
  });

  it('looks at metrics of ours only under a name and a set of dimensions that the code publishes', () => {
    let seen = 0;
    for (const each of alarmsOf(prod)) {
      for (const metric of metricsOf(each)) {
        if (metric.Namespace !== METRIC_NAMESPACE) continue;
        seen += 1;
        const given = metric.Dimensions.map((dimension: Resource) => dimension.Name).sort();
        const sets = dimensionsOf(metric.MetricName as MetricName).map(set => [...set].sort());
        expect(sets, `${each.AlarmName} ${metric.MetricName}`).toContainEqual(given);
        expect(metric.Dimensions).toContainEqual({ Name: 'environment', Value: 'prod' });
      }
    }
    expect(seen).toBeGreaterThan(20);
  });

  it('evaluates at most a day, beyond which CloudWatch looks only once an hour', () => {
    for (const each of alarmsOf(prod)) {
      if (each.AlarmRule) continue;
      const period = each.Period ?? each.Metrics.find((m: Resource) => m.ReturnData !== false).Period ?? 60;
      // A job of the night may be told of within the hour.
      const most = each.AlarmName.endsWith('-audit-not-running') ? 28 * 3_600 : 86_400;
      expect(period * each.EvaluationPeriods, each.AlarmName).toBeLessThanOrEqual(most);
    }
  });
});

describe('a metric line that CloudWatch does not take', () => {
  it('files a ticket, for each function whose metrics depend on what events hold', () => {
    const logGroupOf = (name: string): unknown =>
      Object.values(prod.findResources('AWS::Lambda::Function')).find(it =>
        JSON.stringify(it['Properties'].LoggingConfig).includes(`"${name}Logs`),
      )?.['Properties'].LoggingConfig.LogGroup;
    for (const name of ['ingest', 'process', 'sweep']) {
      for (const [failure, MetricName] of [
        ['unparsed', 'EMFParsingErrors'],
        ['invalid', 'EMFValidationErrors'],
      ] as const) {
        const LogGroupName = logGroupOf(name.replace(/^./, it => it.toUpperCase()));
        expect(LogGroupName, name).toBeDefined();
        expect(alarm(`${name}-metrics-${failure}`)).toMatchObject({
          Namespace: 'AWS/Logs',
          MetricName,
          Dimensions: [{ Name: 'LogGroupName', Value: LogGroupName }],
          Statistic: 'Sum',
          Threshold: 1,
          ComparisonOperator: 'GreaterThanOrEqualToThreshold',
          EvaluationPeriods: 1,
          TreatMissingData: 'notBreaching',
        });
      }
    }
  });
});

describe('a metric with the wrong dimensions', () => {
  it('is refused at synth, not empty forever', () => {
    expect(() => gatewayMetric('SweeperRuns', { environment: 'prod' }, { dimensions: { source: 'stripe' } })).toThrow(
      /not published under/,
    );
    expect(() => gatewayMetric('Duplicate', { environment: 'prod' }, {})).toThrow(/environment,source/);
  });
});

describe('dead letters', () => {
  it('are a ticket from the first one on, also while a person is looking at it', () => {
    const waiting = alarm('process-dead-letters-waiting');
    expect(waiting).toMatchObject({
      Threshold: 1,
      EvaluationPeriods: 1,
      DatapointsToAlarm: 1,
      TreatMissingData: 'notBreaching',
    });
    expect(
      metricsOf(waiting)
        .map(m => [m.MetricName, m.Stat])
        .sort(),
    ).toEqual([
      ['ApproximateNumberOfMessagesNotVisible', 'Maximum'],
      ['ApproximateNumberOfMessagesVisible', 'Maximum'],
    ]);
    expect(waiting.Metrics.find((m: Resource) => m.Expression).Expression).toBe('FILL(visible, 0) + FILL(hidden, 0)');
    expect(JSON.stringify(waiting.Metrics)).toContain('WorkDead');
    expect(JSON.stringify(waiting.Metrics)).not.toContain('WorkMain');
  });

  it('notify again for the second: an alarm that stays in ALARM says nothing', () => {
    expect(alarm('process-new-dead-letters')).toMatchObject({
      MetricName: 'DeadLettered',
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  it('page once: the alarm of the death itself, which says which event it was', () => {
    const dead = ['process-new-dead-letters', 'process-dead-letters-waiting', 'process-dead-letters-open'];
    const severities = dead.map(id => /^\w+/.exec(descriptionOf(alarm(id)))?.[0]);
    expect(severities).toEqual(['page', 'ticket', 'ticket']);
    for (const id of dead.slice(1)) expect(JSON.stringify(alarm(id).AlarmActions), id).toContain('ticket');
  });

  it('are never hidden behind a composite', () => {
    for (const composite of alarmsOf(prod).filter(each => each.AlarmRule)) {
      expect(JSON.stringify(composite.AlarmRule)).not.toMatch(/dead/i);
    }
  });
});

describe('the queue', () => {
  it('files a ticket when a message waits a minute, pages when it waits ten', () => {
    for (const [id, threshold] of [
      ['process-queue-age', 60],
      ['process-queue-age-page', 600],
    ] as const) {
      expect(alarm(id)).toMatchObject({
        MetricName: 'ApproximateAgeOfOldestMessage',
        Statistic: 'Maximum',
        Threshold: threshold,
        ComparisonOperator: 'GreaterThanThreshold',
        EvaluationPeriods: 5,
        DatapointsToAlarm: 3,
      });
    }
  });

  it('pages when messages wait and nobody takes them', () => {
    const stuck = alarm('process-not-consuming');
    expect(stuck.Metrics.find((m: Resource) => m.Expression).Expression).toBe(
      'IF(FILL(waiting, 0) > 0 AND FILL(received, 0) < 1, 1, 0)',
    );
    expect(stuck).toMatchObject({ EvaluationPeriods: 5, DatapointsToAlarm: 5 });
  });
});

describe('the sweeper', () => {
  it('pages by its silence, once and as what it is: no number says nothing of an event', () => {
    expect(alarm('sweep-not-running')).toMatchObject({
      MetricName: 'SweeperRuns',
      Period: 60,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 5,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
    expect(alarm('sweep-not-running').AlarmDescription).toMatch(
      /^page: No run of the sweeper has ended well for five minutes/,
    );
    for (const id of ['sweep-oldest-unfinished', 'sweep-unsent-records'])
      expect(alarm(id).TreatMissingData, id).toBe('notBreaching');
  });
});

describe('the probe', () => {
  it('pages when it is missing or slow for three minutes, and is on wherever data is kept', async () => {
    expect(alarm('probe-missing-or-slow')).toMatchObject({
      MetricName: 'ProbeLatency',
      ExtendedStatistic: 'p99',
      Period: 60,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 3,
      Threshold: 2_000,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'breaching',
    });
    const functionsOf = (template: Template) => Object.keys(template.findResources('AWS::Lambda::Function')).join();
    expect(functionsOf(prod)).toContain('Probe');
    expect(functionsOf(local)).not.toContain('Probe');
    const without = { ...gateway, environments: { prod: { probe: false } } };
    const template = wholeOf(await synthEnvironment('prod', without));
    expect(functionsOf(template)).not.toContain('Probe');
    expect(JSON.stringify(alarmsOf(template))).not.toContain('ProbeLatency');
  });

  it("sends to the public URL where there is one, else to the API's own", async () => {
    const urlOf = (template: Template): unknown =>
      Object.values(template.findResources('AWS::Lambda::Function')).find(
        it => it['Properties'].Environment.Variables.PROBE_URL,
      )?.['Properties'].Environment.Variables.PROBE_URL;
    expect(JSON.stringify(urlOf(prod))).toMatch(/ApiEndpoint.*\/webhooks\/holdfast-probe/);
    const config = { ...gateway, environments: { prod: { publicUrl: 'https://hooks.example.com' } } };
    expect(urlOf(wholeOf(await synthEnvironment('prod', config)))).toBe(
      'https://hooks.example.com/webhooks/holdfast-probe',
    );
  });

  it("is in no alarm but its own: what it sends is nobody's", () => {
    expect(alarmsOf(prod).filter(each => JSON.stringify(metricsOf(each)).includes('holdfast-probe'))).toEqual([]);
  });
});

describe('the page of new deaths', () => {
  it('goes through the function that says which events died, and to the pager when that fails', () => {
    expect(JSON.stringify(alarm('process-new-dead-letters').AlarmActions)).toContain('deaths');
    prod.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'lambda',
      TopicArn: { Ref: Match.stringLikeRegexp('deaths') },
      Endpoint: { 'Fn::GetAtt': [Match.stringLikeRegexp('Notify'), 'Arn'] },
    });
    prod.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: { Destination: { Ref: Match.stringLikeRegexp('page') } } },
    });
    const others = alarmsOf(prod).filter(each => JSON.stringify(each.AlarmActions).includes('deaths'));
    expect(others.map(each => each.AlarmName)).toEqual(['holdfast-prod-process-new-dead-letters']);
  });
});

describe('a minute of an alarm', () => {
  it('is a minute everywhere but on the local AWS, where only what a schedule reports keeps it', () => {
    const periodsOf = (template: Template): Set<number> =>
      new Set(
        alarmsOf(template)
          .flatMap(each => [each.Period, ...(each.Metrics ?? []).map((m: Resource) => m.MetricStat?.Period)])
          .filter(it => it !== undefined),
      );
    expect(Math.min(...periodsOf(prod))).toBe(60);
    expect(Math.min(...periodsOf(local))).toBe(10);
    for (const id of ['sweep-oldest-unfinished', 'sweep-unsent-records', 'process-dead-letters-open'])
      expect(alarm(id, local).Period, id).toBe(60);
  });
});

describe('the tables', () => {
  it('page when writes are throttled, the indexes each on their own', () => {
    for (const id of ['events', 'payloads', 'watch', 'timeline', 'attention']) {
      const throttled = alarm(`ingest-table-throttled-${id}`);
      const names = throttled.Dimensions.map((d: Resource) => d.Name);
      expect(names.includes('GlobalSecondaryIndexName'), id).toBe(!['events', 'payloads'].includes(id));
    }
  });
});

describe('what one alarm can say of all sources', () => {
  it('is one alarm, whose first command names the source', () => {
    for (const [id, metric] of [
      ['ingest-payload-conflicts', 'NewConflict'],
      ['ingest-too-old-events', 'NewTooOld'],
      ['process-handler-only-fails', 'NewFailingHandler'],
    ]) {
      const told = alarm(id ?? '');
      expect(told).toMatchObject({ MetricName: metric, Period: 60, EvaluationPeriods: 1, Threshold: 1 });
      expect(told.Dimensions).toEqual([{ Name: 'environment', Value: 'prod' }]);
      expect(descriptionOf(told)).toMatch(
        /^ticket: .*The first command names the source\b.*\nFirst: npm run holdfast -- status /,
      );
    }
  });

  it('leaves three alarms to each source, none of them a notice or a second level of another', async () => {
    const countOf = async (count: number): Promise<number> => {
      const sources = Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, { provider: 'stripe' }]));
      return alarmsOf(wholeOf(await synthEnvironment('prod', { sources, environments: { prod: {} } }))).length;
    };
    expect((await countOf(3)) - (await countOf(1))).toBe(2 * 3);
  });
});

describe('a source', () => {
  it('pages when its secret was rotated away, whatever its rate: the sweeper says how long it was refused', () => {
    expect(alarm('ingest-signature-failures-stripe')).toMatchObject({
      MetricName: 'RefusedOnlyFor',
      Dimensions: expect.arrayContaining([{ Name: 'source', Value: 'stripe' }]),
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0,
      Period: 60,
      TreatMissingData: 'notBreaching',
    });
  });

  it('is judged in production as in the drill, whose clock runs thirty times as fast', () => {
    for (const name of ['refusedQuietMs', 'refusedQuietCapMs'] as const)
      expect(LOCAL_TIMINGS[name] * 30).toBe(DEFAULT_TIMINGS[name]);
  });

  it('is watched for silence by what CloudWatch learns: a page far below it, and nothing near the band', () => {
    const silent = alarm('ingest-silent-source-stripe');
    expect(silent).toMatchObject({
      ComparisonOperator: 'LessThanLowerThreshold',
      EvaluationPeriods: 3,
      DatapointsToAlarm: 3,
      TreatMissingData: 'breaching',
    });
    const band = silent.Metrics.find((m: Resource) => m.Id === silent.ThresholdMetricId);
    expect(band.Expression).toMatch(/^ANOMALY_DETECTION_BAND\(\w+, 6\)$/);
    expect(metricsOf(silent)).toMatchObject([{ MetricName: 'Accepted', Stat: 'Sum' }]);
    expect(silent.Metrics.find((m: Resource) => m.MetricStat).MetricStat.Period).toBe(900);
    expect(alarmsOf(prod).filter(each => each.AlarmName.includes('silent'))).toHaveLength(6);
    expect(alarmsOf(local).filter(each => each.AlarmName.includes('silent'))).toEqual([]);
  });

  it('reports a zero every minute where its silence is learned, or silence would be no datapoint', () => {
    const { config } = resolveDeployment(gateway, 'prod', PROVIDERS);
    expect(config.sources.map(source => source.reportSilence)).toEqual(config.sources.map(() => true));
    expect(resolveDeployment(gateway, 'local', PROVIDERS).config.sources.some(it => it.reportSilence)).toBe(false);
  });

  it('pages by its silence after the longest normal one where that is configured', async () => {
    const config = defineGateway({
      sources: { stripe: { provider: 'stripe', silence: 48 } },
      environments: { prod: {} },
    });
    const template = wholeOf(await synthEnvironment('prod', config));
    expect(alarm('ingest-silent-source-stripe', template)).toMatchObject({
      MetricName: 'Accepted',
      TreatMissingData: 'breaching',
      Period: 300,
      EvaluationPeriods: 10,
      DatapointsToAlarm: 10,
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
    });
  });
});

describe('composites', () => {
  it('page once for one incident; their members leave a notice', () => {
    const composites = alarmsOf(prod).filter(each => each.AlarmRule);
    expect(composites.map(each => each.AlarmName).sort()).toEqual([
      'holdfast-prod-ingest-broken',
      'holdfast-prod-processing-broken',
    ]);
    for (const composite of composites) expect(JSON.stringify(composite.AlarmActions)).toContain('page');
    expect(JSON.stringify(alarm('ingest-errors').AlarmActions)).toContain('notice');
    expect(JSON.stringify(alarm('process-queue-age-page').AlarmActions)).toContain('page');
  });

  it('hold a page back during a deploy only where nothing can be lost meanwhile, and for minutes at most', () => {
    const processing = alarm('processing-broken');
    const id = Object.entries(prod.findResources('AWS::CloudWatch::Alarm')).find(
      ([, each]) => each['Properties'].AlarmName === 'holdfast-prod-deploying',
    )?.[0];
    expect(processing).toMatchObject({
      ActionsSuppressor: { 'Fn::GetAtt': [id, 'Arn'] },
      ActionsSuppressorWaitPeriod: 120,
      ActionsSuppressorExtensionPeriod: 120,
    });
    expect(alarm('ingest-broken')).not.toHaveProperty('ActionsSuppressor');
    // Nothing that says "broken" may be missing for as long as a deploy hangs.
    expect(alarm('deploying')).toMatchObject({
      Namespace: 'AWS/Events',
      MetricName: 'TriggeredRules',
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 1,
      TreatMissingData: 'notBreaching',
    });
    for (const never of ['probe-missing-or-slow', 'process-queue-age-page'])
      expect(JSON.stringify(alarm(never).AlarmActions), never).toContain('page');
  });

  it('learn of a deploy from CloudFormation: its beginning and its end, not a rollback', () => {
    const [id, rule] = Object.entries<Resource>(prod.findResources('AWS::Events::Rule'))[0] ?? [];
    expect(metricsOf(alarm('deploying'))[0].Dimensions).toEqual([{ Name: 'RuleName', Value: { Ref: id } }]);
    expect(rule.Properties.EventPattern).toEqual({
      source: ['aws.cloudformation'],
      'detail-type': ['CloudFormation Stack Status Change'],
      detail: {
        'stack-id': [{ Ref: 'AWS::StackId' }],
        'status-details': {
          status: ['CREATE_IN_PROGRESS', 'UPDATE_IN_PROGRESS', 'CREATE_COMPLETE', 'UPDATE_COMPLETE'],
        },
      },
    });
    expect(rule.Properties).toMatchObject({ State: 'ENABLED' });
    local.resourceCountIs('AWS::Events::Rule', 0);
  });

  it('are left out of the local AWS, which cannot deploy them; there the members page', () => {
    expect(alarmsOf(local).filter(each => each.AlarmRule)).toEqual([]);
    expect(JSON.stringify(alarm('ingest-errors', local).AlarmActions)).toContain('page');
  });
});

describe('topics', () => {
  it('are encrypted with a key that lets CloudWatch in, or alarms would reach nobody', () => {
    prod.resourceCountIs('AWS::SNS::Topic', 4);
    prod.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: Match.anyValue() });
    const principal = { Service: 'cloudwatch.amazonaws.com' };
    prod.hasResourceProperties('AWS::KMS::Key', {
      EnableKeyRotation: true,
      KeyPolicy: {
        Statement: Match.arrayWith([
          {
            Effect: 'Allow',
            Principal: principal,
            Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
            Resource: '*',
            Condition: Match.absent(),
          },
        ]),
      },
    });
    const policies = Object.values(prod.findResources('AWS::SNS::TopicPolicy'));
    expect(policies).toHaveLength(4);
    for (const policy of policies) {
      const statements: Resource[] = policy['Properties'].PolicyDocument.Statement;
      // With another service here nobody is told of anything.
      expect(JSON.stringify(statements)).toMatch(/"aws:SourceArn":[^}]*(?:\{[^}]*\}[^}]*)*:cloudwatch:/);
      expect(
        statements.some(
          each =>
            each.Effect === 'Allow' && each.Principal.Service === principal.Service && each.Action === 'sns:Publish',
        ),
      ).toBe(true);
      expect(
        statements.some(each => each.Effect === 'Deny' && each.Condition?.Bool?.['aws:SecureTransport'] === 'false'),
      ).toBe(true);
    }
  });

  it('reach the configured people, by severity', async () => {
    const config = defineGateway({
      ...gateway,
      environments: {
        prod: {
          alarmTargets: { page: [{ https: 'https://events.example.com/x' }], ticket: [{ email: 'team@example.com' }] },
        },
      },
    });
    const template = wholeOf(await synthEnvironment('prod', config));
    // Theirs, and the function's that says which events died.
    template.resourceCountIs('AWS::SNS::Subscription', 3);
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'https',
      TopicArn: { Ref: Match.stringLikeRegexp('page') },
    });
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      TopicArn: { Ref: Match.stringLikeRegexp('ticket') },
    });
  });
});

describe('Slack and PagerDuty', () => {
  const told = {
    page: [{ pagerDuty: 'oncall', region: 'eu' }, { slack: 'team' }],
    ticket: [{ slack: 'team' }],
  } as const;
  const config = defineGateway({ ...gateway, environments: { prod: { alarmTargets: told } } });

  it('are told by the function that is subscribed to their topics, and may read their secrets alone', async () => {
    const { data, gateway: template } = await synthEnvironment('prod', config);
    const names = Object.values(data.findResources('AWS::SecretsManager::Secret')).map(each => each['Properties'].Name);
    const secrets = names.filter(name => name.startsWith('holdfast-alarms/'));
    expect(secrets.sort()).toEqual(['holdfast-alarms/prod/pagerDuty/oncall', 'holdfast-alarms/prod/slack/team']);
    // The page's, the ticket's, and the one that says which events died.
    template.resourcePropertiesCountIs('AWS::SNS::Subscription', { Protocol: 'lambda' }, 3);
    const [environment] = Object.values(template.findResources('AWS::Lambda::Function'))
      .map(each => each['Properties'].Environment?.Variables)
      .filter(each => each?.ALARM_SERVICES);
    const text = JSON.stringify(environment.ALARM_SERVICES);
    expect(text).toMatch(/AlarmsTopicspage.*oncall.*eu.*AlarmsTopicsticket.*team/);
    const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
    const readers = policies.filter(([, policy]) => JSON.stringify(policy).includes('secret:holdfast-alarms/'));
    expect(readers.map(([id]) => id.slice(0, 6))).toEqual(['Notify']);
    expect(JSON.stringify(readers)).not.toMatch(/holdfast-alarms\/[^"]*\*/);
  });

  it('cost an environment nothing that does not name them', async () => {
    const { data, gateway: template } = await synthEnvironment('prod');
    expect(JSON.stringify(data.toJSON())).not.toContain('holdfast-alarms');
    expect(JSON.stringify(template.toJSON())).toContain('"ALARM_SERVICES":"{}"');
  });
});

describe('how many alarms an environment has', () => {
  it('is a choice: all, essential, none', async () => {
    const withAlarms = async (alarms: 'all' | 'essential' | 'none') =>
      alarmsOf(wholeOf(await synthEnvironment('prod', { ...gateway, environments: { prod: { alarms } } })));
    const essential = (await withAlarms('essential')).map(each => each.AlarmName.replace('holdfast-prod-', ''));
    expect(essential).toEqual(
      expect.arrayContaining([
        'process-dead-letters-waiting',
        'process-queue-age-page',
        'sweep-not-running',
        'ingest-errors',
      ]),
    );
    expect(essential.length).toBeLessThan(30);
    expect((await withAlarms('all')).length).toBeGreaterThan(60);
    expect(await withAlarms('none')).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('asks the three questions in order and shows every alarm as a tile', () => {
    const body = JSON.stringify(Object.values(prod.findResources('AWS::CloudWatch::Dashboard'))[0]);
    const at = ['Is it healthy?', 'Is there a backlog?', 'Is there poison?'].map(question => body.indexOf(question));
    expect(at.every(position => position > 0)).toBe(true);
    expect(at).toEqual([...at].sort((a, b) => a - b));
    const names = alarmsOf(prod)
      .filter(each => !each.AlarmRule)
      .map(each => each.AlarmName);
    const tiles =
      body.slice(0, at[0]).split('"Fn::GetAtt"').length - 1 + body.slice(0, at[0]).split(':alarm:').length - 1;
    expect(tiles).toBe(names.length);
    expect(tiles).toBeGreaterThan(60);
  });

  it('shows refused requests by cause, under the dimensions that ingest gives them', () => {
    const body = JSON.stringify(Object.values(prod.findResources('AWS::CloudWatch::Dashboard'))[0]);
    expect(body).toContain(`{${METRIC_NAMESPACE},${dimensionsOf('RequestRefused')[0]?.join()}}`);
    expect(body).toMatch(/Refused, by source and cause.*SEARCH\('.* MetricName=.*RequestRefused/);
  });

  it('says which types die and fail and of what, how long the backlog takes, and the target of the latency', () => {
    const body = JSON.stringify(Object.values(prod.findResources('AWS::CloudWatch::Dashboard'))[0]);
    expect(body.match(/SOURCE '/g)).toHaveLength(2);
    for (const text of [
      'stats count(*) as deaths, latest(error) as last_error by source, event_type, cause',
      'stats count(*) as failures, latest(error) as last_error by source, event_type, cause',
      'waiting / (deleted - sent)',
      'target of p99',
    ])
      expect(body).toContain(text.replaceAll('"', '\\"'));
  });
});

it('each carries its severity, its runbook and its source as tags, by which rules and lists ask for it', () => {
  const tagsOf = (id: string): Record<string, string> =>
    Object.fromEntries((alarm(id).Tags ?? []).map(({ Key, Value }: { Key: string; Value: string }) => [Key, Value]));
  expect(tagsOf('process-queue-age')).toMatchObject({
    'holdfast:severity': 'ticket',
    'holdfast:runbook': 'events-wait',
  });
  expect(tagsOf('ingest-signature-failures-stripe')).toMatchObject({ 'holdfast:source': 'stripe' });
  for (const { AlarmName, Tags, AlarmRule } of alarmsOf(prod))
    if (AlarmRule === undefined) expect([AlarmName, Tags?.length >= 2]).toEqual([AlarmName, true]);
});

it('each name that a runbook is for is of an alarm that some environment has', async () => {
  const ids = (await listAlarms()).map(({ id }) => id);
  const used = new Set(ids.map(id => runbookOfAlarm(id).name));
  expect(ALARM_NAMES.map(({ name }) => name).filter(name => !used.has(name))).toEqual([]);
});
