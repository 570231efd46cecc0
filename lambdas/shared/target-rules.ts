/** Where endpoints may be. */
import type { TargetRules } from '#core/outbound/address/target-url.ts';
import { localAddresses } from './local-addresses.ts';
import { outbound } from './outbound-config.ts';
import { environment } from './read-env.ts';

const { ports } = outbound;
const allowAddresses = localAddresses(outbound.allowAddresses, environment);

/** `ownHosts`: of this deployment, which must not call itself. */
export const targetRules = (ownHosts: readonly string[]): TargetRules => ({ ports, ownHosts, allowAddresses });
