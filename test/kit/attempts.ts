/** Attempts of the product's own signer, for tests. */
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { attemptSigner, SIGNING_SPECS, type SigningRules } from '#core/outbound/sign/sign-attempt.ts';
import { providerById } from '#providers/index.ts';

export const SIGNING_RULES: SigningRules = {
  specs: Object.fromEntries(SIGNING_SPECS.map(id => [id, providerById(id)])) as unknown as SigningRules['specs'],
  crypto: nodeSigningCrypto,
  headerPrefix: 'x-webhook-',
  userAgent: 'Holdfast/0.1.0',
};

type Signer = ReturnType<typeof attemptSigner>;
export type Attempt = Parameters<Signer>[0];

export const signAttempt: Signer = attemptSigner(SIGNING_RULES);

/** An attempt of a small JSON message, changed as told. */
export function attemptOf(change: Partial<Attempt>): Attempt {
  return {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    endpoint: { signature: 'standard', headers: {} },
    keys: [],
    message: { type: 'invoice.paid', contentType: 'application/json' },
    body: Buffer.from('{"test": 2432232314}'),
    n: 1,
    now: 1_614_265_330_000,
    ...change,
  };
}
