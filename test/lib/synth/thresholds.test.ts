import { describe, expect, it } from 'vitest';
import type { Deployment } from '#core/config/deployment.ts';
import { ConfigError } from '#core/config/resolve-config.ts';
import type { AlarmSpec } from '#lib/alarms/alarm-spec.ts';
import { withThresholds } from '#lib/alarms/thresholds.ts';

const spec = (id: string, threshold: AlarmSpec['threshold']): AlarmSpec =>
  ({ id, threshold, severity: 'ticket' }) as unknown as AlarmSpec;
const RECEIVING = [
  spec('process-slow', 500),
  spec('process-queue-age', 60),
  spec('process-queue-age-page', 600),
  spec('ingest-silent-source', { bandWidth: 6 }),
];
const SENDING = [spec('delivery-dead', 10)];

function judged(thresholds: Record<string, number>, half: 'receiving' | 'sending', outbound?: object) {
  const deployment = { thresholds, config: { environment: 'prod', outbound } } as unknown as Deployment;
  const specs = withThresholds(half === 'receiving' ? RECEIVING : SENDING, deployment, half);
  return Object.fromEntries(specs.map(({ id, threshold }) => [id, threshold]));
}
function problemsOf(...parameters: Parameters<typeof judged>) {
  try {
    judged(...parameters);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

describe('thresholds by alarm id', () => {
  it('replace the number of the alarm, in both halves, and leave the others', () => {
    const given = { 'process-slow': 900, 'delivery-dead': 3 };
    expect(judged(given, 'receiving', {})).toMatchObject({ 'process-slow': 900, 'process-queue-age': 60 });
    expect(judged(given, 'sending', {})).toEqual({ 'delivery-dead': 3 });
  });

  it('of a misspelled alarm are refused, with the one that was meant', () => {
    expect(problemsOf({ 'proces-slow': 1 }, 'receiving')).toMatchObject([
      {
        path: 'environments.prod.thresholds."proces-slow"',
        given: '"proces-slow", no alarm of this environment that fires at a number',
        allowed: 'process-queue-age, process-queue-age-page, process-slow',
        fix: 'did you mean process-slow?',
      },
    ]);
    expect(problemsOf({ 'delivery-daed': 1 }, 'sending', {})).toMatchObject([{ fix: 'did you mean delivery-dead?' }]);
  });

  it('of an alarm that this environment does not have, or that learns its number, are refused', () => {
    expect(problemsOf({ 'delivery-dead': 1 }, 'receiving')).toHaveLength(1);
    expect(problemsOf({ 'ingest-silent-source': 1 }, 'receiving')).toHaveLength(1);
  });

  it('never put a page before its ticket', () => {
    expect(problemsOf({ 'process-queue-age': 600 }, 'receiving')).toMatchObject([
      { allowed: expect.stringMatching('before a page') },
    ]);
    expect(problemsOf({ 'process-queue-age': 599 }, 'receiving')).toEqual([]);
  });

  it('fail as a configuration does', () => {
    expect(() => judged({ nothing: 1 }, 'receiving')).toThrow(ConfigError);
  });
});
