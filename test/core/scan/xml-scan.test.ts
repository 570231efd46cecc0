import { describe, expect, it } from 'vitest';
import { scanXml } from '#core/scan/xml-scan.ts';

describe('a document', () => {
  const xml = scanXml(
    '<?xml version="1.0"?><!-- of a shop --><n:notification id="1"></n:notification>' +
      '<subject><sale><id> s_1 </id></sale><refund><id>r_1</id><empty/></refund></subject>',
  );

  it('gives the first text at a path, through any name, without prefixes', () => {
    expect(xml?.text('subject.sale.id')).toBe('s_1');
    expect(xml?.text('subject.*.id')).toBe('s_1');
    expect(xml?.text('notification')).toBe('');
    expect(xml?.text('subject.refund.empty')).toBe('');
  });

  it('gives the texts of all where the path says so', () => {
    expect(scanXml('<a><b>1</b><b>2</b><c/></a>')?.text('a.b[]')).toBe('1,2');
    expect(scanXml('<a><b>1</b><b>2</b></a>')?.text('a.b')).toBe('1');
  });

  it('has nothing at a path that is not there', () => {
    expect(xml?.text('subject.dispute.id')).toBeUndefined();
    expect(xml?.text('subject.dispute[].id')).toBeUndefined();
  });

  it.each([
    ['&lt;b&gt; &amp;amp; &quot;&apos;', '<b> &amp; "\''],
    ['&#65;&#x1F600;', 'A😀'],
    ['&nosuch; &euro; &#1114112; &#x110000;', '&nosuch; &euro; &#1114112; &#x110000;'],
    ['<![CDATA[a <b> &amp;]]> c', 'a <b> &amp; c'],
  ])('reads %s', (text, read) => {
    expect(scanXml(`<a>${text}</a>`)?.text('a')).toBe(read);
  });
});

it.each([
  ['a DTD', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['an element that is not closed', '<a><b></a>'],
  ['one that is closed twice', '<a></a></a>'],
  ['a comment without an end', '<a><!-- </a>'],
  ['a bare <', '<a>1 < 2</a>'],
  ['elements in each other without end', '<a>'.repeat(200)],
  ['more levels than JSON may have', `${'<a>'.repeat(2_000)}${'</a>'.repeat(2_000)}`],
])('%s is refused', (_what, text) => {
  expect(scanXml(text)).toBeUndefined();
});
