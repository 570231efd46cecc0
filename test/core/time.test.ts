import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHttpDate, parseIso, toHour, toIso, toStamp } from '#core/time.ts';

describe('a time as text', () => {
  it('comes back from ISO 8601 as it was', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), ms => {
        expect(parseIso(toIso(ms))).toBe(ms);
      }),
    );
  });

  it('sorts as a key like the number does, before 1970 as 1970', () => {
    const times = fc.tuple(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 0, max: 4e12 }));
    fc.assert(
      fc.property(times, ([a, b]) => {
        expect(toStamp(a) < toStamp(b)).toBe(a < b);
      }),
    );
    expect(toStamp(-5)).toBe(toStamp(0));
  });

  it('names the hour of the timeline', () => {
    fc.assert(
      fc.property(fc.integer({ min: -4e12, max: 4e12 }), fc.integer({ min: 0, max: 90_000_000 }), (ms, later) => {
        for (const at of [ms, ms + later]) expect(toHour(at)).toBe(toIso(at).slice(0, 'YYYY-MM-DDTHH'.length));
      }),
    );
  });

  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21 03:00:00', '2026-11-21T03:00:00.000Z'],
    ['2026-11-21T03:00', '2026-11-21T03:00:00.000Z'],
    ['2026-11-21T03:00:00+0200', '2026-11-21T01:00:00.000Z'],
    ['2028-02-29T23:30-01:00', '2028-03-01T00:30:00.000Z'],
    ['2026-11-21T03:00:00.5-05:30', '2026-11-21T08:30:00.500Z'],
  ])('reads %s as UTC where no zone is given', (text, iso) => {
    expect(toIso(parseIso(text) ?? Number.NaN)).toBe(iso);
  });

  it.each([
    '',
    'now',
    '2026',
    '2026-13-01',
    '21 Nov 2026',
    '2026-11-21T25:00',
    '2026-11-21T03:00:00 CET',
    '1795230000',
    '2026-02-30',
    '2025-02-29T10:00+02:00',
    '2026-04-31T00:00:00Z',
  ])('does not take %j for one', text => {
    expect(parseIso(text)).toBeUndefined();
  });

  it('reads the one form of HTTP dates, and no other', () => {
    expect(parseHttpDate('Sat, 21 Nov 2026 03:00:00 GMT')).toBe(Date.UTC(2026, 10, 21, 3));
    for (const text of ['Sat, 21 Nov 2026 03:00:00', '2026-11-21', '120', 'Sat, 41 Nov 2026 03:00:00 GMT'])
      expect(parseHttpDate(text), text).toBeUndefined();
  });
});
