/** Tables on terminals of any width: 1. words are never cut; 2. every line fits, unless one word alone does not. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { layOut } from '#cli/table.ts';

const word = fc.stringMatching(/^[a-z0-9_.:/-]{1,40}$/);
const cell = fc.array(word, { minLength: 1, maxLength: 12 }).map(words => words.join(' '));

it('cuts no word, and keeps to the width wherever the longest word does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, word, cell, word), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 60, max: 200 }),
      (rows, width) => {
        const lines = layOut(['A', 'B', 'C', 'D'], rows, width);
        const shown = lines.join('\n').split(/\s+/);
        for (const each of rows.flat().flatMap(text => text.split(' '))) expect(shown).toContain(each);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      },
    ),
    { numRuns: 200 },
  );
});

it('is one line a row where that fits, and everywhere but at a terminal', () => {
  const rows = [['evt_1', 'x '.repeat(200).trim()]];
  expect(layOut(['ID', 'TEXT'], rows, undefined)).toHaveLength(2);
  expect(layOut(['ID', 'TEXT'], [['evt_1', 'short']], 80)).toEqual(['ID     TEXT', 'evt_1  short']);
});

it('takes the short form of ids before it wraps, and wraps texts under their column', () => {
  const id = { long: `evt_stripe.${'x'.repeat(60)}`, short: '..xxxxxxxx' };
  expect(
    layOut(['ID', 'ERROR'], [[id, 'the schema has changed since the last deployment of the bookings']], 60),
  ).toEqual([
    'ID          ERROR',
    '..xxxxxxxx  the schema has changed since the last deployment',
    '            of the bookings',
  ]);
});

it('puts a URL that fits nowhere else on a line of its own, whole', () => {
  const url = `https://gateway.example.com/webhooks/${'s'.repeat(60)}`;
  expect(layOut(['SOURCE', 'URL', 'STATE'], [['stripe', url, 'receiving']], 80)).toEqual([
    'SOURCE  STATE',
    'stripe  receiving',
    `  url  ${url}`,
  ]);
});

it('keeps the colour of a cell on each of its lines', () => {
  const [, first = '', second = ''] = layOut(['A'], [[`\u001b[2m${'word '.repeat(6).trim()}\u001b[22m`]], 20);
  expect([first, second]).toEqual(['\u001b[2mword word word word\u001b[22m', '\u001b[2mword word\u001b[22m']);
});
