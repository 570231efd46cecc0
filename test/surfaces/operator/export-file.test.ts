/** An export in one piece, or line by line; whatever is wrong with it is told without a word of it. */
import { expect, it } from 'vitest';
import { itemsOf, readExport } from '#operator/moving/export-file.ts';

it('puts the lists of the lines together, and passes over lines without anything', () => {
  const lines = ['\uFEFF{"a":[1],"b":"x"}', '', '  ', '{"a":[2,3]}', ''].join('\r\n');
  expect(readExport(lines)).toMatchObject({ a: [1, 2, 3], b: 'x' });
  expect(readExport('{"a":[1]}')).toEqual({ a: [1] });
  // As tools write it: each line with a list of its own.
  expect(readExport('{"endpoints":[1]}\n{"subscriptions":[2]}')).toEqual({ endpoints: [1], subscriptions: [2] });
});

it.each([
  ['', /file is empty/],
  ['\n \n', /file is empty/],
  ['{"a":1}\n\n[5,"s3cret"]', /^Line 3 of the file is not a JSON object/],
  ['s3cret', /^Line 1 of the file is not a JSON object/],
])('%j is told where it is wrong, and nothing of the file', (text, told) => {
  let message = '';
  try {
    readExport(text);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(told);
  expect(message).not.toContain('s3cret');
});

it('finds the items of each way to page', () => {
  for (const page of [[{ n: 1 }], { data: [{ n: 1 }] }, { data: { content: [{ n: 1 }] } }, { models: [{ n: 1 }] }])
    expect(itemsOf(page)).toEqual([{ n: 1 }]);
});
