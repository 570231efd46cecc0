/** What a configuration of the version before is told: every key that is gone, at once, and what takes its place. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GONE } from '#core/config/gone-keys.ts';
import { ConfigError, resolveConfig } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';

const all = (gone: object): object => Object.fromEntries(Object.keys(gone).map(key => [key, 1]));

const BEFORE = {
  sources: {
    github: {
      ...{
        provider: 'github',
        throttle: { rate: 10, burst: 20 },
        retry: { attempts: 3, capSeconds: 9, baseSeconds: 1 },
      },
      ...{ ...all(GONE.source), reconcile: { hooks: ['app'], ...all(GONE.reconcile) } },
    },
  },
  environments: {
    prod: {
      ...{ ...all(GONE.environment), queue: all(GONE.queue), thresholds: all(GONE.thresholds) },
      outbound: { slots: { fast: 9, slow: 3 }, schedule: 'day', ...all(GONE.outbound) },
      otlp: { endpoint: 'https://otlp.example.com', ...all(GONE.otlp) },
    },
  },
};

function problems(): ConfigError['problems'] {
  try {
    resolveConfig(BEFORE as never, 'prod', PROVIDERS);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('a configuration of the version before', () => {
  it('is met with one list of all that is to change', () => {
    const found = problems();
    const gone = Object.values(GONE).flatMap(keys => Object.keys(keys));
    // And three values that have another form: throttle, slots, schedule.
    expect(found).toHaveLength(gone.length + 3);
    for (const { fix } of found) expect(fix).toMatch(/^(?:remove it|write|choose|did you mean)/);
  });

  it('is told the alarm of each threshold that had a name of its own', () => {
    const alarms = readFileSync(join(import.meta.dirname, '../../lib/synth/alarm-numbers.txt'), 'utf8');
    const named = Object.values(GONE.thresholds).map(said => /'([\w-]+)'/.exec(said)?.[1] ?? said);
    const known = new Set(alarms.split('\n').map(line => line.replace(/-stripe$/, '')));
    expect(named.filter(id => !known.has(id))).toEqual([]);
  });
});
