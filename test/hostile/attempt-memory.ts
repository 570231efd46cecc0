/**
 * A process of its own that sends attempts, all at once, to the receiver named in its arguments, and prints how far what
 * it holds rose above what it held before, in bytes. Alone, so that nothing of the receiver is counted; after a
 * collection, because the garbage of a moment says more about how busy the machine is than about an attempt.
 * `node --expose-gc attempt-memory.ts URL AT_ONCE DEADLINE_MS`
 */
import { argv } from 'node:process';
import { guardedSender } from '#adapters/http/guarded-sender.ts';

export interface PeakMemory {
  /** Bytes above the start, in the heap and in buffers, at the highest of all samples. */
  readonly held: number;
  readonly samples: number;
  readonly answered: number;
}

const [, , url = '', atOnce = '', deadline = ''] = argv;
const AT_ONCE = Number(atOnce);
const collectGarbage = globalThis.gc as unknown as () => void;
const rules = { ports: [443], ownHosts: [], allowAddresses: ['127.0.0.1'] };

const held = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

async function round(to: string): Promise<number> {
  const session = guardedSender(rules).open(AT_ONCE);
  const request = { url: to, headers: {}, body: Buffer.from('{}'), deadlineMs: Number(deadline) };
  const all = Array.from({ length: AT_ONCE }, () => session.send(request, new AbortController().signal));
  const answers = await Promise.all(all);
  session.close();
  return answers.filter(it => it.kind === 'answered').length;
}

async function measure(): Promise<PeakMemory> {
  // Compiled code, pools and the first sockets are not of an attempt.
  const well = new URL('/well', url).href;
  for (let i = 0; i < 3; i++) await round(well);
  const before = held();
  let peak = 0;
  let samples = 0;
  const sample = (): void => {
    peak = Math.max(peak, held() - before);
    samples += 1;
  };
  const timer = setInterval(sample, 5);
  const answered = await round(url);
  sample();
  clearInterval(timer);
  return { held: peak, samples, answered };
}

console.log(JSON.stringify(await measure()));
