/**
 * No connection to a forbidden address, whatever URL, name server or redirect says. Two witnesses count: listeners on this
 * machine, and a hook on every connection that Node is asked to make.
 */
import { type lookup, Resolver } from 'node:dns';
import { globalAgent, request as httpsRequest } from 'node:https';
import { isIP, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchCapped } from '#adapters/http/fetch-capped.ts';
import { AGENT_RULES, guardedHttpsAgent } from '#adapters/http/guarded-agent.ts';
import { guardedSender, type SenderRules } from '#adapters/http/guarded-sender.ts';
import { httpsGet } from '#adapters/http/https-get.ts';
import { CachedKeyFetcher } from '#adapters/http/key-fetcher.ts';
import { isForbiddenAddress } from '#core/outbound/address/forbidden-addresses.ts';
import type { Answer } from '#core/outbound/ports.ts';
import { livedTime } from '#test/kit/lived-time.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { OWN_HOSTS, SPELLINGS } from './address-corpus.ts';
import { EDGES_V4, EDGES_V6 } from './address-edges.ts';
import { type NameAnswer, type NameServer, startNameServer } from './lying-name-server.ts';
import { type Receiver, startReceiver } from './raw-receiver.ts';

const GOOD = ['8.8.8.8', '1.1.1.1'];
let names: NameServer;
let told: Record<string, NameAnswer | ((time: number) => NameAnswer)> = {};
const listeners: Receiver[] = [];
/** Addresses that Node was asked to connect to, and did not: the hook ends each try. */
let tried: string[] = [];
/** Where the hook leads public addresses: nowhere. */
const nativeConnect = Socket.prototype.connect;

beforeAll(async () => {
  names = await startNameServer((name, _type, time) => {
    const answer = told[name] ?? 'nxdomain';
    return typeof answer === 'function' ? answer(time) : answer;
  });
  for (const host of ['127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.254', '::1', '0.0.0.0'])
    listeners.push(await startReceiver({}, undefined, host).catch(() => startReceiver({})));
});
afterAll(async () => {
  await names.stop();
  for (const listener of listeners) await listener.stop();
});
beforeEach(() => {
  told = {};
  tried = [];
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const [first] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
    const options = first as { host?: string; lookup?: typeof lookup };
    const { host = '', lookup: resolve } = options;
    const refuse = (error: Error | null): void => {
      this.destroy(error ?? Object.assign(new Error('the test ends here'), { code: 'ECONNREFUSED' }));
    };
    // As Node does it: a literal is called as it is, a name through its lookup.
    if (isIP(host) !== 0 || !resolve) {
      tried.push(host);
      refuse(null);
      return this;
    }
    resolve(host, { all: true }, (error, found) => {
      for (const { address } of error ? [] : (found as unknown as { address: string }[])) tried.push(address);
      refuse(error);
    });
    return this;
  } as typeof nativeConnect);
});
afterEach(() => {
  vi.restoreAllMocks();
  // Whatever a test did: nobody inside was called.
  expect(tried.filter(isForbiddenAddress)).toEqual([]);
  expect(listeners.map(listener => listener.connections())).toEqual(listeners.map(() => 0));
});

const rules = (more: Partial<SenderRules> = {}): SenderRules => ({
  ...{ ports: [443, ...listeners.map(({ port }) => port)], ownHosts: OWN_HOSTS, allowAddresses: [], dnsMs: 4_000 },
  ...{ nameServers: [names.address], ...more },
});

async function sendTo(url: string, more: Partial<SenderRules> = {}): Promise<Answer> {
  const session = guardedSender(rules(more)).open(2);
  try {
    const request = { url, headers: {}, body: Buffer.from('{}'), deadlineMs: 8_000 };
    return await session.send(request, new AbortController().signal);
  } finally {
    session.close();
  }
}

describe('the witnesses', () => {
  it('see a connection of somebody who does not look', async () => {
    await new Promise(resolve => httpsRequest('https://8.8.4.4:1/').once('error', resolve).end());
    expect(tried).toEqual(['8.8.4.4']);
  });
});

// Holds O14.
describe('URLs', () => {
  it('none of the corpus is called, on any port where somebody listens (O14)', async () => {
    told['hooks.customer.com'] = { addresses: ['127.0.0.1'] };
    let asked = 0;
    for (const url of SPELLINGS) {
      for (const port of [undefined, listeners[0]?.port]) {
        const placed = port === undefined ? url : url.replace(/^(https?:\/\/[^/:?#\\]+)(\/|$)/i, `$1:${port}$2`);
        const got = await sendTo(placed);
        expect([placed, got]).toEqual([
          placed,
          expect.objectContaining({ kind: 'failed', cause: 'forbidden_address' }),
        ]);
        asked += 1;
      }
    }
    expect(asked).toBeGreaterThan(600);
    expect(tried).toEqual([]);
    recordRun(['O14'], 'hostile-addresses', asked);
  });
});

// Holds O14.
describe('names', () => {
  const edges = [...EDGES_V4, ...EDGES_V6];

  it.each(edges)(
    'that lead to the first or last address of $first/$bits are refused, also among good ones',
    async edge => {
      const good = [...GOOD, '2606:4700:4700::1111'];
      for (const bad of [edge.first, edge.last]) {
        for (const addresses of [[bad], [bad, ...good], [...good, bad]]) {
          told['hooks.customer.com'] = { addresses };
          const got = await sendTo('https://hooks.customer.com/in', { ipv6: true });
          expect(got).toMatchObject({
            kind: 'failed',
            cause: 'forbidden_address',
            detail: 'this address is not allowed',
          });
        }
      }
      for (const address of edge.outside) {
        tried = [];
        told['hooks.customer.com'] = { addresses: [address] };
        await sendTo('https://hooks.customer.com/in', { ipv6: true });
        expect(tried.map(it => it.toLowerCase())).toEqual([address]);
      }
    },
  );

  it('with fifty answers are refused for one of them', async () => {
    const fifty = Array.from({ length: 49 }, (_, i) => `8.8.${i}.8`);
    told['hooks.customer.com'] = { addresses: [...fifty.slice(0, 25), '169.254.169.254', ...fifty.slice(25)] };
    expect(await sendTo('https://hooks.customer.com/in')).toMatchObject({ cause: 'forbidden_address' });
    expect(tried).toEqual([]);
  });

  it('with a chain of other names are refused for where it ends', async () => {
    told['hooks.customer.com'] = {
      addresses: ['10.0.0.1'],
      cname: ['a.customer.com', 'metadata.internal', 'b.internal'],
    };
    expect(await sendTo('https://hooks.customer.com/in')).toMatchObject({ cause: 'forbidden_address' });
  });

  it('are judged by each answer of its own: rebinding finds no gap', async () => {
    told['rebind.customer.com'] = time => ({ addresses: time === 0 ? GOOD : ['127.0.0.1'] });
    await sendTo('https://rebind.customer.com/in');
    expect(tried).toEqual(GOOD);
    for (let i = 0; i < 3; i++)
      expect(await sendTo('https://rebind.customer.com/in')).toMatchObject({ cause: 'forbidden_address' });
    expect(tried).toEqual(GOOD);
    // One question for one connection: nobody asks a second time between the check and the call.
    expect(names.asked.get('rebind.customer.com A')).toBe(4);
  });

  it('with good IPv4 and bad IPv6 are called by IPv4 only; refused where IPv6 is used', async () => {
    told['two.customer.com'] = { addresses: ['8.8.8.8', '::1', 'fd00::1'] };
    await sendTo('https://two.customer.com/in');
    expect(tried).toEqual(['8.8.8.8']);
    expect(names.asked.get('two.customer.com AAAA')).toBeUndefined();
    expect(await sendTo('https://two.customer.com/in', { ipv6: true })).toMatchObject({ cause: 'forbidden_address' });
    expect(tried).toEqual(['8.8.8.8']);
  });

  it.each(['nxdomain', 'servfail', 'refused', 'silent', 'garbage', 'other-question', 'other-id'] as const)(
    'of a server that answers %s are not called: dns',
    async answer => {
      told['hooks.customer.com'] = answer;
      const lived = livedTime();
      const got = await sendTo('https://hooks.customer.com/in', { dnsMs: 150 });
      expect([got.kind === 'failed' && got.cause, tried]).toEqual(['dns', []]);
      expect(lived()).toBeLessThan(2_000);
    },
  );

  it('without addresses, or cut off, are not called', async () => {
    told['hooks.customer.com'] = { addresses: [] };
    expect(await sendTo('https://hooks.customer.com/in')).toMatchObject({ kind: 'failed', cause: 'dns' });
    // A cut answer is asked for again over TCP, which this name server does not speak.
    told['hooks.customer.com'] = 'truncated';
    expect(await sendTo('https://hooks.customer.com/in')).toMatchObject({ kind: 'failed', cause: 'own_fault' });
    expect(tried).toEqual([]);
  });

  it('that cannot be asked for at all are our own fault', async () => {
    const gone = await startNameServer(() => 'silent');
    await gone.stop();
    const got = await sendTo('https://hooks.customer.com/in', { nameServers: [gone.address] });
    expect(got).toMatchObject({ kind: 'failed', cause: 'own_fault' });
  });

  it('of silent servers hold nobody up: sixteen beside a good one', async () => {
    told['hooks.customer.com'] = { addresses: GOOD };
    const slow = Array.from({ length: 16 }, (_, i) => {
      told[`silent${i}.customer.com`] = 'silent';
      return sendTo(`https://silent${i}.customer.com/in`, { dnsMs: 600 });
    });
    const lived = livedTime();
    await sendTo('https://hooks.customer.com/in');
    expect(tried).toEqual(GOOD);
    expect(lived()).toBeLessThan(550);
    expect((await Promise.all(slow)).map(got => got.kind === 'failed' && got.cause)).toEqual(slow.map(() => 'dns'));
  });
});

describe('the traps of Node', () => {
  it('a literal address never gets to the lookup: the agent itself refuses it', () => {
    const agent = guardedHttpsAgent({ ...AGENT_RULES, nameServers: [names.address] });
    for (const host of ['127.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', '10.1.2.3'])
      expect(() => httpsRequest({ host, port: listeners[0]?.port, agent })).toThrow('this address is not allowed');
    agent.destroy();
  });

  it('a kept connection belongs to its session: one that another lookup made is never used', async () => {
    // As in production the agent is the session's own; the global one is never asked.
    const globally = vi.spyOn(globalAgent, 'createConnection');
    told['hooks.customer.com'] = { addresses: GOOD };
    await sendTo('https://hooks.customer.com/in');
    told['hooks.customer.com'] = { addresses: ['127.0.0.1'] };
    expect(await sendTo('https://hooks.customer.com/in')).toMatchObject({ cause: 'forbidden_address' });
    expect(globally).not.toHaveBeenCalled();
  });

  it('a header that cannot be sent is our own fault, and nothing is thrown', async () => {
    told['hooks.customer.com'] = { addresses: GOOD };
    const session = guardedSender(rules()).open(1);
    for (const headers of [{ 'x-a': 'b\r\nc: d' }, { 'x a': 'b' }, { 'x-a': 'ж' }] as Record<string, string>[]) {
      const request = { url: 'https://hooks.customer.com/in', headers, body: new Uint8Array(), deadlineMs: 500 };
      const got = await session.send(request, new AbortController().signal);
      expect(got).toMatchObject({ kind: 'failed', cause: 'own_fault', detail: expect.not.stringContaining('c: d') });
    }
    session.close();
    expect(tried).toEqual([]);
  });
});

describe('keys and confirmations', () => {
  /** The name servers of the machine, as production asks them. */
  const machineAnswers = (addresses: readonly string[]) =>
    vi
      .spyOn(Resolver.prototype, 'resolve4')
      .mockImplementation(((_: string, done: (error: null, found: readonly string[]) => void) =>
        setImmediate(done, null, addresses)) as never);

  it.each(['127.0.0.1', '169.254.169.254', '10.0.0.1', '100.64.0.1'])(
    'are not fetched from a name that leads to %s',
    async address => {
      machineAnswers([...GOOD, address]);
      const keys = new CachedKeyFetcher({ clock: { now: () => 0 } });
      await expect(keys.fetchKey('jwksUrl', 'https://keys.provider.com/jwks', 'a')).rejects.toThrow(
        'this address is not allowed',
      );
      await expect(keys.fetchKey('x509Url', 'https://keys.provider.com/cert.pem')).rejects.toThrow(
        'this address is not allowed',
      );
      await expect(keys.fetchKey('plaid', 'https://keys.provider.com', 'k', 'a:b')).rejects.toThrow(
        'this address is not allowed',
      );
      await expect(httpsGet().get('https://sns.provider.com/?Action=ConfirmSubscription')).rejects.toThrow(
        'this address is not allowed',
      );
      expect(tried).toEqual([]);
    },
  );

  it('are fetched from a public one', async () => {
    machineAnswers(GOOD);
    await expect(httpsGet().get('https://sns.provider.com/')).rejects.toThrow('the test ends here');
    expect(tried).toEqual(GOOD);
  });

  it('an error does not say where the name leads', async () => {
    told['keys.provider.com'] = { addresses: ['169.254.169.254'] };
    const agent = guardedHttpsAgent({ ...AGENT_RULES, nameServers: [names.address] });
    const limits = { timeoutMs: 1_000, maxBytes: 100, agent };
    const call = fetchCapped({ method: 'GET', url: 'https://keys.provider.com/jwks', ...limits });
    await expect(call).rejects.toThrow(/^GET keys\.provider\.com: this address is not allowed$/);
    agent.destroy();
  });
});
