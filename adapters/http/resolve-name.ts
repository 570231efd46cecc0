import { Resolver } from 'node:dns';
import { isForbiddenAddress } from '#core/outbound/address/forbidden-addresses.ts';
import { SendFailure } from './send-failure.ts';

export interface NameRules {
  readonly ipv6: boolean;
  /** Addresses that may be called although they are not public (emulated environments and tests). */
  readonly allowAddresses: readonly string[];
  readonly dnsMs: number;
  /** Name servers, `address:port`. @default those of the machine */
  readonly nameServers?: readonly string[];
}

/** No name server could be asked: that is our network, not the customer's name. */
const NO_SERVER = 'ECONNREFUSED';

/**
 * The addresses of a name, all of them judged: one that is forbidden refuses the whole name. c-ares rather than
 * `dns.lookup`, whose four threads four silent name servers would block for everybody; a resolver of its own for each
 * name, because its own limits are not kept (1.6 s asked for take 3 s) and cancelling ends all its questions.
 * Rejects with SendFailure.
 */
export async function resolveName(host: string, rules: NameRules): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: Math.ceil(rules.dnsMs / 2), tries: 2 });
  if (rules.nameServers) resolver.setServers(rules.nameServers);
  const timer = setTimeout(() => resolver.cancel(), rules.dnsMs);
  try {
    const asked = [ask(resolver, 'resolve4', host), ...(rules.ipv6 ? [ask(resolver, 'resolve6', host)] : [])];
    const answers = await Promise.all(asked);
    const addresses = answers.flatMap(answer => (typeof answer === 'string' ? [] : answer));
    if (addresses.length === 0) throw unresolved(answers.find(answer => typeof answer === 'string') ?? 'ENODATA');
    if (addresses.some(address => isForbidden(address, rules)))
      throw new SendFailure('forbidden_address', 'this address is not allowed');
    return addresses;
  } finally {
    clearTimeout(timer);
    resolver.cancel();
  }
}

export function isForbidden(address: string, { allowAddresses }: Pick<NameRules, 'allowAddresses'>): boolean {
  return !allowAddresses.includes(address) && isForbiddenAddress(address);
}

/** The addresses, or the code of the error. */
function ask(resolver: Resolver, type: 'resolve4' | 'resolve6', host: string): Promise<readonly string[] | string> {
  return new Promise(resolve => {
    resolver[type](host, (error, addresses) => resolve(error ? (error.code ?? 'EUNKNOWN') : addresses));
  });
}

function unresolved(code: string): SendFailure {
  if (code === NO_SERVER) return new SendFailure('own_fault', 'no name server could be asked');
  return new SendFailure(
    'dns',
    code === 'ECANCELLED' ? 'the name server did not answer in time' : `the name could not be resolved (${code})`,
  );
}
