import { describe, expect, test } from 'vitest';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';

const NOW = 1_767_571_200_000;

function build(level: 'debug' | 'info' | 'warn' | 'error' = 'info') {
  const lines: string[] = [];
  const telemetry = new EmfTelemetry({ environment: 'prod', level, write: line => lines.push(line), now: () => NOW });
  const parsed = (): Record<string, unknown>[] => lines.map(line => JSON.parse(line) as Record<string, unknown>);
  return { lines, telemetry, parsed };
}

describe('metrics', () => {
  test('are summed over an invocation and printed once, under exactly the dimensions they are defined with', () => {
    const { telemetry, parsed } = build();
    telemetry.count('Accepted', { source: 'stripe', cause: 'not a dimension of it' });
    telemetry.count('Accepted', { source: 'stripe' }, 2);
    telemetry.count('Duplicate', { source: 'stripe' });
    telemetry.flush();
    telemetry.flush();
    expect(parsed()).toEqual([
      {
        _aws: {
          Timestamp: NOW,
          CloudWatchMetrics: [
            {
              Namespace: 'Holdfast',
              Dimensions: [['environment', 'source']],
              Metrics: [{ Name: 'Accepted' }, { Name: 'Duplicate' }],
            },
          ],
        },
        environment: 'prod',
        source: 'stripe',
        Accepted: 3,
        Duplicate: 1,
      },
    ]);
  });

  test('of different sources are on different lines; those of the environment are counted once', () => {
    const { telemetry, parsed } = build();
    telemetry.count('Completed', { source: 'a' });
    telemetry.count('Completed', { source: 'b' });
    telemetry.measure('UnsentOldestAge', 5);
    telemetry.measure('UnsentOldestAge', 7);
    telemetry.flush();
    const lines = parsed();
    expect(lines.map(line => line['source'])).toEqual(['a', 'b']);
    expect(lines.map(line => line['UnsentOldestAge'])).toEqual([[5, 7], undefined]);
  });

  test('of a source are on a line of their own: lines are searched by source, and would bring numbers of others', () => {
    const { telemetry, parsed } = build();
    telemetry.count('DeliveryAttempts', { class: 'timeout' });
    telemetry.count('Completed', { source: 'a' });
    telemetry.flush();
    const { _aws: _, ...ofSource } = parsed().find(line => line['source'] === 'a') ?? {};
    expect(ofSource).toEqual({ environment: 'prod', source: 'a', Completed: 1 });
    expect(parsed().find(line => line['class'] === 'timeout')).not.toHaveProperty('source');
    expect(parsed()).toHaveLength(2);
  });

  test('of the environment alone have a line of their own when there is no other', () => {
    const { telemetry, parsed } = build();
    telemetry.count('SweeperRuns');
    telemetry.flush();
    expect(parsed()).toMatchObject([{ environment: 'prod', SweeperRuns: 1 }]);
  });

  test('of an uncounted source are not printed, whatever their dimensions', () => {
    const lines: string[] = [];
    const telemetry = new EmfTelemetry({
      environment: 'prod',
      level: 'info',
      uncounted: 'holdfast-probe',
      write: line => lines.push(line),
    });
    telemetry.count('Accepted', { source: 'holdfast-probe' });
    telemetry.measure('ProcessingLatency', 5, { source: 'holdfast-probe' });
    telemetry.count('Retries', { source: 'holdfast-probe' });
    telemetry.flush();
    expect(lines).toEqual([]);
    telemetry.measure('ProcessingLatency', 7, { source: 'stripe' });
    telemetry.flush();
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ environment: 'prod', ProcessingLatency: 7 });
  });

  test('are silent when nothing happened', () => {
    const { telemetry, lines } = build();
    telemetry.flush();
    expect(lines).toEqual([]);
  });

  test('of the happy path cost at most 250 bytes in ingest and 340 in process', () => {
    const ingest = build();
    ingest.telemetry.count('Accepted', { source: 'stripe' });
    ingest.telemetry.flush();
    expect(ingest.lines.join('\n').length).toBeLessThanOrEqual(250);
    const process = build();
    process.telemetry.count('Attempts', { source: 'stripe' });
    process.telemetry.count('Completed', { source: 'stripe' });
    process.telemetry.measure('ProcessingLatency', 1_234, { source: 'stripe' });
    process.telemetry.flush();
    expect(process.lines.join('\n').length).toBeLessThanOrEqual(340);
  });
});

describe('a line of level info', () => {
  test('travels with the metrics of its source, one line for both', () => {
    const { telemetry, parsed, lines } = build();
    telemetry.log('info', { stage: 'attempt', source: 'stripe', outcome: 'done' });
    telemetry.count('Completed', { source: 'stripe' });
    expect(lines).toEqual([]);
    telemetry.flush();
    expect(parsed()).toMatchObject([{ level: 'INFO', stage: 'attempt', source: 'stripe', Completed: 1, _aws: {} }]);
  });

  test('stands alone before the next line, beside another source, or where a name is taken', () => {
    const { telemetry, parsed } = build();
    telemetry.log('info', { stage: 'one', source: 'stripe' });
    telemetry.log('warn', { stage: 'two' });
    telemetry.log('info', { stage: 'three', source: 'github' });
    telemetry.count('Completed', { source: 'stripe' });
    telemetry.flush();
    telemetry.log('info', { stage: 'four', source: 'stripe', Completed: 'yes' });
    telemetry.count('Completed', { source: 'stripe' });
    telemetry.flush();
    expect(parsed().map(line => line['stage'] ?? 'metrics')).toEqual([
      'one',
      'two',
      'metrics',
      'three',
      'metrics',
      'four',
    ]);
    expect(parsed().filter(line => '_aws' in line)).toHaveLength(2);
  });
});

describe('log lines', () => {
  test('below the level are not printed', () => {
    const { telemetry, parsed } = build('warn');
    for (const level of ['debug', 'info', 'warn', 'error'] as const) telemetry.log(level, { n: level });
    telemetry.flush();
    expect(parsed().map(line => line['level'])).toEqual(['WARN', 'ERROR']);
  });

  test('are printed at once, each on one line, with control characters stripped', () => {
    const { telemetry, lines, parsed } = build();
    telemetry.log('warn', {
      error: 'a\r\n{"level":"ERROR"}\u001b[31m\u0085\u2028b',
      'forged\nname': 1,
      level: 'FORGED',
      nested: { text: 'x\ny', list: ['\u0000'] },
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/\p{Cc}|\u2028|\\[nru]/u);
    expect(parsed()[0]).toMatchObject({
      level: 'WARN',
      error: 'a {"level":"ERROR"} [31m b',
      'forged name': 1,
      nested: { text: 'x y' },
    });
  });

  test('hold at most 1 KB of a field, of whatever kind', () => {
    const { telemetry, parsed } = build();
    telemetry.log('warn', { text: 'x'.repeat(5_000), nested: { list: Array.from({ length: 5_000 }, () => 'y') } });
    const [line] = parsed();
    expect(line?.['text']).toHaveLength(1_024);
    expect(String(line?.['nested'])).toHaveLength(1_024);
  });

  test('never throw and never hold bytes, whatever they are given', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const { telemetry, parsed } = build();
    telemetry.log('warn', {
      circular,
      big: 2n ** 70n,
      bytes: new Uint8Array(5),
      error: new TypeError('boom'),
      none: undefined,
    });
    expect(parsed()[0]).toMatchObject({
      circular: expect.stringContaining('not loggable'),
      big: '1180591620717411303424',
      bytes: '5 bytes',
      error: 'TypeError: boom',
    });
  });
});
