/** Numbers of the guides: those that run, and those that were measured. Whoever changes one is led to the other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_QUEUE,
  DEFAULT_REPLAYS_PER_SECOND,
  DEFAULT_RETENTION_DAYS,
  DEFAULT_THROTTLE,
} from '#core/config/defaults.ts';
import { resolveOutbound } from '#core/config/outbound-config.ts';
import {
  AUDITED_A_NIGHT,
  AUDITED_PER_SECOND,
  MOST_SENDS_PER_SECOND,
  SWEEP_RUN_SECONDS,
  SWEEPER_PER_CORE,
} from '#core/config/sweeper-speed.ts';
import { TTL_ATTRIBUTE } from '#core/glossary.ts';
import { WATCH_SHARDS } from '#core/inbound/protocol/event-item.ts';
import { attemptsOf, SCHEDULES } from '#core/outbound/drain/schedule.ts';
import { synthEnvironment } from '#test/lib/synth/synth-environment.ts';
import { ROOT } from './pages.ts';

const read = (path: string): string => readFileSync(join(ROOT, 'docs', path), 'utf8');
const shown = (value: number): string => value.toLocaleString('en-US');
const rounded = (value: number): string => shown(Number(value.toPrecision(2)));

/** The number at which an alarm of `prod` fires. */
async function firesAt(id: string): Promise<number> {
  const { gateway } = await synthEnvironment('prod');
  const alarms = gateway.findResources('AWS::CloudWatch::Alarm', { Properties: { AlarmName: `holdfast-prod-${id}` } });
  return Object.values(alarms)[0]?.['Properties'].Threshold;
}

describe('docs/operate/scale.md', () => {
  const text = read('operate/scale.md');
  const performance = readFileSync(join(ROOT, 'bench/RESULTS.md'), 'utf8');
  const dollars = Number(/\| dollars per million ok events, batch 10 \| \$([\d.]+) \|/.exec(performance)?.[1]);
  const units = Number(/\| ok event \| ([\d.]+) \|/.exec(performance)?.[1]);

  it('counts with the units and the dollars of bench/RESULTS.md', () => {
    expect(dollars).toBeGreaterThan(1);
    for (const [millions, peak] of [
      [1, 290],
      [10, 1_200],
      [100, 5_800],
    ] as const) {
      const row = text.split('\n').find(line => line.startsWith(`| ${millions} million |`));
      expect(row).toContain(` ${shown(peak)}/s (`);
      expect(row).toContain(
        `| ${rounded(peak * units)} | about $${shown(Number((millions * 30.4 * dollars).toPrecision(1)))} |`,
      );
    }
    expect(text).toContain(`about $${Number((10 * dollars).toPrecision(1))}, and no more`);
    expect(text).toContain(`| ${rounded(4_000 / units)} events/s |`);
    expect(text).toContain(`| ${rounded(40_000 / units)} events/s |`);
    expect(text).toContain(`1,000/s are ${shown(1_000 * units)} write units/s`);
  });

  it('says what one core of the sweeper does, and what is left of it for sends', () => {
    const { sends, arrivals } = SWEEPER_PER_CORE;
    expect(text).toContain(`| a parked event is sent | ${(1_000 / sends).toFixed(1)} ms | ${shown(sends)} |`);
    expect(text).toMatch(new RegExp(`\\| an arrival is read \\| \\d+ µs \\| ${shown(arrivals)} \\|`));
    expect(text).toContain(
      `| a record is audited | ${Math.round(1e6 / AUDITED_PER_SECOND)} µs | ${shown(AUDITED_PER_SECOND)} |`,
    );
    expect(text).toContain(`${rounded(AUDITED_A_NIGHT / 1e6)} million records a night`);
    expect(text).toContain(`${Math.round((100 * 3e8) / AUDITED_A_NIGHT)} % of a night`);
    const most = shown(MOST_SENDS_PER_SECOND);
    expect(text).toContain(`room for ${most} sends a second`);
    // Half of a run for arrivals, each read twice.
    const keptUpWith = Math.floor((arrivals * SWEEP_RUN_SECONDS) / 4 / 60 / 100) * 100;
    expect(text).toContain(`${shown(keptUpWith)} events a second that arrive all the time`);
  });

  it('counts with the defaults', async () => {
    const { batchSize, maxConcurrency, retentionDays } = DEFAULT_QUEUE;
    const atOnce = batchSize * maxConcurrency;
    expect(text).toContain(
      `| ${maxConcurrency} × ${batchSize} | ${atOnce} handlers at once: ${shown(atOnce / 0.1)}/s at 100 ms`,
    );
    expect(text).toContain(
      `at ${atOnce}/s that is room for ${rounded((atOnce * retentionDays * 86_400) / 1e6)} million`,
    );
    expect(text).toContain(`| ${shown(DEFAULT_THROTTLE.rate)}/s, burst ${shown(DEFAULT_THROTTLE.burst)} |`);
    const sentInAMinute = SWEEP_RUN_SECONDS * MOST_SENDS_PER_SECOND;
    expect(text).toContain(`| ${MOST_SENDS_PER_SECOND}/s | ${shown(sentInAMinute)} parked events a minute:`);
    expect(text).toContain(`ten million take ${(1e7 / sentInAMinute / 60).toFixed(0)} hours`);
    expect(text).toContain(`groups of their own, at ${DEFAULT_REPLAYS_PER_SECOND} a second`);
    expect(text).toContain(
      `| ${WATCH_SHARDS} × 1,000 writes/s, two per event | ${shown((WATCH_SHARDS * 1_000) / 2)} events/s`,
    );
    expect(text).toContain(`more than ${DEFAULT_RETENTION_DAYS - 2} days ago is recorded as \`skipped_stale\``);
    expect(text).toContain(`\`process-in-flight-full\` pages at ${shown(await firesAt('process-in-flight-full'))}`);
    expect(text).toContain(`\`ingest-account-concurrency\` warns at ${await firesAt('ingest-account-concurrency')}`);
  });
});

describe('docs/operate/service-levels.md', () => {
  it('has the objectives at which the alarms stand', async () => {
    const text = read('operate/service-levels.md');
    expect(text).toContain(`p99 under ${shown(await firesAt('ingest-slow'))} ms`);
    expect(text).toContain(`p99 from accepted to done under ${await firesAt('process-slow')} ms`);
    expect(text).toContain(`waits under ${await firesAt('sweep-oldest-unfinished')} s`);
    expect(text).toContain(`\`process-queue-age\` at ${await firesAt('process-queue-age')} s (ticket)`);
    expect(text).toContain(`at ${await firesAt('ingest-server-errors')} % of the answers: page`);
    expect(text).toContain(`any, ${await firesAt('ingest-server-errors-count')} answers in a minute`);
  });
});

describe('docs/operate/recover.md', () => {
  it('switches TTL on for the attribute that is written, and gives the time there is', () => {
    const text = read('operate/recover.md');
    expect(text).toContain(`Enabled=true,AttributeName=${TTL_ATTRIBUTE}`);
    expect(text).toContain(`\`queue.retentionDays\` (${DEFAULT_QUEUE.retentionDays})`);
    expect(text).toContain(`at most ${MOST_SENDS_PER_SECOND} a second`);
    expect(text).toContain(`with ${DEFAULT_QUEUE.maxConcurrency} × ${DEFAULT_QUEUE.batchSize} take half a minute`);
  });
});

describe('the guides to sending', () => {
  const retries = read('send/retries.md');
  const customers = read('send/for-your-customers.md');
  const outbound = resolveOutbound({}, { emulated: false, retentionDays: DEFAULT_RETENTION_DAYS });
  const span = (seconds: number): string =>
    `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  const worded = (seconds: number): string =>
    seconds < 60 ? `${seconds} s` : seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;

  it('name every schedule, its attempts and how long it lasts', () => {
    for (const [name, waits] of Object.entries<readonly number[]>(SCHEDULES)) {
      const row = retries.split('\n').find(line => line.startsWith(`| \`${name}\``)) ?? '';
      const lasts = span(waits.reduce((sum, wait) => sum + wait, 0));
      expect(row, name).toContain(`| ${attemptsOf(waits)} | ${lasts} |`);
      if (name !== '7-hours') expect(row).toContain(`| ${waits.map(worded).join(', ')} |`);
    }
    expect(SCHEDULES['7-hours'].slice(0, 3)).toEqual([5, 10, 20]);
    expect(SCHEDULES['7-hours'].at(-1)).toBe(3_600);
  });

  it('say the defaults', () => {
    const { schedule, timeoutSeconds, autoDisableDays, hold, retentionDays } = outbound;
    expect(schedule).toBe(SCHEDULES.standard);
    expect(customers).toContain(
      schedule
        .map(worded)
        .join(', ')
        .replace(/, (\S+ h)$/, ' and $1'),
    );
    expect(customers).toContain(`After ${timeoutSeconds} seconds we stop waiting`);
    expect(customers).toContain(`After ${autoDisableDays} days without a success we disable`);
    expect(customers).toContain(`every ${hold.capSeconds / 60} minutes at the longest`);
    expect(customers).toContain(`We keep messages for ${retentionDays} days.`);
    expect(customers).toContain(`on port ${outbound.ports.join()}`);
    expect(customers).toContain(`\`${outbound.headerPrefix}event\``);
    expect(retries).toContain(`**\`timeoutSeconds\`** (${timeoutSeconds}, at most 30)`);
    expect(retries).toContain(`**\`autoDisableDays\`** (${autoDisableDays})`);
    expect(retries).toContain(
      `after ${hold.baseSeconds} seconds, then after longer waits, up to ${hold.capSeconds / 60} minutes`,
    );
  });
});
