/**
 * A process of its own that sends attempts, all at once, to the receiver named in its arguments, and prints how far its
 * memory rose above what it held before, in bytes. Alone, so that nothing of the receiver is counted.
 * `node --expose-gc attempt-memory.ts URL AT_ONCE DEADLINE_MS`
 */
import { argv } from 'node:process';
import { guardedSender } from '#adapters/http/guarded-sender.ts';

/** Bytes above the start, at the highest of all samples. */
export interface PeakMemory {
  /** What the engine holds, and what it has not collected yet. */
  readonly used: number;
  /** What the operating system gave. */
  readonly resident: number;
  readonly answered: number;
}

const [, , url = '', atOnce = '', deadline = ''] = argv;
const AT_ONCE = Number(atOnce);
const collectGarbage = globalThis.gc as unknown as () => void;
const rules = { ports: [443], ownHosts: [], allowAddresses: ['127.0.0.1'] };

const used = (): number => {
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
  collectGarbage();
  const before = { used: used(), resident: process.memoryUsage.rss() };
  const peak = { used: 0, resident: 0 };
  const sample = (): void => {
    peak.used = Math.max(peak.used, used() - before.used);
    peak.resident = Math.max(peak.resident, process.memoryUsage.rss() - before.resident);
  };
  const timer = setInterval(sample, 2);
  const answered = await round(url);
  sample();
  clearInterval(timer);
  return { ...peak, answered };
}

console.log(JSON.stringify(await measure()));
