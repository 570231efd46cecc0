import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isCidr } from '#core/config/is-cidr.ts';

it.each([
  '0.0.0.0/0',
  '192.0.2.0/24',
  '255.255.255.255/32',
  '2001:db8::/32',
  '::/0',
  '::1/128',
  'fe80:1:2:3:4:5:6:7/64',
])('accepts %s', range => expect(isCidr(range)).toBe(true));

it.each([
  '',
  '192.0.2.1',
  '192.0.2.0/33',
  '256.0.0.0/8',
  '01.2.3.4/8',
  '1.2.3/8',
  '::1::/64',
  '1:2:3:4:5:6:7/64',
  'g::/8',
  '::/129',
  '::/08',
  'x/8',
])('refuses %j', range => expect(isCidr(range)).toBe(false));

it('accepts only what the block list of the runtime accepts', () => {
  const part = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string({ unit: fc.constantFrom(...'0123456789abcf:.'), maxLength: 20 }),
  );
  fc.assert(
    fc.property(part, fc.integer({ min: 0, max: 200 }), (address, prefix) => {
      const family = isIP(address);
      if (!isCidr(`${address}/${prefix}`)) return;
      expect(family).toBeGreaterThan(0);
      new BlockList().addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
    }),
    { numRuns: 2000 },
  );
});
