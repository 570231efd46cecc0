/** What we tell others about ourselves, as it goes over the wire: every metric, spans, alarms with plain and hard texts. */
import { nodeCrypto } from '../../../adapters/crypto/node-crypto.ts';
import { EmfTelemetry } from '../../../adapters/telemetry/emf-telemetry.ts';
import { traceAttempt } from '../../../core/inbound/process/attempt-trace.ts';
import type { AlarmNews } from '../../../core/inbound/watch/alarm-news.ts';
import { GAUGES, toOtlp } from '../../../core/inbound/watch/otlp.ts';
import { pagerDutyEvent } from '../../../core/inbound/watch/pagerduty-event.ts';
import { slackMessage } from '../../../core/inbound/watch/slack-message.ts';
import { allMetrics, unitOf } from '../../../core/metrics.ts';

export interface Told {
  readonly kind: 'metrics' | 'traces' | 'slack' | 'pagerDuty';
  readonly name: string;
  readonly body: unknown;
  /** A body of ours with one thing wrong: it must be refused. */
  readonly spoiled?: true;
}

const NOW = Date.UTC(2026, 10, 23, 1);
const SEVERITIES = ['page', 'ticket', 'notice'] as const;
const KEY = 'R0123456789abcdefR0123456789abcd';

const ALARM: AlarmNews = {
  name: 'holdfast-prod-process-new-dead-letters',
  arn: 'arn:aws:cloudwatch:eu-central-1:123456789012:alarm:holdfast-prod-process-new-dead-letters',
  state: 'ALARM',
  description:
    'page: An event has just died.\nFirst: npm run holdfast -- dlq ls --env prod\nRunbook: docs/runbooks/x.md',
  reason: 'Threshold Crossed: 1 datapoint [3.0] was greater than or equal to the threshold (1.0).',
  at: '2026-11-23T01:00:00.123Z',
};
const ALARMS: Readonly<Record<string, AlarmNews>> = {
  plain: ALARM,
  'over again': { ...ALARM, state: 'OK' },
  'without words': { ...ALARM, description: '', reason: '' },
  'with texts far over every limit': {
    ...ALARM,
    name: 'n'.repeat(2_000),
    description: '<&>'.repeat(9_000),
    reason: '😀'.repeat(9_000),
  },
};

export function bodies(): readonly Told[] {
  const { metrics, traces } = otlp();
  const alarms = Object.entries(ALARMS).flatMap(([name, news]) =>
    SEVERITIES.flatMap((severity): Told[] => [
      { kind: 'slack', name: `${name}, ${severity}`, body: slackMessage(news, { environment: 'prod', severity }) },
      {
        kind: 'pagerDuty',
        name: `${name}, ${severity}`,
        body: pagerDutyEvent(news, { environment: 'prod', severity }, KEY),
      },
    ]),
  );
  const all: readonly Told[] = [
    { kind: 'metrics', name: 'every metric', body: metrics },
    { kind: 'traces', name: 'two attempts', body: traces },
    ...alarms,
  ];
  return [
    ...all,
    ...SPOILED.map(([kind, from, to]) =>
      spoil(
        all.find(it => it.kind === kind),
        from,
        to,
      ),
    ),
  ];
}

/** Text of a body, and what it becomes: a misspelt name, a text for a number, an id cut short, a severity nobody has. */
const SPOILED = [
  ['metrics', '"timeUnixNano"', '"timeUnixNanos"'],
  ['metrics', '"aggregationTemporality":1', '"aggregationTemporality":"delta"'],
  ['traces', '"kind":2', '"kind":"2 or so"'],
  ['traces', '"spanId":"', '"spanId":"00'],
  ['slack', '"type":"header"', '"type":"headline"'],
  ['slack', '"type":"mrkdwn"', '"type":"markdown"'],
  ['pagerDuty', '"severity":"critical"', '"severity":"page"'],
  ['pagerDuty', '"summary"', '"summery"'],
] as const;

function spoil(told: Told | undefined, from: string, to: string): Told {
  const text = JSON.stringify(told?.body);
  if (told === undefined || !text.includes(from)) throw new Error(`no body has ${from}`);
  return { ...told, name: `${told.name} with ${to}`, body: JSON.parse(text.replace(from, to)), spoiled: true };
}

/** Every metric and the spans of two attempts, out of the lines that the functions print. */
function otlp(): { readonly metrics?: unknown; readonly traces?: unknown } {
  const lines: { message: string; timestamp: number }[] = [];
  const write = (message: string): void => void lines.push({ message, timestamp: NOW + 900 });
  const telemetry = new EmfTelemetry({ environment: 'prod', level: 'info', write, now: () => NOW });
  const dimensions = { source: 'stripe', cause: 'mismatch', dependency: 's3', class: 'ok', lane: 'fast' };
  for (const name of allMetrics()) {
    if (unitOf(name) === 'Count' && !GAUGES.includes(name)) telemetry.count(name, dimensions, 3);
    else for (const value of [7, 700.5]) telemetry.measure(name, value, dimensions);
  }
  telemetry.flush();
  for (const attempt of [1, 2]) {
    const item = { ingestId: 'a1b2', receivedAt: NOW - 500 };
    const traced = traceAttempt({ item, claimId: `claim-${attempt}`, headers: {} }, true, nodeCrypto);
    telemetry.log('info', {
      ...{ stage: 'attempt', event_id: 'evt_stripe.evt_1', event_type: 'invoice.paid', provider: 'stripe' },
      ...{ source: 'stripe', outcome: attempt === 1 ? 'failed' : 'done', attempt, gen: 1, duration_ms: 120 },
      ...traced?.fields,
    });
  }
  telemetry.flush();
  return toOtlp(lines, { environment: 'prod', version: '0.1.0', logGroup: 'process', logStream: 'one' });
}
