import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { parseSecretText, secretText, verifyingText } from '#core/outbound/protocol/secret-text.ts';

/** Of the tests of svix-server, with its public key. */
const PUBLISHED = {
  private: 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==',
  public: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
};

describe('secrets as text', () => {
  it('come back as they were given', () => {
    const shared = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(bytes => ({ alg: 'sha256' as const, bytes }));
    const pair = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => ({ alg: 'ed25519' as const, bytes }));
    fc.assert(
      fc.property(fc.oneof(shared, pair), secret => {
        const parsed = parseSecretText(secretText(secret, nodeSigningCrypto), nodeSigningCrypto);
        if (parsed.kind !== 'secret') throw new Error(parsed.problem);
        expect({ ...parsed.secret, bytes: [...parsed.secret.bytes] }).toEqual({ ...secret, bytes: [...secret.bytes] });
      }),
    );
  });

  it('of a key pair that others published give its public key', () => {
    const parsed = parseSecretText(PUBLISHED.private, nodeSigningCrypto);
    if (parsed.kind !== 'secret') throw new Error(parsed.problem);
    expect(verifyingText(parsed.secret, nodeSigningCrypto)).toBe(PUBLISHED.public);
    expect(secretText(parsed.secret, nodeSigningCrypto)).toBe(PUBLISHED.private);
  });

  it('never show the private half where the public one is meant', () => {
    const bytes = new Uint8Array(32).fill(7);
    expect(verifyingText({ alg: 'ed25519', bytes }, nodeSigningCrypto)).toMatch(/^whpk_.{44}$/);
    expect(verifyingText({ alg: 'sha256', bytes }, nodeSigningCrypto)).toMatch(/^whsec_.{44}$/);
  });

  it.each([
    ['', 'begins with'],
    ['abc', 'begins with'],
    ['WHSEC_AAAA', 'begins with'],
    ['whsec_', '24 to 64 bytes in base64 after whsec_; this secret has 0'],
    [`whsec_${Buffer.alloc(23).toString('base64')}`, 'this secret has 23'],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, 'this secret has 65'],
    ['whsec_not base64!', 'base64 after whsec_'],
    [PUBLISHED.public, 'whpk_ is the public one'],
    [`whsk_${Buffer.alloc(32).toString('base64')}`, 'this secret has 32'],
    [`whsk_${Buffer.alloc(64, 7).toString('base64')}`, 'here they do not belong together'],
  ])('%j: %s', (text, said) => {
    const parsed = parseSecretText(text, nodeSigningCrypto);
    if (parsed.kind !== 'problem') throw new Error('it was taken');
    expect(parsed.problem).toContain(said);
    expect(text.length < 12 || !parsed.problem.includes(text.slice(6))).toBe(true);
  });
});
