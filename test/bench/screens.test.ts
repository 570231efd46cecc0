/** Claim: no screen and no command reads more than fifty units, or takes a second, without saying so first. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openMillion } from '#bench/screens/million.ts';
import { BUSY, isMuch, type Looked, lookAtAll, lookAtBusy } from '#bench/screens/screens.ts';

/** The newest of a million. */
const [EVENTS, DEATHS] = [4_000, 400];
/** The endpoint that fails is as in the benchmark; there are a thousand others. */
const SENT = { deliveries: 2_000, endpoints: 10 };
/** They are asked for again and again, and say no number first. */
const FIRST = ['console: now, the first screen', 'holdfast status'];
const OF_MANY = ['console: /api/now, 1000 endpoints', 'holdfast status, 1000 endpoints'];

describe('among a million events', () => {
  let all: readonly Looked[];
  beforeAll(async () => {
    all = await lookAtAll(await openMillion(EVENTS, DEATHS, 1_000_000), undefined, SENT);
  }, 120_000);

  it('each says how much it will read before it reads much', () => {
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter(each => isMuch(each) && each.said === undefined)).toEqual([]);
    const said = all.flatMap(it => it.said ?? []);
    expect(said.filter(it => it.startsWith('reads '))).toContain('reads {"events":400,"units":400,"dollars":0.00005}');
    expect(said).toContain('Reads about 400 events: 400 read units, $0.000050. Ctrl-C ends it');
  });

  it('about as much as it then reads', () => {
    const [hour] = all.filter(({ name }) => name.startsWith('holdfast replay --since 1h'));
    const about = Number(/about ([\d,]+)/.exec(hour?.said ?? '')?.[1]?.replaceAll(',', ''));
    expect(about / (hour?.readUnits ?? 0)).toBeGreaterThan(0.7);
    expect(about / (hour?.readUnits ?? 0)).toBeLessThan(1.3);
  });

  it('the first screens read little', () => {
    const first = all.filter(({ name }) => [...FIRST, ...OF_MANY].includes(name));
    expect(first.map(isMuch)).toEqual([false, false, false, false]);
    expect(all.find(({ name }) => name === 'console: /api/out, 1000 endpoints')?.said).toMatch(
      /^reads {"endpoints":1001,"units":1[34]\d\d,/,
    );
  });

  it('what reads little says nothing of it', () => {
    const little = all.filter(each => !isMuch(each) && each.said !== undefined);
    expect(little).toEqual([]);
  });
});

it('at a million events a day the screens that ask again and again read little', async () => {
  expect((await lookAtBusy(await openMillion(...BUSY))).filter(isMuch)).toEqual([]);
}, 60_000);
