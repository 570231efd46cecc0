/** True for an IPv4 or IPv6 range with its prefix length, e.g. `192.0.2.0/24` or `2001:db8::/32`. */
export function isCidr(range: string): boolean {
  const match = /^([0-9a-fA-F.:]+)\/(0|[1-9]\d{0,2})$/.exec(range);
  const address = match?.[1];
  const prefix = Number(match?.[2]);
  if (address === undefined) return false;
  return address.includes(':') ? prefix <= 128 && isIpv6(address) : prefix <= 32 && isIpv4(address);
}

function isIpv4(address: string): boolean {
  const parts = address.split('.');
  return parts.length === 4 && parts.every(part => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(address: string): boolean {
  const halves = address.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap(half => (half === '' ? [] : half.split(':')));
  if (!groups.every(group => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? groups.length <= 7 : groups.length === 8;
}
