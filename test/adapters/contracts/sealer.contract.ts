/** What every `Sealer` keeps, the one in memory as well. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sealer } from '#core/outbound/ports.ts';

/** `other`: under another master secret. `rotated`: under that one, with the master secret of `make` as the previous. */
export interface Sealers {
  readonly make: () => Sealer;
  readonly other: () => Sealer;
  readonly rotated: () => Sealer;
}

export function sealerContract(name: string, { make, other, rotated }: Sealers): void {
  describe(`a sealer: ${name}`, () => {
    it('opens what it sealed about the same thing, and seals the same differently each time', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 100 }), fc.string(), (plain, about) => {
          const sealer = make();
          const [first, second] = [sealer.seal(plain, about), sealer.seal(plain, about)];
          expect(first).not.toBe(second);
          for (const sealed of [first, second]) expect([...make().open(sealed, about)]).toEqual([...plain]);
        }),
      );
    });

    it('refuses another endpoint, another master secret, and every changed, cut or longer text', () => {
      const plain = new Uint8Array(32).fill(7);
      const sealed = make().seal(plain, 'ep_1');
      expect(() => make().open(sealed, 'ep_2')).toThrow(RangeError);
      expect(() => other().open(sealed, 'ep_1')).toThrow(RangeError);
      for (let at = 0; at < sealed.length; at++) {
        const letter = sealed[at] === 'A' ? 'Q' : 'A';
        expect(() => make().open(sealed.slice(0, at) + letter + sealed.slice(at + 1), 'ep_1')).toThrow(RangeError);
        expect(() => make().open(sealed.slice(0, at), 'ep_1')).toThrow(RangeError);
      }
      for (const text of ['', 'v1.', `${sealed}AAAA`, `v2${sealed.slice(2)}`, 'whsec_abc'])
        expect(() => make().open(text, 'ep_1')).toThrow(RangeError);
    });

    it('never shows what it sealed, nor says it in an error', () => {
      const sealed = make().seal(Buffer.from('CANARY-CANARY-CANARY'), 'ep_1');
      expect(Buffer.from(sealed.replace(/^v1\./, ''), 'base64url').toString('latin1')).not.toContain('CANARY');
      expect(() => other().open(sealed, 'ep_1')).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining(sealed) }),
      );
    });

    it('opens with the previous master secret, and seals with the current one', () => {
      const plain = new Uint8Array([1, 2, 3]);
      expect([...rotated().open(make().seal(plain, 'ep_1'), 'ep_1')]).toEqual([1, 2, 3]);
      const sealed = rotated().seal(plain, 'ep_1');
      expect([...other().open(sealed, 'ep_1')]).toEqual([1, 2, 3]);
      expect(() => make().open(sealed, 'ep_1')).toThrow(RangeError);
    });
  });
}
