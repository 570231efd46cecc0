/** Clock, ids, randomness, timers and address ranges of the machine the code runs on. */
import { randomUUID } from 'node:crypto';
import net, { type BlockList, isIP } from 'node:net';
import type { Addresses, Clock, Ids, Random, Timer } from '#core/ports.ts';
import { endCallsOf } from './lifetime.ts';

export const systemClock: Clock = { now: () => Date.now() };
export const systemIds: Ids = { uuid: () => randomUUID() };
export const systemRandom: Random = { next: () => Math.random() };

export const systemTimer: Timer = {
  sleep: ms => new Promise(resolve => setTimeout(resolve, ms)),
  async limit(ms, work) {
    const controller = new AbortController();
    let timeout: NodeJS.Timeout | undefined;
    const timedOut = new Promise<{ kind: 'timed_out' }>(resolve => {
      timeout = setTimeout(() => {
        const reason = new Error(`stopped after ${ms} ms`);
        controller.abort(reason);
        end.abort(reason);
        resolve({ kind: 'timed_out' });
      }, ms);
    });
    const { result, end } = endCallsOf(() => work(controller.signal));
    const finished = result.then(value => ({ kind: 'finished' as const, value }));
    // A late failure of work that was given up has nobody left to hear it.
    finished.catch(() => undefined);
    try {
      return await Promise.race([finished, timedOut]);
    } finally {
      clearTimeout(timeout);
    }
  },
};

const lists = new WeakMap<readonly string[], BlockList>();

/** Address ranges by node:net; a list is parsed once. */
export const systemAddresses: Addresses = {
  contains(ranges, address) {
    const family = isIP(address);
    if (family === 0) return false;
    let list = lists.get(ranges);
    if (!list) {
      // Node loads it when it is first read.
      list = new net.BlockList();
      for (const range of ranges) addRange(list, range);
      lists.set(ranges, list);
    }
    return list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  },
};

function addRange(list: BlockList, range: string): void {
  const [address = '', bits] = range.split('/');
  const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, type);
  else list.addSubnet(address, Number(bits), type);
}
