import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contrast, themeCss } from '#core/outbound/portal/theme.ts';

const colour = (text: string) =>
  [1, 3, 5].map(at => Number.parseInt(text.slice(at, at + 2), 16)) as [number, number, number];

it('makes text readable in any colour, on every ground of both themes, and text on it', () => {
  const hexDigits = fc.integer({ min: 0, max: 0xffffff }).map(n => `#${n.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(hexDigits, accent => {
      const [light = '', dark = '', again = ''] = themeCss(accent).split('\n');
      expect(again).toContain(/\{(--accent:.*?)\}/.exec(dark)?.[1] ?? 'nothing');
      for (const [text, grounds] of [
        [light, ['#ffffff', '#f6f6f3']],
        [dark, ['#171b1e', '#0f1214', '#1c2125']],
      ] as const) {
        const [, main = '', ink = '', soft = ''] =
          /--accent:(#\w+);--accent-ink:(#\w+);--accent-soft:(#\w+)/.exec(text) ?? [];
        for (const ground of [...grounds, soft, ink])
          expect(contrast(colour(main), colour(ground)), `${accent}: ${main} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
    }),
    { numRuns: 200 },
  );
});

it('leaves a colour that can be read as it is', () => {
  expect(themeCss('#0b6b5d')).toMatch(/^:root\{--accent:#0b6b5d;--accent-ink:#ffffff;/);
});
