/** A name server on this machine whose answers are told by a test: any addresses, any number of them, or lies. */
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';

/** Addresses (both families; those of the asked type are given), `cname` before them, or a way to misbehave. */
export type NameAnswer =
  | { readonly addresses: readonly string[]; readonly cname?: readonly string[] }
  | 'silent'
  | 'nxdomain'
  | 'servfail'
  | 'refused'
  | 'truncated'
  | 'garbage'
  | 'other-question'
  | 'other-id';

export interface NameServer {
  /** `address:port`. */
  readonly address: string;
  /** How often each name was asked for, with the type: `name A`. */
  readonly asked: Map<string, number>;
  stop(): Promise<void>;
}

const TYPES = { 1: 'A', 28: 'AAAA' } as const;
const RCODE = { nxdomain: 3, servfail: 2, refused: 5 } as const;

export async function startNameServer(
  answer: (name: string, type: string, time: number) => NameAnswer,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  socket.on('message', (query, from) => {
    const { name, end } = readName(query, 12);
    const type = TYPES[query.readUInt16BE(end) as 1 | 28] ?? 'other';
    const key = `${name} ${type}`;
    const time = asked.get(key) ?? 0;
    asked.set(key, time + 1);
    const reply = replyTo(query.subarray(0, end + 4), name, type, answer(name, type, time));
    if (reply) socket.send(reply, from.port, from.address);
  });
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  return { address: `127.0.0.1:${port}`, asked, stop: () => new Promise(resolve => socket.close(() => resolve())) };
}

function replyTo(query: Buffer, name: string, type: string, told: NameAnswer): Buffer | undefined {
  if (told === 'silent') return undefined;
  if (told === 'garbage') return Buffer.from('this is no answer of a name server');
  const head = Buffer.from(query);
  // Response, recursion available.
  head.writeUInt16BE(0x8180 | (typeof told === 'string' && told in RCODE ? RCODE[told as keyof typeof RCODE] : 0), 2);
  head.fill(0, 6, 12);
  if (told === 'truncated') head.writeUInt16BE(0x8380, 2);
  if (told === 'other-id') head.writeUInt16BE((query.readUInt16BE(0) + 1) & 0xffff, 0);
  if (told === 'other-question') head[13] = (head[13] ?? 0) ^ 1;
  const lies = told === 'other-id' || told === 'other-question';
  if (typeof told === 'string' && !lies) return head;
  const { addresses, cname = [] } = typeof told === 'string' ? { addresses: ['8.8.8.8'] } : told;
  const chain = [name, ...cname];
  const names = chain.slice(1).map((to, i) => record(chain[i] ?? '', 5, writeName(to)));
  const found = addresses.filter(address => isIP(address) === (type === 'A' ? 4 : 6));
  const records = found.map(address => record(chain.at(-1) ?? '', type === 'A' ? 1 : 28, bytesOf(address)));
  head.writeUInt16BE(names.length + records.length, 6);
  return Buffer.concat([head, ...names, ...records]);
}

function record(name: string, type: number, data: Buffer): Buffer {
  const middle = Buffer.alloc(10);
  middle.writeUInt16BE(type, 0);
  middle.writeUInt16BE(1, 2);
  middle.writeUInt16BE(data.length, 8);
  return Buffer.concat([writeName(name), middle, data]);
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const hostname = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [before = '', after] = hostname.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const tail = after === undefined ? [] : groups(after);
  const zeros = new Array<string>(8 - groups(before).length - tail.length).fill('0');
  const all = after === undefined ? groups(before) : [...groups(before), ...zeros, ...tail];
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex');
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at] ?? 0; length !== 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function writeName(name: string): Buffer {
  const labels = name.split('.').filter(label => label !== '');
  return Buffer.concat([
    ...labels.map(label => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
    Buffer.of(0),
  ]);
}
