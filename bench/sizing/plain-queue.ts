/** The reference: one queue for all, with as many runs of one function as our two have together. */
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { HOUR_MS } from '#core/time.ts';
import { plainSystem } from '../isolation/plain-system.ts';
import { answerTime } from '../isolation/virtual.ts';
import { isUnhealthy, type Load, settingsOf } from './load.ts';
import { arrivals } from './run-load.ts';
import { type Times, TimesOf } from './times.ts';

export interface PlainResult {
  readonly times: Times;
  readonly wide: Times | undefined;
}

export async function runPlain(load: Load): Promise<PlainResult> {
  const { slots, timeoutSeconds } = settingsOf(load);
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const times = new TimesOf();
  const deadlineMs = timeoutSeconds * 1_000;
  const send = async (delivery: string): Promise<boolean> => {
    const endpoint = Number(delivery.split(' ')[1]);
    const unhealthy = load.unhealthy !== undefined && endpoint < load.endpoints && isUnhealthy(endpoint);
    times.begun(delivery, clock.now());
    await clock.sleep(unhealthy && load.unhealthy === 'hang' ? deadlineMs : answerTime(random));
    if (!unhealthy) times.ended(delivery, clock.now());
    return !unhealthy;
  };
  const { queue, mapping } = plainSystem({
    ...{ clock, random, send, deadlineMs, maximumConcurrency: slots.fast + slots.slow },
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
  const all = [...published, ...wide].map(([delivery]) => delivery);
  for (const end = clock.now() + HOUR_MS; times.missing(all) > 0 && clock.now() < end; ) await clock.advanceBy(5_000);
  mapping.disable();
  return { times: times.since(published), wide: wide.length === 0 ? undefined : times.since(wide) };
}
