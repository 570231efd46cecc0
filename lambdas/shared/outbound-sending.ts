/** What the two functions that send have: the guarded way out, the signer, and the secrets opened. */
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { guardedSender } from '#adapters/http/guarded-sender.ts';
import type { TargetRules } from '#core/outbound/address/target-url.ts';
import { attemptSigner } from '#core/outbound/sign/sign-attempt.ts';
import { genericSha256Body } from '#providers/generic-sha256-body.ts';
import { genericTV1 } from '#providers/generic-t-v1.ts';
import { genericTimestampSha256 } from '#providers/generic-timestamp-sha256.ts';
import { standardWebhooks } from '#providers/standard-webhooks.ts';
import { standardWebhooksV1a } from '#providers/standard-webhooks-v1a.ts';
import { localAddresses } from './local-addresses.ts';
import { outbound } from './outbound-config.ts';
import { environment } from './read-env.ts';

const { ports, headerPrefix, userAgent } = outbound;
const allowAddresses = localAddresses(outbound.allowAddresses, environment);

/** `ownHosts`: of this deployment, which must not call itself. */
export const targetRules = (ownHosts: readonly string[]): TargetRules => ({ ports, ownHosts, allowAddresses });

/** `ownHosts`: as above. */
export const senderTo = (ownHosts: readonly string[]) => guardedSender(targetRules(ownHosts));

export const sign = attemptSigner({
  specs: {
    'standard-webhooks': standardWebhooks,
    'standard-webhooks-v1a': standardWebhooksV1a,
    'generic-timestamp-sha256': genericTimestampSha256,
    'generic-sha256-body': genericSha256Body,
    'generic-t-v1': genericTV1,
  },
  crypto: nodeSigningCrypto,
  headerPrefix,
  userAgent,
});
