/** The sizing of deliveries: its rows are those of the loads, agree with Little's law, and cost what `holdfast cost` says. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { Gauge } from '#bench/sizing/gauge.ts';
import { predict } from '#bench/sizing/load.ts';
import { runPlain } from '#bench/sizing/plain-queue.ts';
import { LOADS, type LoadName, type Row } from '#bench/sizing/rows.ts';
import { runLoad } from '#bench/sizing/run-load.ts';
import { COUNTED_FAN_OUTS, countedDelivery, predictDeliveries } from '#operator/cost/predict-deliveries.ts';
import { nearest, perMillion, readSizing } from './sizing-page.ts';

const rows = readSizing();
const names = Object.keys(LOADS) as LoadName[];

describe('the published rows', () => {
  it.each(names)('have as many sessions as the law says (%s)', name => {
    const { sessions, predicted, runs } = rows[name];
    if (predicted.hanging === 0) expect(Math.abs(sessions.mean / predicted.sessions - 1)).toBeLessThan(0.1);
    // Each that hangs holds one at most, and no run is needed that has no session.
    else expect(sessions.mean).toBeGreaterThan(predicted.sessions);
    expect(runs.mean).toBeLessThanOrEqual(predicted.runs);
  });

  it('name the limit that is nearest', () => {
    const { limit, share } = nearest(rows.hangMany);
    expect([limit, share]).toEqual(['slots', 1]);
  });

  it('cost what `holdfast cost` says', () => {
    const counted = { 1: rows.single, 20: rows.usual, 10000: rows.wide };
    for (const fanOut of COUNTED_FAN_OUTS) {
      expect(countedDelivery(fanOut)).toEqual(counted[fanOut].counts);
      const { lines, perMillion: dollars } = predictDeliveries({ perDay: 1e6, fanOut });
      expect(dollars).toBe(perMillion(counted[fanOut].counts));
      const month = lines.reduce((sum, line) => sum + line.dollars, 0);
      expect(month).toBeCloseTo((dollars * 365) / 12, 6);
    }
  });

  it('stand in the words of docs/operate/scale.md', () => {
    const text = readFileSync(new URL('../../docs/operate/scale.md', import.meta.url), 'utf8');
    const { single, usual, peak, hangMany, wide } = rows;
    const runsOf = ({ predicted }: Row): number => Math.ceil(predicted.runs);
    expect(text).toContain(`231/s need ${runsOf(usual)}, 600/s need ${runsOf(peak)};`);
    expect(text).toContain(`rate × ${(peak.predicted.runs / peak.load.perSecond).toFixed(3)} s`);
    expect(text).toContain(`10,000 endpoints have it after ${Math.ceil((wide.wideMost ?? 0) / 1_000)} s`);
    expect(text).toContain(`other messages wait up to ${Math.ceil(wide.times.first.p99 / 1_000)} s meanwhile`);
    expect(hangMany.times.first.most / 60_000).toBeCloseTo(1, 0.5);
    expect(perMillion(usual.counts) / perMillion(single.counts)).toBeCloseTo(0.5, 1);
    const carries = ({ load: { perSecond }, writes }: Row): string =>
      (Math.round((perSecond * 4_000) / writes.outbox / 100) * 100).toLocaleString('en');
    expect(text).toContain(`${carries(single)} to ${carries(peak)} deliveries/s`);
  });

  it('are those of docs/operate/scale.md', () => {
    const text = readFileSync(new URL('../../docs/operate/scale.md', import.meta.url), 'utf8');
    for (const name of names) expect(text).toContain(`| ${LOADS[name].name} |`);
  });

  it('are judged in bench/RESULTS.md', () => {
    const page = readFileSync(new URL('../../bench/RESULTS.md', import.meta.url), 'utf8');
    const { hang, hangSlots, wide } = rows;
    for (const row of [hang, hangSlots])
      expect(page).toContain(`| ${row.times.first.p99} ms | one queue: ${row.plain.p99} ms |`);
    const seconds = (ms = 0): string => `${(ms / 1_000).toFixed(1)} s`;
    expect(page).toContain(`| ${seconds(wide.wideMost)} | one queue: ${seconds(wide.plain.wideMost)} |`);
  });
});

describe('a run', () => {
  const small = { name: 'small', perSecond: 60, fanOut: 20, endpoints: 200, seconds: 4 } as const;

  it('counts the sessions of the law and the units of the page', { timeout: 60_000 }, async () => {
    const ours = await runLoad({ ...small, seconds: 10 }, false);
    expect(ours.times.deliveries).toBe(600);
    expect(ours.sessions.mean / predict(small).sessions).toBeGreaterThan(0.8);
    expect(ours.sessions.mean / predict(small).sessions).toBeLessThan(1.2);
    expect(ours.perDelivery.writeUnits / rows.usual.counts.writeUnits).toBeCloseTo(1, 1);
    expect(ours.writes.outbox).toBeGreaterThan(60);
    expect(ours.toUnhealthy).toBe(0);
  });

  it('keeps the others apart from those that hang, as one queue for all does not', { timeout: 60_000 }, async () => {
    const load = { ...small, perSecond: 200, seconds: 10, unhealthy: 'hang', slots: 60 } as const;
    const [ours, plain] = [await runLoad(load, false), await runPlain(load)];
    expect(ours.toUnhealthy).toBeGreaterThan(0);
    expect(ours.times.first.p99).toBeLessThan(500);
    expect(plain.times.first.p99).toBeGreaterThan(5_000);
  });
});

describe('a gauge', () => {
  it('weighs by time, and forgets what was before', async () => {
    const clock = new VirtualClock();
    const gauge = new Gauge(clock);
    gauge.add(9);
    gauge.add(-8);
    gauge.restart();
    await clock.advanceBy(300);
    gauge.add(3);
    await clock.advanceBy(100);
    expect(gauge.read()).toEqual({ mean: 1.75, most: 4 });
  });
});
