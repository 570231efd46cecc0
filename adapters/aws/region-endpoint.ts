/**
 * Bundled into the functions in place of the SDK's endpoint rules (20 KB per start for one line of text). A test compares
 * it with those rules for every region the SDK knows. Dual-stack and FIPS endpoints are not for us.
 */
const SUFFIXES: readonly (readonly [prefix: string, suffix: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['us-isof-', 'csp.hci.ic.gov'],
];

/** What the SDK asks an endpoint resolver. */
export interface EndpointQuestion {
  readonly Endpoint?: string | undefined;
  readonly Region?: string | undefined;
}

/** Answers with the configured endpoint, else with the service's address in the region. Throws without either. */
export function resolveEndpointOf(service: string): (question: EndpointQuestion) => { readonly url: URL } {
  return ({ Endpoint, Region }) => {
    if (Endpoint) return { url: new URL(Endpoint) };
    if (!Region || !/^[a-z0-9-]{1,63}$/.test(Region)) {
      throw new Error(`"${Region}" is not a region: Lambda sets AWS_REGION; elsewhere export it, e.g. eu-central-1`);
    }
    const suffix = SUFFIXES.find(([prefix]) => Region.startsWith(prefix))?.[1] ?? 'amazonaws.com';
    return { url: new URL(`https://${service}.${Region}.${suffix}`) };
  };
}
