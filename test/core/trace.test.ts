/** The cases of w3c/trace-context's own test suite (test/test.py) that concern one `traceparent`. */
import { expect, it } from 'vitest';
import { isSampled, readTraceParent, writeTraceParent } from '#core/trace.ts';

const ID = '12345678901234567890123456789012-1234567890123456';

it.each([
  [`00-${ID}-01`, `00-${ID}-01`],
  [`00-${ID}-00`, `00-${ID}-00`],
  // A higher version: read by the rules of 00, and written as 00.
  [`cc-${ID}-01`, `00-${ID}-01`],
  [`cc-${ID}-01-what-the-future-will-be-like`, `00-${ID}-01`],
])('reads %s', (given, written) => {
  const read = readTraceParent(given);
  expect(read && writeTraceParent(read)).toBe(written);
});

it.each([
  undefined,
  '',
  `ff-${ID}-01`,
  `00-${ID}-01.`,
  `00-${ID}-01-what-the-future-will-be-like`,
  `cc-${ID}-01.what-the-future-will-be-like`,
  `0-${ID}-01`,
  `000-${ID}-01`,
  `.0-${ID}-01`,
  `00-.${ID.slice(1)}-01`,
  `00-${ID}-1`,
  `00-${ID}-0`,
  `00-${ID}-0x`,
  `00-${'0'.repeat(32)}-1234567890123456-01`,
  `00-${'1'.repeat(32)}-${'0'.repeat(16)}-01`,
  `00-${ID.replaceAll('1', 'A')}-01`,
  ` 00-${ID}-01`,
])('takes %s for no trace', given => {
  expect(readTraceParent(given)).toBeUndefined();
});

it('knows what is sampled by the last bit', () => {
  const flags = (text: string) => isSampled({ traceId: '', spanId: '', flags: text });
  expect(['01', '03', 'ff', '00', '02', 'fe'].map(flags)).toEqual([true, true, true, false, false, false]);
});
