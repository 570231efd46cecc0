/** A chain of certificates counts only from the signer to a pinned root, each valid, each issued by the next. */
import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { ChainRules } from '#core/ports.ts';
import { appStore } from '#providers/app-store.ts';

const made = JSON.parse(
  readFileSync(new URL('../../fixtures/certificate-chain.json', import.meta.url), 'utf8'),
) as Record<'root' | 'rootSha256' | 'issuer' | 'leaf' | 'leafWithoutExtension' | 'expiredLeaf' | 'leafKey', string>;
/** Certificates that sign Apple's notifications in production. */
const apple = JSON.parse(readFileSync(new URL('../../fixtures/apple-notification.json', import.meta.url), 'utf8'))
  .production as Record<'root' | 'issuer' | 'leaf', string>;
const der = (text: string) => Buffer.from(text, 'base64');
const [leaf, issuer, root] = [der(made.leaf), der(made.issuer), der(made.root)];
const RULES: ChainRules = {
  roots: [made.rootSha256],
  leafExtension: '2a864886f76364060b01',
  issuerExtension: '2a864886f76364060201',
};
const NOW = Date.UTC(2026, 10, 21);
const keyOf = (chain: readonly Uint8Array[], rules = RULES, now = NOW) => nodeCrypto.verifyChain(chain, rules, now);

describe('a chain of certificates', () => {
  it('gives the key of its signer', async () => {
    const key = await keyOf([leaf, issuer, root]);
    const message = Buffer.from('signed');
    const signature = sign('sha256', message, createPrivateKey(made.leafKey));
    expect(key && (await nodeCrypto.verifyEcdsaP256(key, message, signature, 'der'))).toBe(true);
  });

  it.each([
    ['another root', () => keyOf([leaf, issuer, root], { ...RULES, roots: ['00'.repeat(32)] })],
    ['no root', () => keyOf([leaf, issuer])],
    ['a missing link', () => keyOf([leaf, root])],
    ['links in another order', () => keyOf([issuer, leaf, root])],
    ['a signer without the extension', () => keyOf([der(made.leafWithoutExtension), issuer, root])],
    ['an issuer without the extension', () => keyOf([leaf, issuer, root], { ...RULES, issuerExtension: '2a03' })],
    ['an expired signer', () => keyOf([der(made.expiredLeaf), issuer, root])],
    ['a time before it', () => keyOf([leaf, issuer, root], RULES, Date.UTC(2019, 0, 1))],
    ['a signer that poses as an issuer', () => keyOf([der(made.leafWithoutExtension), leaf, issuer, root])],
    ['a changed byte', () => keyOf([leaf.map((byte, at) => (at === leaf.length - 9 ? byte ^ 1 : byte)), issuer, root])],
    ['a certificate cut short', () => keyOf([leaf.subarray(0, 80), issuer, root])],
    ['nothing', () => keyOf([])],
  ])('is refused with %s', async (_what, key) => expect(await key()).toBeUndefined());

  it("leads from the certificate that Apple signs with to the root that the provider's file pins", async () => {
    const rules = appStore.verify[0]?.key?.chain;
    if (rules === undefined) throw new Error('the file pins no root');
    const chain = [der(apple.leaf), der(apple.issuer), der(apple.root)];
    expect(await keyOf(chain, rules, Date.UTC(2026, 10, 21))).toBeDefined();
    expect(await keyOf(chain, rules, Date.UTC(2028, 0, 1)), 'after the end of the first').toBeUndefined();
    expect(await keyOf([der(apple.issuer), der(apple.root)], rules), 'an issuer is no signer').toBeUndefined();
  });

  it('needs no extension where the rules name none', async () => {
    expect(await keyOf([der(made.leafWithoutExtension), issuer, root], { roots: RULES.roots })).toBeDefined();
  });
});
