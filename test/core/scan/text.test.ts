import fc from 'fast-check';
import { expect, it } from 'vitest';
import { capText } from '#core/scan/text.ts';

it('leaves text that fits as it is', () => {
  expect(capText('Grüße, 世界 👋', 200)).toBe('Grüße, 世界 👋');
});

it('takes control characters out, and makes halves of characters whole', () => {
  expect(capText('a\u0000\u001b[31mb\nc', 100)).toBe('a [31mb c');
  expect(capText('a\ud83d', 100)).toBe('a\ufffd');
});

it('is never longer than the limit, ends a cut with an ellipsis, and cuts no character in two', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 8, max: 200 }), (text, limit) => {
      const capped = capText(text, limit);
      expect(Buffer.byteLength(capped)).toBeLessThanOrEqual(limit);
      expect(capped.isWellFormed()).toBe(true);
      if (!text.includes('\ufffd')) expect(capped).not.toContain('\ufffd');
      if (Buffer.byteLength(text) > limit) expect(capped.endsWith('…')).toBe(true);
    }),
  );
});
