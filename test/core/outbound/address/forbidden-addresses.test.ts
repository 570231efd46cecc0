import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isForbiddenAddress } from '#core/outbound/address/forbidden-addresses.ts';
import { EDGES_V4, EDGES_V6 } from '#test/hostile/address-edges.ts';

/** The same rule by Node's own lists: a second writing of it. */
const lists = { v4: new BlockList(), v6: new BlockList(), public6: new BlockList() };
for (const { first, bits } of EDGES_V4) lists.v4.addSubnet(first, bits);
for (const { first, bits } of EDGES_V6) lists.v6.addSubnet(first, bits, 'ipv6');
lists.public6.addSubnet('2000::', 3, 'ipv6');
const byNode = (address: string): boolean =>
  isIP(address) === 4
    ? lists.v4.check(address)
    : isIP(address) !== 6 || !lists.public6.check(address, 'ipv6') || lists.v6.check(address, 'ipv6');

describe('forbidden addresses', () => {
  it.each([...EDGES_V4, ...EDGES_V6])(
    '$first/$bits: the first and the last are inside, their neighbours as said',
    edge => {
      expect(isForbiddenAddress(edge.first)).toBe(true);
      expect(isForbiddenAddress(edge.last)).toBe(true);
      for (const outside of edge.outside) expect([outside, isForbiddenAddress(outside)]).toEqual([outside, false]);
    },
  );

  it.each([
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:0:8.8.8.8',
    '::127.0.0.1',
    '::8.8.8.8',
    '64:ff9b::8.8.8.8',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '100::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fe80::5efe:8.8.8.8',
    'fec0::1',
    'ff02::1',
    '2606:4700::1%eth0',
    '5f00::1',
    '4000::1',
  ])('%s is outside the public part of IPv6', address => {
    expect(isForbiddenAddress(address)).toBe(true);
  });

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2001:4860:4860::8888', '2A00:1450::1', '3ffe::1'])(
    '%s is public',
    address => {
      expect(isForbiddenAddress(address)).toBe(false);
    },
  );

  it.each([
    '',
    'example.com',
    '8.8.8',
    '8.8.8.8.8',
    '08.8.8.8',
    '8.8.8.256',
    '0x8.8.8.8',
    '8.8.8.8 ',
    '1:2:3',
    ':',
    ':::',
  ])('%j is no address, and forbidden', text => {
    expect(isForbiddenAddress(text)).toBe(true);
  });

  it("agrees with Node's own lists about any IPv4 address", () => {
    fc.assert(
      fc.property(fc.ipV4(), address => {
        expect(isForbiddenAddress(address)).toBe(byNode(address));
      }),
      {
        numRuns: 1_000,
      },
    );
  });

  it("agrees with Node's own lists about any IPv6 address, in any writing", () => {
    const near = fc
      .tuple(
        fc.constantFrom('2001', '2002', '2000', '3fff', '3ffe', '2a00'),
        fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 }),
      )
      .map(([first, rest]) => [first, ...rest.map(group => group.toString(16))].join(':'));
    fc.assert(
      fc.property(fc.oneof(fc.ipV6(), near), address => {
        expect([address, isForbiddenAddress(address)]).toEqual([address, byNode(address)]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never takes a text for public that Node does not take for an address', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%x ') }), text => {
        if (!isForbiddenAddress(text)) expect(isIP(text)).not.toBe(0);
      }),
      { numRuns: 1_000 },
    );
  });
});
