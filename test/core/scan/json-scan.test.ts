import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8 } from '#core/scan/bytes.ts';
import { type JsonDocument, ROOT, scanJson } from '#core/scan/json-scan.ts';
import { MAX_JSON_DEPTH } from '#core/scan/json-tape.ts';

const scan = (text: string) => scanJson(utf8(text));
const textAt = (text: string, path: string) => {
  const document = scan(text);
  const node = document?.find(path);
  return node === undefined ? undefined : document?.text(node);
};

/** Rebuilds the value from the scanned nodes. */
function rebuild(document: JsonDocument, node: number): unknown {
  switch (document.kind(node)) {
    case 'object':
      return Object.fromEntries(document.members(node).map(({ name, value }) => [name, rebuild(document, value)]));
    case 'array':
      return document.elements(node).map(element => rebuild(document, element));
    case 'string':
      return document.text(node);
    case 'number':
      return Number(document.text(node));
    case 'null':
      return null;
    default:
      return document.kind(node) === 'true';
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('scanning JSON', () => {
  it('finds what JSON.parse finds, in any writing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const document = scan(text);
        expect(document && rebuild(document, ROOT)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('accepts exactly the texts that JSON.parse accepts', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\n"',
      '"\\x"',
      '1',
      '-',
      '01',
      '1.',
      '.5',
      '1e5',
      '1E+',
      'true',
      'nul',
      'null',
      ' ',
      '\n',
      '"',
      '\\',
      '\u0001',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), parts => {
        const text = parts.join('');
        expect(scan(text) !== undefined).toBe(parses(text));
      }),
      { numRuns: 3_000 },
    );
    for (const text of [
      '',
      ' ',
      '-0',
      '0',
      '1.5e-10',
      '"\\u00e9"',
      '"\\u00g0"',
      '"\\u12"',
      '\ufeff',
      '[1,]',
      '{"a":1,}',
      '{"a"}',
      '{a:1}',
      "'a'",
      '1 2',
      '[1]x',
      'NaN',
      'Infinity',
      '"\t"',
      '\u00a0 1',
      '[',
      '{"a":',
      '"abc',
      '"abc\\',
      '"\\u123',
      '{1:2}',
      '{"a" 1}',
      '{"a":1 "b":2}',
      '[1 2]',
      '[1\r,\r2\r]',
      'tru',
      'truX',
      'fals',
      'nulL',
      // Each end of the three ranges of a hexadecimal digit, and its neighbours.
      ...['/', '0', '9', ':', '@', 'A', 'F', 'G', '`', 'a', 'f', 'g'].flatMap(it => [`"\\u${it}000"`, `"\\u000${it}"`]),
    ]) {
      expect([text, scan(text) !== undefined]).toEqual([text, parses(text)]);
    }
  });

  it('never throws on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        const document = scanJson(bytes);
        if (document) rebuild(document, ROOT);
      }),
    );
  });

  it('keeps every digit of a number, as it was written', () => {
    expect(textAt('{"id":12345678901234567890123}', 'id')).toBe('12345678901234567890123');
    expect(textAt('{"id":9007199254740993}', 'id')).toBe('9007199254740993');
    expect(textAt('{"id":1.10}', 'id')).toBe('1.10');
    expect(textAt('{"id":1e3}', 'id')).toBe('1e3');
  });

  it('gives raw slices, byte for byte', () => {
    const body = utf8('{"items": [ {"a" : "Zo\u00eb"},  2 ]}');
    const document = scanJson(body);
    const items = document?.find('items') ?? 0;
    expect(document?.elements(items).map(node => Buffer.from(document.slice(node)).toString())).toEqual([
      '{"a" : "Zoë"}',
      '2',
    ]);
  });

  it('reads paths, indexes and escaped names', () => {
    const text = '{"a.b":0,"a":{"b":[{"c":"x"},{"c":"y"}]},"e\\u0076ent":"z","event-data":{"id":"q"}}';
    expect(textAt(text, 'a.b[1].c')).toBe('y');
    expect(textAt(text, 'a.b.0.c')).toBe('x');
    expect(textAt(text, 'event')).toBe('z');
    expect(textAt(text, 'event-data.id')).toBe('q');
    for (const path of ['a.b[2].c', 'a.b.c', 'a.c', 'b', 'a.b.-1', 'a.b.length', 'a.b[0].c.d'])
      expect(textAt(text, path)).toBeUndefined();
    expect(textAt('[{"id":1}]', '[0].id')).toBe('1');
  });

  it('takes the last of repeated names, as JSON.parse does', () => {
    expect(textAt('{"id":"first","id":"last"}', 'id')).toBe('last');
  });

  it('treats __proto__ and constructor as names like any other', () => {
    expect(textAt('{"__proto__":{"id":"x"}}', '__proto__.id')).toBe('x');
    expect(textAt('{}', '__proto__')).toBeUndefined();
    expect(textAt('{}', 'constructor.name')).toBeUndefined();
    expect(textAt('{}', 'toString')).toBeUndefined();
  });

  it('has no text for null, objects, arrays and ill-formed strings', () => {
    for (const value of ['null', '{}', '[]', '"\\ud800"', '"a\\udfffb"'])
      expect(textAt(`{"id":${value}}`, 'id')).toBeUndefined();
    expect(textAt('{"id":"\\ud83d\\ude00"}', 'id')).toBe('😀');
    const bytes = Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff]), Buffer.from('","b":"ok"}')]);
    const document = scanJson(bytes);
    expect(document?.text(document.find('id') ?? -1)).toBeUndefined();
    expect(document?.text(document.find('b') ?? -1)).toBe('ok');
    expect(textAt('{"t":true,"f":false}', 't')).toBe('true');
    expect(textAt('{"t":true,"f":false}', 'f')).toBe('false');
  });

  it('skips a byte order mark, whole, and stops at its depth', () => {
    expect(textAt('\ufeff{"id":1}', 'id')).toBe('1');
    const mark = [0xef, 0xbb, 0xbf];
    for (let wrong = 0; wrong < 3; wrong++)
      expect(
        scanJson(Uint8Array.from([...mark.map((byte, at) => (at === wrong ? 0x20 : byte)), 0x31])),
      ).toBeUndefined();
    const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":[', ']}'],
    ] as const) {
      const most = MAX_JSON_DEPTH / (open.length === 1 ? 1 : 2);
      expect(scan(nested(open, close, most))).toBeDefined();
      expect(scan(`[${nested(open, close, most)}]`)).toBeUndefined();
    }
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(scan(objects(MAX_JSON_DEPTH))).toBeDefined();
    expect(scan(objects(MAX_JSON_DEPTH + 1))).toBeUndefined();
    expect(scan('['.repeat(1_000_000))).toBeUndefined();
  });

  it('holds many nodes', () => {
    const document = scan(JSON.stringify(Array.from({ length: 50_000 }, (_, i) => ({ id: i }))));
    expect(document?.elements(ROOT)).toHaveLength(50_000);
    expect(document?.text(document.find('49999.id') ?? -1)).toBe('49999');
  });
});
