/**
 * What an environment costs in a month without a single event: counted in the synthesized templates, priced from the
 * list below. `npm run write` writes docs/operate/costs.md, the prices of `holdfast cost` and those of the README.
 */
import { Template } from 'aws-cdk-lib/assertions';
import type { EnvironmentConfig } from '#core/config/gateway-config.ts';
import type { OutboundConfig } from '#core/config/outbound-config.ts';
import { dimensionsOf, type MetricName } from '#core/metrics.ts';
import type { AlarmLevel, FixedCost, FixedCosts } from '#operator/cost/fixed-costs.ts';
import { countedStreams } from '#operator/cost/metric-streams.ts';
import { PRICES as PRICES_OF_CALLS } from '#operator/cost/prices.ts';
import {
  BAND_METRICS,
  STANDING_PRICES,
  type StandingCharge,
  standingCharges,
  type TemplateResource,
} from '#operator/cost/standing-charges.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { behindFlatPlan, httpApi, loadBalancer } from './door-prices.ts';
import { type SynthesizedEnvironment, synthEnvironment } from './synth-environment.ts';

/** US dollars, us-east-1, without free tier. */
const PRICES = {
  readOn: STANDING_PRICES.readOn,
  customMetricMonth: 0.3,
  schedulerMillion: 1,
  lambdaRequestMillion: 0.2,
  lambdaArmGbSecond: 0.0000133334,
  provisionedArmGbSecond: 0.0000033334,
  sqsRequestMillion: 0.4,
  dynamoReadMillion: 0.125,
  dynamoWriteMillion: 0.625,
  logsGb: 0.5,
} as const;

/** AWS WAF and CloudFront (North America and Europe, requests over https), read on 2026-11-23. */
const EDGE = { webAcl: 5, rule: 1, wafMillion: 0.6, cloudFrontMillion: 1 } as const;

const HOURS = 730;
const RUNS_PER_MONTH: Readonly<Record<string, number>> = {
  'rate(1 minute)': HOURS * 60,
  'cron(17,37,57 3-6 * * ? *)': (HOURS / 24) * 12,
  'rate(1 hour)': HOURS,
};
/** Measured orders of magnitude of one empty run of the sweeper; they decide cents. */
const SWEEP = { seconds: 0.2, logBytes: 700, controlReads: 5, controlWrites: 1, queueReads: 2 };
/** Lambda polls an empty queue with five pollers, each waiting 20 seconds. */
const POLLS_PER_MINUTE = 15;
/** One run of the probe: what it sends costs as any event does (README), and it looks at the record some times. */
const PROBE = { seconds: 0.6, reads: 10, eventMillion: 8.5 };
/** Emitted by the scheduled functions whether or not anything happens. */
const IDLE_METRICS = [
  'SweeperRuns',
  'UnsentOldestAge',
  'UnfinishedOldestAge',
  'ParkedDue',
  'PausedOldestAge',
  'OpenDeadLetters',
] as const satisfies readonly MetricName[];

export interface CostLine {
  readonly item: string;
  readonly count: string;
  readonly dollars: number;
}

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;

/** The lines of one environment, dearest first. Throws for a schedule it has no number of runs for. */
export function computeIdleCost({ data, gateway: template, nested }: SynthesizedEnvironment): CostLine[] {
  const templates = [data, template, ...Object.values(nested)];
  const charges = standingCharges(templates.flatMap(each => Object.values<Resource>(each.toJSON()['Resources'])));
  const all = (type: string): Resource[] =>
    templates.flatMap(each => Object.values<Resource>(each.findResources(type)).map(found => found.Properties));
  const alarms = all('AWS::CloudWatch::Alarm');
  const standing = (item: StandingCharge['item'], count?: (found: number) => string): CostLine => {
    const charge = charges.find(each => each.item === item);
    if (!charge) throw new Error(`standing-charges.ts has no line for ${item}`);
    return { item, count: count?.(charge.count) ?? `${charge.count}`, dollars: charge.dollars };
  };
  // Each source's own, and not what the gateway has for itself.
  const secrets = all('AWS::SecretsManager::Secret').filter(({ Name }) => !Name.includes('/_')).length;
  const runs = all('AWS::Scheduler::Schedule').map(({ ScheduleExpression }) => {
    const perMonth = RUNS_PER_MONTH[ScheduleExpression];
    if (perMonth === undefined)
      throw new Error(`How often is ${ScheduleExpression} a month? Add it to RUNS_PER_MONTH.`);
    return perMonth;
  });
  const sweeps = Math.max(0, ...runs);
  const memoryGb = (all('AWS::Lambda::Function')[0]?.MemorySize ?? 0) / 1024;
  const [sweeper] = Object.entries<Resource>(template.findResources('AWS::Lambda::Function')).flatMap(([id, found]) =>
    id.startsWith('Sweep') ? [found.Properties] : [],
  );
  const sweeperGb = sweeper.MemorySize / 1024;
  const polls = all('AWS::Lambda::EventSourceMapping').length * POLLS_PER_MINUTE * 60 * HOURS;
  // Two queries for arrivals and one for refusals of each source, which is consistent, and a look at each of two indexes; an
  // empty query reads half a unit.
  const reads = sweeps * (secrets * 2 + 2 * 0.5 + SWEEP.controlReads);
  const probes = all('AWS::Lambda::Function').filter(each => each.Environment.Variables.PROBE_URL).length * sweeps;
  // A zero a minute for each source whose silence is learned.
  const silent = new Set(
    alarms
      .filter(alarm => alarm.ThresholdMetricId)
      .map(alarm => JSON.stringify(alarm.Metrics.find((it: Resource) => it.MetricStat).MetricStat.Metric.Dimensions)),
  ).size;
  const zeroes = silent * dimensionsOf('Accepted').length;
  const warm = all('AWS::Lambda::Alias').reduce(
    (sum, alias) => sum + (alias.ProvisionedConcurrencyConfig?.ProvisionedConcurrentExecutions ?? 0),
    0,
  );
  const perMillion = (count: number, price: number): number => (count / 1e6) * price;

  const lines: CostLine[] = [
    standing('CloudWatch alarms', metrics => `${alarms.length} alarms on ${metrics} metrics`),
    standing('Composite alarms'),
    {
      item: 'Custom metrics',
      count: `${IDLE_METRICS.length + zeroes + Math.min(1, probes)} of the sweeper and the probe`,
      dollars: (IDLE_METRICS.length + zeroes + Math.min(1, probes)) * PRICES.customMetricMonth,
    },
    standing('Dashboard'),
    standing('Secrets'),
    standing('Key of the alarm topics'),
    {
      item: 'SQS',
      count: `${Math.round(polls / 1000)},000 empty polls by Lambda`,
      dollars: perMillion(polls + sweeps * SWEEP.queueReads, PRICES.sqsRequestMillion),
    },
    {
      item: 'Sweeper',
      count: `${sweeps.toLocaleString('en')} runs`,
      dollars:
        perMillion(sweeps, PRICES.schedulerMillion + PRICES.lambdaRequestMillion) +
        sweeps * SWEEP.seconds * sweeperGb * PRICES.lambdaArmGbSecond +
        perMillion(reads, PRICES.dynamoReadMillion) +
        perMillion(sweeps * SWEEP.controlWrites, PRICES.dynamoWriteMillion) +
        ((sweeps * SWEEP.logBytes) / 1e9) * PRICES.logsGb,
    },
    {
      item: 'Probe',
      count: `${probes.toLocaleString('en')} events`,
      dollars:
        perMillion(probes, PROBE.eventMillion + PRICES.schedulerMillion + PRICES.lambdaRequestMillion) +
        probes * PROBE.seconds * memoryGb * PRICES.lambdaArmGbSecond +
        perMillion(probes * PROBE.reads, PRICES.dynamoReadMillion),
    },
    {
      item: 'Warm ingest environments',
      count: `${warm}`,
      dollars: warm * HOURS * 3600 * memoryGb * PRICES.provisionedArmGbSecond,
    },
    { item: 'Tables, queues, bucket, API, topics', count: 'billed by use', dollars: 0 },
  ];
  return lines.filter(line => line.dollars > 0 || line.count === 'billed by use').sort((a, b) => b.dollars - a.dollars);
}

const money = (dollars: number): string => dollars.toFixed(2);
const sumOf = (lines: readonly CostLine[]): number => lines.reduce((sum, line) => sum + line.dollars, 0);

/** The same lines as data, for `holdfast cost`. */
export async function computeFixedCosts(): Promise<FixedCosts> {
  const linesOf = async (alarms: AlarmLevel): Promise<FixedCost[]> => {
    const settings = { sources: gateway.sources, environments: { prod: { alarms } } };
    const lines = computeIdleCost(await synthEnvironment('prod', settings));
    return lines.map(({ item, dollars }) => ({ item, dollars: Math.round(dollars * 100) / 100 }));
  };
  const [all, essential, none] = await Promise.all([linesOf('all'), linesOf('essential'), linesOf('none')]);
  return { all, essential, none };
}

/**
 * What a portal adds to the delivery stack without a call. Throws when it brings something that is billed by time and that
 * is not counted here.
 */
async function portalCost(): Promise<number> {
  const resources = async (outbound: OutboundConfig): Promise<readonly TemplateResource[]> => {
    const { stage } = await synthEnvironment('prod', { ...gateway, environments: { prod: { outbound } } });
    if (stage.delivery === undefined) throw new Error('outbound made no delivery stack');
    return Object.values(Template.fromStack(stage.delivery).toJSON()['Resources']);
  };
  const [without, having] = [await resources({}), await resources({ portal: { name: 'Acme' } })];
  const countOf = (all: readonly TemplateResource[], type: string) => all.filter(each => each.Type === type).length;
  for (const type of ['AWS::Scheduler::Schedule', 'AWS::Lambda::EventSourceMapping', 'AWS::Lambda::Alias'])
    if (countOf(having, type) !== countOf(without, type)) throw new Error(`The portal adds a ${type}: count its cost`);
  const dollars = (all: readonly TemplateResource[]) =>
    standingCharges(all).reduce((sum, charge) => sum + charge.dollars, 0);
  return dollars(having) - dollars(without);
}

/** What the ways in cost for so many requests of 6 KB. */
function frontDoors(millions: number): string {
  const requests = millions * 1_000_000;
  const flat = behindFlatPlan(requests);
  if (flat === undefined) throw new Error(`no flat plan takes ${millions}M requests`);
  const each = [httpApi(requests), flat, loadBalancer(requests, 6_000)].map(dollars => `$${money(dollars)}`);
  return `${millions}M a month: ${each.join(', ')}`;
}

/** The page docs/operate/costs.md, out of the shipped configuration. */
export async function renderIdleCostPage(): Promise<string> {
  const costOf = async (settings: EnvironmentConfig, sources = gateway.sources): Promise<CostLine[]> =>
    computeIdleCost(await synthEnvironment('prod', { sources, environments: { prod: settings } }));
  const [full, essential, none, oneMore, noProbe, reconciled] = await Promise.all([
    costOf({}),
    costOf({ alarms: 'essential' }),
    costOf({ alarms: 'none' }),
    costOf({}, { ...gateway.sources, another: { provider: 'stripe' } }),
    costOf({ probe: false }),
    costOf({}, { ...gateway.sources, stripe: { provider: 'stripe', reconcile: { types: ['*'] } } }),
  ]);
  const row = (line: CostLine): string => {
    const other = (lines: readonly CostLine[]) => money(lines.find(each => each.item === line.item)?.dollars ?? 0);
    return `| ${line.item} | ${line.count} | ${money(line.dollars)} | ${other(essential)} | ${other(none)} |`;
  };
  const sources = Object.keys(gateway.sources).length;
  return `# What an idle environment costs

Dollars a month for \`prod\` as shipped (${sources} sources) without a single event (with: \`holdfast cost --events-per-day 1000000 --body 5k\`): counted in the templates, at list prices of us-east-1 on ${PRICES.readOn}, without the free tier. Made by \`npm run write\`.

| | how many | \`alarms: 'all'\` | \`'essential'\` | \`'none'\` |
|---|---|---|---|---|
${full.map(row).join('\n')}
| **together** | | **${money(sumOf(full))}** | **${money(sumOf(essential))}** | **${money(sumOf(none))}** |

\`disposable: true\` costs the same; \`local\` costs nothing. Each further source adds $${money(sumOf(oneMore) - sumOf(full))}. With events come ${countedStreams().perEnvironment} more custom metrics, and ${countedStreams().perSource} more for each source that receives, at $${money(PRICES.customMetricMonth)} each; failures publish further ones in their hours.

These add a month, and are off until you ask for them:

- \`ingestProvisionedConcurrency: 1\`: $${money(HOURS * 3600 * 0.5 * PRICES.provisionedArmGbSecond)} for each warm copy
- \`reconcile\`: $${money(sumOf(reconciled) - sumOf(full) + PRICES.customMetricMonth)}: a secret, two alarms, a metric
- \`edge\`: $${money(EDGE.webAcl + EDGE.rule + STANDING_PRICES.secret)} ($${money(STANDING_PRICES.secret)} more outside us-east-1), and about $${money(EDGE.cloudFrontMillion + EDGE.wafMillion)} a million requests ([guide](address-limit.md))
- \`outbound\`: about $5.70: 28 alarms on 32 metrics, four metrics and runs of \`tend\`, polls of three queues
- \`outbound.portal\`: $${money(await portalCost())}; a million calls $${money(PRICES_OF_CALLS.httpApiMillion.dollars)} at API Gateway, $${money(PRICES.lambdaRequestMillion)} at Lambda, and their time and reads

These save a month:

- \`silence\` in minutes, of a source: $${money(BAND_METRICS * STANDING_PRICES.alarmMetric + PRICES.customMetricMonth - STANDING_PRICES.alarmMetric)}: an exact alarm for one that learns
- \`silence: 'off'\`, of a source: $${money(BAND_METRICS * STANDING_PRICES.alarmMetric + PRICES.customMetricMonth)}
- \`probe: false\`: $${money(sumOf(full) - sumOf(noProbe))}

## What the front door costs
Requests of 6 KB, one a connection, by the HTTP API, behind CloudFront on a flat plan, by a load balancer. ${[1, 10, 100].map(frontDoors).join('; ')}. Nothing here deploys a load balancer: it has neither a limit per route nor a closed list of routes.
`;
}
