/** Which address ranges lie within others. */
import type { Deployment } from './deployment.ts';

/** Ranges that no entry of an allow list covers. */
export function notCovered(ranges: readonly string[], allowList: readonly string[]): readonly string[] {
  const allowed = allowList.map(bitsOf);
  return ranges.filter(range => {
    const bits = bitsOf(range);
    return !allowed.some(prefix => bits.startsWith(prefix));
  });
}

/** The fixed bits of a range as text, after its family. */
function bitsOf(range: string): string {
  const [address = '', length = ''] = range.split('/');
  const [family, bits] = address.includes(':') ? ['6:', bitsOfIpv6(address)] : ['4:', bitsOfIpv4(address)];
  return family + bits.slice(0, Number(length));
}

function bitsOfIpv4(address: string): string {
  return address
    .split('.')
    .map(byte => Number(byte).toString(2).padStart(8, '0'))
    .join('');
}

function bitsOfIpv6(address: string): string {
  const [head = [], tail = []] = address.split('::').map(half => half.split(':').filter(group => group !== ''));
  const middle = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...middle, ...tail].map(group => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}

/**
 * What to say of a source whose `allowList` lacks ranges that its provider publishes: requests from those get 403, and
 * most providers do not send them again. A list may be narrow on purpose, so it is no error.
 */
export function narrowAllowLists({ sources }: Pick<Deployment, 'sources'>): readonly string[] {
  return sources.flatMap(({ source: { id, spec, allowList } }) => {
    if (allowList === undefined || spec.ips === undefined) return [];
    const { ranges, readOn } = spec.ips;
    const missing = notCovered(ranges, allowList);
    if (missing.length === 0) return [];
    return [
      `Source ${id} refuses ${missing.length} of the ${ranges.length} address ranges that ${spec.title} published on ${readOn}: requests from ${missing.join(', ')} get 403. Add them to sources.${id}.allowList in gateway.config.ts; \`holdfast sources ips\` prints the whole list.`,
    ];
  });
}
