/** What a function that sends has: the guarded way out, and the signer. */
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { guardedSender } from '#adapters/http/guarded-sender.ts';
import { attemptSigner } from '#core/outbound/sign/sign-attempt.ts';
import { genericSha256Body } from '#providers/generic-sha256-body.ts';
import { genericTV1 } from '#providers/generic-t-v1.ts';
import { genericTimestampSha256 } from '#providers/generic-timestamp-sha256.ts';
import { standardWebhooks } from '#providers/standard-webhooks.ts';
import { standardWebhooksV1a } from '#providers/standard-webhooks-v1a.ts';
import { outbound } from './outbound-config.ts';
import { targetRules } from './target-rules.ts';

const { headerPrefix, userAgent } = outbound;

/** `ownHosts`: of this deployment, which must not call itself. */
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
