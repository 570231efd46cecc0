/**
 * The reference: one queue for all, a message for each delivery, as many runs of one function as our two have together. A
 * run sends a batch of ten side by side; what failed comes back when its visibility ends.
 */
import { MemoryFunction } from '#adapters/memory/memory-function.ts';
import { MemoryMapping } from '#adapters/memory/queue/memory-mapping.ts';
import { MemoryQueue } from '#adapters/memory/queue/memory-queue.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { HOUR_MS } from '#core/time.ts';
import { answerTime } from '../isolation/virtual.ts';
import { Gauge, type Level } from './gauge.ts';
import { isUnhealthy, type Load, settingsOf } from './load.ts';
import { arrivals } from './run-load.ts';
import { type Times, TimesOf } from './times.ts';

const VISIBILITY_TIMEOUTS = 6;

export interface PlainResult {
  readonly times: Times;
  readonly wide: Times | undefined;
  readonly runs: Level;
}

export async function runPlain(load: Load): Promise<PlainResult> {
  const { slots, timeoutSeconds } = settingsOf(load);
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const times = new TimesOf();
  const runs = new Gauge(clock);
  const deadlineMs = timeoutSeconds * 1_000;
  const timeoutMs = deadlineMs + 5_000;
  const visibilitySeconds = (VISIBILITY_TIMEOUTS * timeoutMs) / 1_000;
  const queue = new MemoryQueue({ clock, random: random.fork(), visibilitySeconds, duplicateRate: 0 });
  const send = async (delivery: string): Promise<boolean> => {
    const endpoint = Number(delivery.split(' ')[1]);
    const unhealthy = load.unhealthy !== undefined && endpoint < load.endpoints && isUnhealthy(endpoint);
    times.begun(delivery, clock.now());
    await clock.sleep(unhealthy && load.unhealthy === 'hang' ? deadlineMs : answerTime(random));
    if (!unhealthy) times.ended(delivery, clock.now());
    return !unhealthy;
  };
  const sender = new MemoryFunction({
    ...{ clock, random: random.fork(), timeoutMs },
    initialise:
      () =>
      async ({ Records }: { Records: { messageId: string; body: string }[] }) => {
        const sent = await Promise.all(Records.map(({ body }) => send(body)));
        return {
          batchItemFailures: Records.flatMap(({ messageId: itemIdentifier }, at) =>
            sent[at] ? [] : [{ itemIdentifier }],
          ),
        };
      },
  });
  const mapping = new MemoryMapping({
    ...{ clock, random: random.fork(), queue, deleteFailureRate: 0, idleMs: 20 },
    maximumConcurrency: slots.fast + slots.slow,
    invoke: async event => {
      runs.add(1);
      const outcome = await sender.invoke(event);
      runs.add(-1);
      return outcome;
    },
  });
  mapping.enable();
  const published: (readonly [delivery: string, at: number])[] = [];
  const wide: (readonly [delivery: string, at: number])[] = [];
  const publish = (into: (readonly [string, number])[], message: string, from: number, size: number): void => {
    for (let n = from; n < from + size; n++) {
      const delivery = `${message} ${n}`;
      queue.send(delivery);
      const isHealthy = load.unhealthy === undefined || n >= load.endpoints || !isUnhealthy(n);
      if (isHealthy) into.push([delivery, clock.now()]);
    }
  };
  const ms = load.seconds * 1_000;
  const from = clock.now();
  for (const [n, at] of arrivals(random, load.perSecond / load.fanOut, ms).entries()) {
    const to = random.int(load.endpoints / load.fanOut);
    clock.at(from + at, () => publish(published, `m${n}`, to * load.fanOut, load.fanOut));
  }
  const { wide: size } = load;
  if (size !== undefined) clock.at(from + ms / 4, () => publish(wide, 'wide', load.endpoints, size));
  await clock.advanceTo(from + ms);
  const level = runs.read();
  const all = [...published, ...wide].map(([delivery]) => delivery);
  for (const end = clock.now() + HOUR_MS; times.missing(all) > 0 && clock.now() < end; ) await clock.advanceBy(5_000);
  mapping.disable();
  return { times: times.since(published), wide: wide.length === 0 ? undefined : times.since(wide), runs: level };
}
