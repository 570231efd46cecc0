/** Tokens: what was signed is read, what was touched is not, and each refusal says which it is. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { mintToken, type PortalClaims, readToken, type TokenPorts } from '#core/outbound/api/portal-token.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import { HOUR_MS } from '#core/time.ts';

const NOW = 1_795_000_000_000;
const keyOf = (letter: string): Uint8Array => new TextEncoder().encode(letter.repeat(32));
const ports: TokenPorts = { crypto: nodeCrypto, portalKeys: [keyOf('n'), keyOf('o')] };
const CLAIMS: PortalClaims = {
  ...{ v: 1, env: 'prod', app: 'app_1' as AppId, caps: ['read'], rev: 0, iat: NOW, exp: NOW + HOUR_MS },
};
const read = (token: string | undefined, now = NOW, environment = 'prod', by = ports) =>
  readToken(by, token, { environment, now });

describe('a portal token', () => {
  it('is read as it was made, also when the key was rotated since', () => {
    expect(read(`Bearer ${mintToken(ports, CLAIMS)}`)).toEqual({ kind: 'claims', claims: CLAIMS });
    const before = mintToken({ crypto: nodeCrypto, portalKeys: [keyOf('o')] }, CLAIMS);
    expect(read(`bearer ${before}`)).toEqual({ kind: 'claims', claims: CLAIMS });
    const unknown = mintToken({ crypto: nodeCrypto, portalKeys: [keyOf('x')] }, CLAIMS);
    expect(read(`Bearer ${unknown}`)).toEqual({ kind: 'refused', cause: 'token_invalid' });
  });

  it('is refused without a key, of another environment, of another version', () => {
    expect(() => mintToken({ crypto: nodeCrypto, portalKeys: [] }, CLAIMS)).toThrow(RangeError);
    const bearer = `Bearer ${mintToken(ports, CLAIMS)}`;
    expect(read(bearer, NOW, 'staging')).toMatchObject({ cause: 'token_invalid' });
    const later = mintToken(ports, { ...CLAIMS, v: 2 as 1 });
    expect(read(`Bearer ${later}`)).toMatchObject({ cause: 'token_invalid' });
  });

  it('ends 30 seconds after its time, for clocks that differ', () => {
    const bearer = `Bearer ${mintToken(ports, CLAIMS)}`;
    expect(read(bearer, CLAIMS.exp + 30_000).kind).toBe('claims');
    expect(read(bearer, CLAIMS.exp + 30_001)).toEqual({ kind: 'refused', cause: 'token_expired' });
  });

  it('is missing, or malformed, never an error', () => {
    expect(read(undefined)).toEqual({ kind: 'refused', cause: 'token_missing' });
    expect(read('')).toEqual({ kind: 'refused', cause: 'token_missing' });
    for (const given of ['Bearer hfp_.', 'Bearer hfp_e30.AA', 'Bearer hfp_\u0000.\ud800', 'Basic YTpi', 'hfp_e30.AA'])
      expect(read(given)).toEqual({ kind: 'refused', cause: 'token_invalid' });
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), text => {
        for (const given of [text, `Bearer ${text}`, `Bearer hfp_${text}`, `Bearer hfp_${text}.${text}`])
          expect(read(given).kind).toBe('refused');
      }),
      { numRuns: 60 },
    );
    expect(read(`Bearer hfp_${'a'.repeat(100_000)}.b`)).toMatchObject({ cause: 'token_invalid' });
  });

  it('does not survive one changed character', () => {
    const token = mintToken(ports, CLAIMS);
    fc.assert(
      fc.property(fc.integer({ min: 4, max: token.length - 2 }), fc.constantFrom('A', 'b', '0', '-'), (at, letter) => {
        fc.pre(token[at] !== letter && token[at] !== '.');
        const changed = token.slice(0, at) + letter + token.slice(at + 1);
        expect(read(`Bearer ${changed}`).kind, changed).toBe('refused');
      }),
      { numRuns: 300 },
    );
  });
});
