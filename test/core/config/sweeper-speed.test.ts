import { describe, expect, it } from 'vitest';
import { defineGateway, type EnvironmentConfig } from '#core/config/gateway-config.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import {
  ARRIVALS_READ_PER_SECOND,
  MOST_SENDS_PER_SECOND,
  SWEEP_RUN_SECONDS,
  SWEEPER_MEMORY_MB,
  SWEEPER_PER_CORE,
} from '#core/config/sweeper-speed.ts';
import { PROVIDERS } from '#providers/index.ts';

const resolve = (prod: EnvironmentConfig) =>
  resolveConfig(
    defineGateway({ sources: { default: { provider: 'generic' } }, environments: { prod } }),
    'prod',
    PROVIDERS,
  );

/** Lambda Developer Guide, "Configure Lambda function memory": one vCPU. */
const ONE_CORE_MB = 1_769;

describe('the sweeper', () => {
  /** Of the function's CPU, while a source at its default throttle is read twice. */
  const shareOf = (sendsPerSecond: number): number => {
    const { sends, arrivals } = SWEEPER_PER_CORE;
    const cores = sendsPerSecond / sends + ARRIVALS_READ_PER_SECOND / arrivals;
    return cores / (SWEEPER_MEMORY_MB / ONE_CORE_MB);
  };

  it('reads what arrives in a minute at the default throttle twice in one run', () => {
    expect(ARRIVALS_READ_PER_SECOND * SWEEP_RUN_SECONDS).toBe(2 * 60 * 1_000);
  });

  it('sends what its core does, and hardly less', () => {
    const { sweepSendsPerSecond } = resolve({});
    expect(sweepSendsPerSecond).toBe(MOST_SENDS_PER_SECOND);
    expect(shareOf(sweepSendsPerSecond)).toBeLessThanOrEqual(1);
    expect(shareOf(sweepSendsPerSecond + 50)).toBeGreaterThan(1);
  });

  it('replays no faster than it sends', () => {
    const { replaysPerSecond, sweepSendsPerSecond } = resolve({});
    expect(replaysPerSecond).toBe(50);
    expect(replaysPerSecond).toBeLessThanOrEqual(sweepSendsPerSecond);
  });
});
