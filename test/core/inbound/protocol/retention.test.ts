import { describe, expect, it } from 'vitest';
import { isPastDedupWindow, isTooOld, livesTooShort } from '#core/inbound/protocol/retention.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { DAY_MS } from '#core/time.ts';
import { HMAC, specWith } from '#test/core/verification/test-spec.ts';

const NOW = 1_767_571_200_000;

it('the window of deduplication is the retention without two days', () => {
  expect(isPastDedupWindow(NOW - 28 * DAY_MS, NOW, 30)).toBe(false);
  expect(isPastDedupWindow(NOW - 28 * DAY_MS - 1, NOW, 30)).toBe(true);
});

// Holds I14.
it('a body that lives a day less than asked for is left as it is, and a shorter life is raised', () => {
  const wanted = 2_000_000_000;
  expect(livesTooShort(wanted, wanted)).toBe(false);
  expect(livesTooShort(wanted - 86_400, wanted)).toBe(false);
  expect(livesTooShort(wanted - 86_401, wanted)).toBe(true);
  expect(livesTooShort(undefined, wanted)).toBe(true);
});

describe('an event is too old to run', () => {
  const spec = (...dates: ('event' | 'object')[]): ProviderSpec => {
    const time = dates.map(it => ({
      from: 'json:created' as const,
      unit: 's' as const,
      ...(it === 'object' ? { dates: it } : {}),
    }));
    return specWith(HMAC, { identity: { key: [['json:id']], type: ['json:type'], time } });
  };
  const old = { signedFresh: false, eventAt: NOW - 29 * DAY_MS, receivedAt: NOW };

  it('when it happened before the window', () => {
    expect(isTooOld(spec('event'), old, 30)).toBe(true);
    expect(isTooOld(spec('event'), { ...old, eventAt: NOW - 28 * DAY_MS }, 30)).toBe(false);
  });

  it('never when a fresh time was signed, when it says no time, or when the time may be that of an object', () => {
    expect(isTooOld(spec('event'), { ...old, signedFresh: true }, 30)).toBe(false);
    expect(isTooOld(spec('event'), { ...old, eventAt: undefined }, 30)).toBe(false);
    expect(isTooOld(spec('object'), old, 30)).toBe(false);
    expect(isTooOld(spec('event', 'object'), old, 30)).toBe(false);
  });
});
