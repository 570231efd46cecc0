/** Every alarm there can be, as its description says it, from the stacks of an environment that asks for all of them. */
import { Template } from 'aws-cdk-lib/assertions';
import { defineGateway } from '#core/config/gateway-config.ts';
import { runbookOfAlarm } from '#lib/alarms/runbooks.ts';
import { synthEnvironment } from './synth-environment.ts';

interface ListedAlarm {
  /** Without the environment and the source. */
  readonly id: string;
  readonly severity: string;
  readonly meaning: string;
  readonly firstCommand: string;
  /** The page that its description names. */
  readonly page: string;
  /** Its number and for how long, as it is deployed; of a composite, which alarms ring it. */
  readonly rings: string;
}

const SIGNS: Readonly<Record<string, string>> = {
  GreaterThanThreshold: 'over',
  GreaterThanOrEqualToThreshold: 'at least',
  LessThanThreshold: 'under',
};

/** What an alarm's number is of, by the label or the name of what it watches; any other is a count. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/"Label":"[^"]*percent/i, ' %'],
  [/"MetricName":"\w*(?:Latency|Delay|Duration)"/, ' ms'],
  [/"MetricName":"\w*(?:Age\w*|Lag|ExpiresIn|OnlyFor|ParkedDue|ClockDifference)"/, ' s'],
];

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
function ringsAt(alarm: any): string {
  if (alarm.AlarmRule !== undefined) return 'with its parts';
  const metrics: readonly { Period?: number; MetricStat?: { Period?: number } }[] = alarm.Metrics ?? [alarm];
  const seconds = Math.max(...metrics.map(it => it.Period ?? it.MetricStat?.Period ?? 0));
  const [unit, each] = seconds % 3_600 === 0 ? ['h', seconds / 3_600] : ['min', seconds / 60];
  const [breaching, evaluated] = [alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods, alarm.EvaluationPeriods];
  const span = `${breaching === evaluated ? '' : `${breaching * each} of `}${evaluated * each} ${unit}`;
  const sign = SIGNS[alarm.ComparisonOperator];
  const about = JSON.stringify(metrics);
  const measured = UNITS.find(([names]) => names.test(about))?.[1] ?? '';
  const number = `${sign} ${Number(alarm.Threshold).toLocaleString('en-US')}${measured}`;
  return `${sign === undefined || alarm.Threshold === undefined ? 'outside what is usual' : number}, ${span}`;
}

const SOURCE = 'shopping';
const CONFIG = defineGateway({
  sources: { [SOURCE]: { provider: 'stripe', silence: 'learned', reconcile: { types: ['*'] } } },
  environments: {
    prod: { outbound: { portal: { name: 'Acme' }, contacts: true, email: { from: 'alerts@acme.com' } } },
  },
});

export async function listAlarms(): Promise<readonly ListedAlarm[]> {
  const { stage, gateway, nested } = await synthEnvironment('prod', CONFIG);
  const templates = [
    gateway,
    ...Object.values(nested),
    ...(stage.delivery ? [Template.fromStack(stage.delivery)] : []),
  ];
  return templates
    .flatMap(it =>
      ['Alarm', 'CompositeAlarm'].flatMap(type => Object.values(it.findResources(`AWS::CloudWatch::${type}`))),
    )
    .map(({ Properties }) => {
      const { AlarmName, AlarmDescription: text } = Properties as { AlarmName: string; AlarmDescription: unknown };
      const [, severity = '', meaning = '', firstCommand = '', page = ''] =
        /^(\w+): (.*)\nFirst: (.*)\nRunbook: npm run holdfast -- runbook (\S+) --env prod$/.exec(String(text)) ?? [];
      return {
        ...{ severity, firstCommand, page, id: AlarmName.replace('holdfast-prod-', '').replace(`-${SOURCE}`, '') },
        meaning: meaning.replaceAll(SOURCE, '`<source>`'),
        rings: ringsAt(Properties),
      };
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The head of a runbook: a line for each alarm, those that differ in their table, function or number alone in one. */
export function alarmLines(alarms: readonly ListedAlarm[], page: string): string {
  const groups = Map.groupBy(
    alarms.filter(it => it.page === page),
    ({ id, severity }) => `${runbookOfAlarm(id).name} ${severity}`,
  );
  const rows = [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const name = others.length === 0 ? first.id : `${runbookOfAlarm(first.id).name}-…`;
    return [{ meaning: first.meaning, head: `\`${name}\` (${first.severity}, ${first.rings})` }];
  });
  const lines = [...Map.groupBy(rows, it => it.meaning)].map(
    ([meaning, same]) => `- ${same.map(it => it.head).join(', ')}: ${meaning}\n`,
  );
  return `\n${lines.join('')}`;
}
