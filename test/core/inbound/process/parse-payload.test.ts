import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePayload } from '#core/inbound/process/parse-payload.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('parsePayload', () => {
  it('parses JSON, also where no content type is given', () => {
    expect(parsePayload(bytes('{"a":[1]}'), 'application/json; charset=utf-8')).toEqual({
      kind: 'parsed',
      value: { a: [1] },
    });
    expect(parsePayload(bytes('{"a":[1]}'), undefined)).toEqual({ kind: 'parsed', value: { a: [1] } });
  });

  it.each([
    ['not JSON', bytes('<xml/>'), 'the body is not JSON'],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'the body is not UTF-8'],
    ['too deep', bytes('['.repeat(65) + ']'.repeat(65)), 'the body is nested deeper than 64'],
    ['empty though JSON was announced', new Uint8Array(), 'the body is not JSON'],
  ])('calls a body unparsable when it is %s', (_, body, reason) => {
    expect(parsePayload(body, 'application/json')).toEqual({ kind: 'unparsable', reason });
  });

  it('reads brackets inside strings as text, not as depth', () => {
    const text = JSON.stringify({ a: '['.repeat(200), b: '\\"[' });
    expect(parsePayload(bytes(text), 'application/json').kind).toBe('parsed');
  });

  it('drops __proto__ keys, so that a merge cannot pollute', () => {
    const parsed = parsePayload(bytes('{"__proto__":{"admin":true},"a":{"__proto__":1}}'), 'application/json');
    const merged = Object.assign({}, (parsed as { value: object }).value) as Record<string, unknown>;
    expect(merged['admin']).toBeUndefined();
    expect(Object.hasOwn(merged, '__proto__')).toBe(false);
  });

  it('keeps every digit of an integer that a number cannot hold, as a bigint', () => {
    const text = `{"id":9007199254740993,"list":[-12345678901234567890],"safe":9007199254740991,"text":"12345678901234567890",
      "fraction":0.12345678901234567890,"power":10000000000000000e2,"__proto__":{"x":1},"endless":${'9'.repeat(1_001)}}`;
    expect(parsePayload(bytes(text), 'application/json')).toEqual({
      kind: 'parsed',
      value: {
        id: 9007199254740993n,
        list: [-12345678901234567890n],
        safe: 9007199254740991,
        text: '12345678901234567890',
        fraction: 0.12345678901234568,
        power: 1e18,
        endless: Number.POSITIVE_INFINITY,
      },
    });
  });

  it('loses no integer, wherever it stands', () => {
    const value = fc.letrec(tie => ({
      leaf: fc.oneof(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.string()),
      tree: fc.oneof(
        { maxDepth: 3 },
        tie('leaf'),
        fc.array(tie('tree')),
        fc.dictionary(fc.stringMatching(/^[a-z]+$/), tie('tree')),
      ),
    })).tree;
    const write = (it: unknown): string =>
      typeof it === 'bigint'
        ? String(it)
        : Array.isArray(it)
          ? `[${it.map(write).join(',')}]`
          : typeof it === 'object' && it !== null
            ? `{${Object.entries(it)
                .map(([name, part]) => `${JSON.stringify(name)}: ${write(part)}`)
                .join(',')}}`
            : JSON.stringify(it);
    fc.assert(
      fc.property(value, it => {
        const parsed = parsePayload(bytes(write(it)), 'application/json');
        expect(write(read(parsed))).toBe(write(it));
      }),
    );
    // Small integers come as numbers.
    function read(parsed: ReturnType<typeof parsePayload>): unknown {
      if (parsed.kind !== 'parsed') throw new Error(parsed.reason);
      const big = (part: unknown): unknown =>
        typeof part === 'number'
          ? BigInt(part)
          : Array.isArray(part)
            ? part.map(big)
            : typeof part === 'object' && part !== null
              ? Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, big(inner)]))
              : part;
      return big(parsed.value);
    }
  });

  it('reads form bodies as an object of texts, repeated fields as lists', () => {
    const parsed = parsePayload(bytes('a=1&b=x+y&a=2&__proto__=3'), 'application/x-www-form-urlencoded');
    expect(parsed).toEqual({ kind: 'parsed', value: { a: ['1', '2'], b: 'x y' } });
  });

  it('takes a field of a form for the first of its name, whatever every object inherits', () => {
    const parsed = parsePayload(bytes('constructor=acme&toString=x'), 'application/x-www-form-urlencoded');
    expect(parsed).toEqual({ kind: 'parsed', value: { constructor: 'acme', toString: 'x' } });
  });

  it('leaves other types as bytes', () => {
    expect(parsePayload(new Uint8Array([1, 2]), 'application/octet-stream')).toEqual({
      kind: 'parsed',
      value: undefined,
    });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.option(fc.string(), { nil: undefined }), (body, type) => {
        expect(['parsed', 'unparsable']).toContain(parsePayload(body, type).kind);
      }),
    );
  });
});
