/** Every forbidden range: its first and last address, and neighbours that are public. Written by hand, not computed. */
export interface Edge {
  readonly first: string;
  readonly bits: number;
  readonly last: string;
  /** Public addresses just before and behind, where there are any. */
  readonly outside: readonly string[];
}

export const EDGES_V4: readonly Edge[] = [
  { first: '0.0.0.0', bits: 8, last: '0.255.255.255', outside: ['1.0.0.0'] },
  { first: '10.0.0.0', bits: 8, last: '10.255.255.255', outside: ['9.255.255.255', '11.0.0.0'] },
  { first: '100.64.0.0', bits: 10, last: '100.127.255.255', outside: ['100.63.255.255', '100.128.0.0'] },
  { first: '127.0.0.0', bits: 8, last: '127.255.255.255', outside: ['126.255.255.255', '128.0.0.0'] },
  { first: '169.254.0.0', bits: 16, last: '169.254.255.255', outside: ['169.253.255.255', '169.255.0.0'] },
  { first: '172.16.0.0', bits: 12, last: '172.31.255.255', outside: ['172.15.255.255', '172.32.0.0'] },
  { first: '192.0.0.0', bits: 24, last: '192.0.0.255', outside: ['191.255.255.255', '192.0.1.0'] },
  { first: '192.0.2.0', bits: 24, last: '192.0.2.255', outside: ['192.0.1.255', '192.0.3.0'] },
  { first: '192.88.99.0', bits: 24, last: '192.88.99.255', outside: ['192.88.98.255', '192.88.100.0'] },
  { first: '192.168.0.0', bits: 16, last: '192.168.255.255', outside: ['192.167.255.255', '192.169.0.0'] },
  { first: '198.18.0.0', bits: 15, last: '198.19.255.255', outside: ['198.17.255.255', '198.20.0.0'] },
  { first: '198.51.100.0', bits: 24, last: '198.51.100.255', outside: ['198.51.99.255', '198.51.101.0'] },
  { first: '203.0.113.0', bits: 24, last: '203.0.113.255', outside: ['203.0.112.255', '203.0.114.0'] },
  { first: '224.0.0.0', bits: 4, last: '239.255.255.255', outside: ['223.255.255.255'] },
  { first: '240.0.0.0', bits: 4, last: '255.255.255.255', outside: [] },
];

/** Ranges that are forbidden inside 2000::/3; what is outside of it is forbidden without a list. */
export const EDGES_V6: readonly Edge[] = [
  {
    first: '2001::',
    bits: 23,
    last: '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    outside: ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  },
  {
    first: '2001:db8::',
    bits: 32,
    last: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    outside: ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  },
  {
    first: '2002::',
    bits: 16,
    last: '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    outside: ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  },
  {
    first: '3fff::',
    bits: 20,
    last: '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    outside: ['3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  },
];
