/**
 * Which IP addresses nobody may make us connect to: everything that is not the public internet. Ranges: IANA's registries
 * of special-purpose addresses for IPv4 and IPv6 (RFC 6890 and its updates). What cannot be read is forbidden.
 */

/** First address and prefix length. */
const FORBIDDEN_V4: readonly (readonly [number, number])[] = [
  range4('0.0.0.0', 8),
  range4('10.0.0.0', 8),
  range4('100.64.0.0', 10),
  range4('127.0.0.0', 8),
  range4('169.254.0.0', 16),
  range4('172.16.0.0', 12),
  range4('192.0.0.0', 24),
  range4('192.0.2.0', 24),
  range4('192.88.99.0', 24),
  range4('192.168.0.0', 16),
  range4('198.18.0.0', 15),
  range4('198.51.100.0', 24),
  range4('203.0.113.0', 24),
  range4('224.0.0.0', 4),
  range4('240.0.0.0', 4),
];

/**
 * True unless the text is the usual writing of a public address. Of IPv6 only 2000::/3 is public, without 2001::/23,
 * 2001:db8::/32, 2002::/16 and 3fff::/20: so mapped, compatible, translated (NAT64), local, zoned and multicast
 * addresses are forbidden without a list of them.
 */
export function isForbiddenAddress(address: string): boolean {
  const v4 = parseIpv4(address);
  if (v4 !== undefined) return FORBIDDEN_V4.some(([first, bits]) => v4 >>> (32 - bits) === first >>> (32 - bits));
  const v6 = parseIpv6(address);
  if (v6 === undefined) return true;
  const [first = 0, second = 0] = v6;
  if (first >>> 13 !== 1) return true;
  if (first === 0x2001) return second < 0x200 || second === 0xdb8;
  return first === 0x2002 || (first === 0x3fff && second < 0x1000);
}

/** The 32 bits of four decimal numbers without leading zeros, or undefined. */
function parseIpv4(text: string): number | undefined {
  const parts = text.split('.', 5);
  if (parts.length !== 4) return undefined;
  let value = 0;
  for (const part of parts) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = value * 256 + Number(part);
  }
  return value;
}

/** The eight groups, or undefined; a zone (`%eth0`) is no part of a public address. */
function parseIpv6(text: string): readonly number[] | undefined {
  if (text.length > 45) return undefined;
  const embedded = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const v4 = embedded ? parseIpv4(embedded[2] ?? '') : undefined;
  if (embedded && v4 === undefined) return undefined;
  const plain = v4 === undefined ? text : `${embedded?.[1]}${(v4 >>> 16).toString(16)}:${(v4 & 0xffff).toString(16)}`;
  const halves = plain.split('::', 3).map(half => (half === '' ? [] : half.split(':')));
  const [before = [], after] = halves;
  const written = before.length + (after?.length ?? 0);
  if (halves.length > 2 || (after === undefined ? written !== 8 : written > 7)) return undefined;
  const groups = [...before, ...new Array<string>(8 - written).fill('0'), ...(after ?? [])];
  return groups.every(group => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map(group => Number.parseInt(group, 16))
    : undefined;
}

function range4(first: string, bits: number): readonly [number, number] {
  return [parseIpv4(first) ?? 0, bits];
}
