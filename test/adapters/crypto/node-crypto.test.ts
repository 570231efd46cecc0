import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import type { Jwk } from '#core/ports.ts';
import { toHex, utf8 } from '#core/scan/bytes.ts';

const message = utf8('message');
const jwkOf = (key: { export(options: { format: 'jwk' }): object }) => key.export({ format: 'jwk' }) as Jwk;

describe('hashes', () => {
  it('are those of the standards, over any split of the input', () => {
    expect(toHex(nodeCrypto.hash('sha256', utf8('abc')))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(toHex(nodeCrypto.hash('sha1', utf8('a'), utf8('bc')))).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
    // RFC 4231, test case 2.
    expect(toHex(nodeCrypto.hmac('sha256', utf8('Jefe'), utf8('what do ya want '), utf8('for nothing?')))).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
    expect(toHex(nodeCrypto.hmac('sha256', new Uint8Array(), new Uint8Array()))).toBe(
      'b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad',
    );
    expect(nodeCrypto.hash('sha512').length).toBe(64);
  });
});

describe('comparing', () => {
  it('is equality of bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (a, b) => {
        expect(nodeCrypto.equal(a, b)).toBe(Buffer.compare(a, b) === 0);
        expect(nodeCrypto.equal(a, new Uint8Array(a))).toBe(true);
      }),
    );
  });
});

describe('signatures', () => {
  const ed = generateKeyPairSync('ed25519');
  const raw = new Uint8Array(Buffer.from((jwkOf(ed.publicKey) as { x: string }).x, 'base64url'));
  const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const spki = (key: typeof ec.publicKey) => new Uint8Array(key.export({ format: 'der', type: 'spki' }));

  it('verify with the right key, message and form', async () => {
    const edSignature = sign(null, message, ed.privateKey);
    expect(await nodeCrypto.verifyEd25519(raw, message, edSignature)).toBe(true);
    expect(await nodeCrypto.verifyEd25519(raw, utf8('other'), edSignature)).toBe(false);
    const seed = Buffer.from(ed.privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
    expect(Buffer.from(nodeSigningCrypto.signEd25519(seed, message))).toEqual(edSignature);
    expect(Buffer.from(nodeSigningCrypto.publicEd25519(seed))).toEqual(Buffer.from(raw));
    expect(() => nodeSigningCrypto.signEd25519(seed.subarray(1), message)).toThrow(RangeError);
    const der = sign('sha256', message, ec.privateKey);
    const flat = sign('sha256', message, { key: ec.privateKey, dsaEncoding: 'ieee-p1363' });
    for (const key of [spki(ec.publicKey), jwkOf(ec.publicKey)]) {
      expect(await nodeCrypto.verifyEcdsaP256(key, message, der, 'der')).toBe(true);
      expect(await nodeCrypto.verifyEcdsaP256(key, message, flat, 'p1363')).toBe(true);
      expect(await nodeCrypto.verifyEcdsaP256(key, message, flat, 'der')).toBe(false);
    }
    for (const algorithm of ['sha1', 'sha256'] as const) {
      const signature = sign(algorithm, message, rsa.privateKey);
      for (const key of [spki(rsa.publicKey), jwkOf(rsa.publicKey)]) {
        expect(await nodeCrypto.verifyRsa(algorithm, key, message, signature)).toBe(true);
        expect(await nodeCrypto.verifyRsa(algorithm === 'sha1' ? 'sha256' : 'sha1', key, message, signature)).toBe(
          false,
        );
      }
    }
  });

  it('fail with a key of another kind or strength', async () => {
    const p384 = generateKeyPairSync('ec', { namedCurve: 'secp384r1' });
    expect(
      await nodeCrypto.verifyEcdsaP256(spki(p384.publicKey), message, sign('sha256', message, p384.privateKey), 'der'),
    ).toBe(false);
    const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    expect(
      await nodeCrypto.verifyRsa('sha256', spki(weak.publicKey), message, sign('sha256', message, weak.privateKey)),
    ).toBe(false);
    expect(
      await nodeCrypto.verifyRsa('sha256', spki(ec.publicKey), message, sign('sha256', message, ec.privateKey)),
    ).toBe(false);
    expect(
      await nodeCrypto.verifyEcdsaP256(spki(rsa.publicKey), message, sign('sha256', message, rsa.privateKey), 'der'),
    ).toBe(false);
  });

  it('never throw, whatever the key and the signature', async () => {
    const junk = fc.uint8Array({ maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(
        junk,
        junk,
        fc.string(),
        fc.dictionary(fc.string(), fc.jsonValue()),
        async (key, signature, text, jwk) => {
          expect(await nodeCrypto.verifyEd25519(key, message, signature)).toBe(false);
          expect(await nodeCrypto.verifyEd25519(raw, message, signature)).toBe(false);
          for (const form of ['der', 'p1363'] as const) {
            expect(await nodeCrypto.verifyEcdsaP256(key, message, signature, form)).toBe(false);
            expect(await nodeCrypto.verifyEcdsaP256(jwk as Jwk, message, signature, form)).toBe(false);
            expect(await nodeCrypto.verifyEcdsaP256(spki(ec.publicKey), message, signature, form)).toBe(false);
          }
          expect(await nodeCrypto.verifyRsa('sha256', text, message, signature)).toBe(false);
          expect(await nodeCrypto.verifyRsa('sha256', jwk as Jwk, message, signature)).toBe(false);
          expect(await nodeCrypto.verifyRsa('sha1', key, message, signature)).toBe(false);
        },
      ),
    );
  });
});
