/** What is made from code is up to date in this checkout. */
import { describe, expect, it } from 'vitest';
import { withBlock } from './block.ts';
import { readWritten, WRITERS } from './writers.ts';

describe('files that are made from code', () => {
  it.each(Object.entries(WRITERS))('%s: is up to date, else run: npm run write', async (_name, make) => {
    const files = await make();
    expect(files.size).toBeGreaterThan(0);
    const stale = [...files].filter(([path, text]) => readWritten(path) !== text).map(([path]) => path);
    expect(stale, 'run: npm run write').toEqual([]);
  });
});

describe('a block', () => {
  it('is replaced between its marks, in Markdown and in TypeScript', () => {
    expect(withBlock('a <!-- written:x -->old<!-- /written --> b', 'x', 'new')).toBe(
      'a <!-- written:x -->new<!-- /written --> b',
    );
    expect(withBlock('1\n// written:x by us\nold\n// /written\n2', 'x', 'new\n')).toBe(
      '1\n// written:x by us\nnew\n// /written\n2',
    );
  });

  it.each([
    'no marks',
    '<!-- written:x --><!-- /written --><!-- written:x --><!-- /written -->',
    '// written:xy\n// /written',
  ])('is refused where its marks are not there once: %j', text => {
    expect(() => withBlock(text, 'x', '')).toThrow(/There are [02] blocks "written:x"/);
  });
});
