import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasRoomForOne, signingKeys } from '#core/outbound/sign/signing-keys.ts';
import { HOUR_MS } from '#core/time.ts';

const key = (kid: string, createdAt: number, more: { notAfter?: number; activatedAt?: number } = {}) => ({
  kid,
  createdAt,
  ...more,
});
const kids = (keys: readonly { kid: string }[]) => keys.map(({ kid }) => kid);

describe('the keys that sign', () => {
  it('are the live ones, newest first, however they are stored', () => {
    const keys = [key('k1', 1, { notAfter: 10 }), key('k3', 3), key('k2', 2, { notAfter: 10 })];
    expect(kids(signingKeys(keys, 10))).toEqual(['k3', 'k2', 'k1']);
    expect(kids(signingKeys(keys, 11))).toEqual(['k3']);
    expect(signingKeys([], 1)).toEqual([]);
  });

  it('of a form with room for one begin with the old one, until the new one is activated or the old one ends', () => {
    const rotated = [key('new', 2, { activatedAt: 50 }), key('old', 1, { notAfter: 40 })];
    expect(kids(signingKeys(rotated, 39))).toEqual(['old', 'new']);
    expect(kids(signingKeys(rotated, 41))).toEqual(['new']);
    const activated = [key('new', 2, { activatedAt: 20 }), key('old', 1, { notAfter: 40 })];
    expect(kids(signingKeys(activated, 19))).toEqual(['old', 'new']);
    expect(kids(signingKeys(activated, 20))).toEqual(['new', 'old']);
  });

  it('serve, through any rotations, every receiver that has any live secret, and none that has a dead one', () => {
    const rotation = fc.record({ at: fc.integer({ min: 0, max: 100 }), grace: fc.integer({ min: 0, max: 168 }) });
    fc.assert(
      fc.property(
        fc.uniqueArray(rotation, { maxLength: 6, selector: ({ at }) => at }),
        fc.integer({ min: 0, max: 400 }),
        (rotations, hour) => {
          const sorted = rotations.toSorted((a, b) => a.at - b.at);
          const keys = [-1, ...sorted.map(({ at }) => at)].map((at, i) => {
            const next = sorted[i];
            return key(`k${i}`, at * HOUR_MS, next ? { notAfter: (next.at + next.grace) * HOUR_MS } : {});
          });
          const now = hour * HOUR_MS;
          const made = keys.filter(({ createdAt }) => createdAt <= now);
          const signing = kids(signingKeys(made, now));
          const live = made.filter(({ notAfter }) => notAfter === undefined || now <= notAfter);
          expect([...signing].sort()).toEqual(kids(live).sort());
          // The first is the newest: what a receiver was given last.
          if (made.length === keys.length) expect(signing[0]).toBe(keys.at(-1)?.kid);
          expect(signing.length).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('knows the forms with room for one', () => {
    const profiles = ['standard', 'standard-v1a', 'timestamp-sha256', 'body-sha256', 't-v1'] as const;
    expect(profiles.filter(hasRoomForOne)).toEqual(['timestamp-sha256', 'body-sha256']);
  });
});
