import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Scheme, TimeUnit } from '#core/provider/provider-spec.ts';
import { parseEventTime } from '#core/verification/timestamps.ts';
import { HMAC, NOW_MS, outcome, requestWith, specWith } from './test-spec.ts';

const mac = (text: string) => createHmac('sha256', 'secret').update(text).digest('hex');

describe('a signed time', () => {
  const send = (time: string, unit: TimeUnit, nowMs = Date.parse('2026-11-23T16:00:00Z')) => {
    const scheme: Scheme = {
      ...HMAC,
      message: '{ts}.{body}',
      time: { from: 'header:x-time', unit, past: 1, future: 1, signed: true },
    };
    const headers = { 'x-signature': mac(`${time}.{}`), 'x-time': time };
    return outcome(specWith(scheme), requestWith('{}', { headers }), { nowMs });
  };

  it.each([
    '2026-11-23T16:00:00Z',
    '2026-11-23T16:00:00.123456789Z',
    '2026-11-23T18:00:00+02:00',
    '2026-11-23T11:00-0500',
  ])('%s is a moment', async time => {
    expect(await send(time, 'iso8601')).toBe('verified');
  });

  it.each([
    '2026-11-23T16:00:00',
    '2026-11-23 16:00:00Z',
    '2026-11-23',
    '2026-11-23T16:00:00+2:00',
    'x2026-11-23T16:00:00Z',
  ])('%s is somebody’s local time, or none', async time => {
    expect(await send(time, 'iso8601')).toBe('malformed');
  });

  it('counts to the minute in its zone', async () => {
    expect(await send('2026-11-23T18:00:00+01:00', 'iso8601')).toBe('future');
    expect(await send('2026-11-23T18:00:00+0230', 'iso8601')).toBe('stale');
  });

  it('that is empty is missing', async () => {
    expect(await send('', 's')).toBe('missing');
  });

  it('comes twice in a header only, and the same', async () => {
    const now = String(NOW_MS / 1_000);
    const scheme = (from: 'header:x-time' | 'json:time'): Scheme => ({
      ...HMAC,
      message: '{ts}.{body}',
      time: { from, unit: 's', past: 1, signed: true },
    });
    const signed = (body: string, headers: Record<string, string>, from: 'header:x-time' | 'json:time') =>
      outcome(
        specWith(scheme(from)),
        requestWith(body, { headers: { ...headers, 'x-signature': mac(`${now}.${body}`) } }),
      );
    expect(await signed('{}', { 'x-time': `${now}, ${now}` }, 'header:x-time')).toBe('verified');
    expect(await signed('{}', { 'x-time': `${now}, 1` }, 'header:x-time')).toBe('duplicate_header');
    expect(await signed(`{"time":"${now}"}`, {}, 'json:time')).toBe('verified');
    expect(await signed(`{"time":"${now}, ${now}"}`, {}, 'json:time')).toBe('malformed');
  });
});

describe("an event's own time", () => {
  it('may have a fraction', () => {
    expect(parseEventTime('1790000000.25', 's')).toBe(1_790_000_000_250);
    expect(parseEventTime('1790000000000.25', 'ms')).toBe(1_790_000_000_000);
  });

  it('is none when a program writes that it has none: no event is too old for that', () => {
    for (const none of ['0', '0.0'])
      expect([parseEventTime(none, 's'), parseEventTime(none, 'ms')]).toEqual([undefined, undefined]);
    for (const none of ['1970-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '0001-01-01T00:00:00Z'])
      expect(parseEventTime(none, 'iso8601'), none).toBeUndefined();
    expect(parseEventTime('0.001', 's')).toBe(1);
  });

  it('is none in any other form of a number', () => {
    for (const text of ['0x10', '1e9', '1790000000 ', ' 1790000000', '1790000000.', '-1', 'x1', '1x', '']) {
      expect(parseEventTime(text, 's'), text).toBeUndefined();
      expect(parseEventTime(text, 'ms'), text).toBeUndefined();
    }
  });
});
