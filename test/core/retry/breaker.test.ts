import { describe, expect, it } from 'vitest';
import { Breaker } from '#core/retry/breaker.ts';

const failing = (breaker: Breaker, times: number, from = 0): number => {
  for (let i = 0; i < times; i++) breaker.record('h', false, from + i * 100);
  return from + times * 100;
};

describe('Breaker', () => {
  it('stays closed below 20 attempts, however many fail', () => {
    const breaker = new Breaker();
    const now = failing(breaker, 19);
    expect(breaker.ask('h', now)).toEqual({ kind: 'run' });
  });

  it('opens when more than half of at least 20 attempts fail within 30 s, and parks', () => {
    const breaker = new Breaker();
    const now = failing(breaker, 20);
    expect(breaker.ask('h', now).kind).toBe('park');
    expect(breaker.ask('other', now)).toEqual({ kind: 'run' });
  });

  it('stays closed when exactly half fail', () => {
    const breaker = new Breaker();
    for (let i = 0; i < 40; i++) breaker.record('h', i % 2 === 0, i * 100);
    expect(breaker.ask('h', 4_000)).toEqual({ kind: 'run' });
  });

  it('forgets failures older than 30 s', () => {
    const breaker = new Breaker();
    failing(breaker, 19);
    breaker.record('h', false, 60_000);
    expect(breaker.ask('h', 60_001)).toEqual({ kind: 'run' });
  });

  it('lets one probe through a second while open', () => {
    const breaker = new Breaker();
    const now = failing(breaker, 20);
    const asked = Array.from({ length: 50 }, (_, i) => breaker.ask('h', now + 1_000 + i * 100).kind);
    expect(asked.filter(kind => kind === 'run')).toHaveLength(5);
  });

  it('drains in growing steps after a good probe and closes in the end', () => {
    const breaker = new Breaker();
    let now = failing(breaker, 20) + 2_000;
    expect(breaker.ask('h', now).kind).toBe('run');
    breaker.record('h', true, now);
    const perSecond: number[] = [];
    for (let second = 0; second < 7; second++) {
      let taken = 0;
      for (let i = 0; i < 100; i++) if (breaker.ask('h', now + i * 10).kind === 'run') taken += 1;
      perSecond.push(taken);
      now += 1_000;
    }
    expect(perSecond).toEqual([1, 2, 5, 10, 20, 50, 100]);
  });

  it('opens again when an attempt fails while draining', () => {
    const breaker = new Breaker();
    const now = failing(breaker, 20) + 2_000;
    breaker.ask('h', now);
    breaker.record('h', true, now);
    breaker.record('h', false, now + 10);
    expect(breaker.ask('h', now + 20).kind).toBe('park');
  });

  it('is open for an event that another environment held back, until a success is seen here', () => {
    const breaker = new Breaker();
    const held = { firstAt: 0, lastAt: 900_000 };
    breaker.record('h', true, 899_999);
    breaker.record('h', false, 1_000_000);
    expect(breaker.backAt('h', 1_000_000)).toBeUndefined();
    expect(breaker.backAt('h', 1_000_000, held)).toBe(1_100_000);
    expect(breaker.backAt('unheard of', 1_000_000, held)).toBe(1_100_000);
    breaker.record('h', true, 1_000_000);
    expect(breaker.backAt('h', 1_000_001, held)).toBeUndefined();
  });
});
