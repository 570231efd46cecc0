import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DICTIONARIES } from '#adapters/codec/dictionaries/dictionaries.ts';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { UnknownDictionaryError } from '#core/errors.ts';
import { providerEvent } from '#test/kit/events/provider-events.ts';

describe('the codec', () => {
  test('gives back any bytes it deflated or encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), bytes => {
        expect(Buffer.compare(nodeCodec.inflate(nodeCodec.deflate(bytes), 5_000), bytes)).toBe(0);
        expect(Buffer.compare(nodeCodec.fromBase64(nodeCodec.toBase64(bytes)), bytes)).toBe(0);
      }),
    );
  });

  test('encodes a part of a larger buffer as that part', () => {
    const part = Uint8Array.of(9, 1, 2, 3, 9).subarray(1, 4);
    expect(nodeCodec.toBase64(part)).toBe('AQID');
  });

  test('refuses to inflate beyond the limit, and what is no deflate stream', () => {
    const bomb = nodeCodec.deflate(new Uint8Array(1_000_000));
    expect(bomb.length).toBeLessThan(2_000);
    expect(() => nodeCodec.inflate(bomb, 999_999)).toThrow();
    expect(nodeCodec.inflate(bomb, 1_000_000)).toHaveLength(1_000_000);
    expect(() => nodeCodec.inflate(Uint8Array.of(255, 255, 255), 100)).toThrow();
  });
});

describe('a dictionary', () => {
  const providers = [undefined, 'none-for-this-one', ...DICTIONARIES.map(it => it.provider)];

  test('changes nothing of any body that was deflated with it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...providers), fc.uint8Array({ maxLength: 2_000 }), (provider, bytes) => {
        const deflated = nodeCodec.deflate(bytes, provider);
        expect(Buffer.compare(nodeCodec.inflate(deflated, 2_000), bytes)).toBe(0);
      }),
    );
  });

  // Stored bodies need it for as long as they live. A better one is a new entry; these lines only grow.
  test('is never changed or removed', () => {
    const hashes = DICTIONARIES.map(it => [
      it.id,
      it.provider,
      createHash('sha256').update(it.bytes()).digest('hex').slice(0, 32),
    ]);
    expect(hashes).toEqual([
      [1, 'stripe', 'e6f470d1ca2326641040789545942e36'],
      [2, 'github', '0d20237bdc51cfa43f8ad3b6d1be8d3b'],
      [3, 'shopify', 'b6688a65f4697c06bbe779573c4acaea'],
    ]);
  });

  test('is not needed for what earlier versions stored', () => {
    const body = Buffer.from(providerEvent(0, 0).body);
    expect(body.equals(nodeCodec.inflate(deflateRawSync(body), body.length))).toBe(true);
    expect(body.equals(nodeCodec.inflate(deflateRawSync(body, { level: 0 }), body.length))).toBe(true);
  });

  test('saves so much of a body of its provider', () => {
    const shares = [0, 1, 2].map(number => {
      const { body, provider } = providerEvent(number, 0);
      return [
        provider,
        nodeCodec.deflate(Buffer.from(body), provider).length / nodeCodec.deflate(Buffer.from(body)).length,
      ] as const;
    });
    expect(Object.fromEntries(shares)).toEqual({
      stripe: expect.toSatisfy((it: number) => it < 0.5),
      github: expect.toSatisfy((it: number) => it < 0.85),
      shopify: expect.toSatisfy((it: number) => it < 0.65),
    });
  });

  test('that is not known is named, not guessed', () => {
    expect(() => nodeCodec.inflate(Uint8Array.of(0b110, 250, 3, 0), 100)).toThrow(UnknownDictionaryError);
    expect(() => nodeCodec.inflate(Uint8Array.of(0b110), 100)).toThrow(/knows 1, 2, 3/);
  });

  test('lifts no limit', () => {
    const bomb = nodeCodec.deflate(new Uint8Array(1_000_000), 'github');
    expect(() => nodeCodec.inflate(bomb, 999_999)).toThrow();
    expect(nodeCodec.inflate(bomb, 1_000_000)).toHaveLength(1_000_000);
  });
});
