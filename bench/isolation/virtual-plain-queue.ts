/** The baseline on virtual time: as many slots and the same deadline as ours. */
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { plainSystem } from './plain-system.ts';
import { type Scenario, Stopwatch, type SystemResult } from './scenario.ts';
import { answerTime, CALL_MS, traffic } from './virtual.ts';

export async function virtualPlainQueue(scenario: Scenario, seed: number): Promise<SystemResult> {
  const clock = new VirtualClock();
  const random = new SeededRandom(seed);
  const watch = new Stopwatch(scenario, clock.now());
  const send = async (body: string): Promise<boolean> => {
    const { id, endpoint } = JSON.parse(body) as { id: string; endpoint: number };
    watch.begun(id, endpoint, clock.now());
    if (watch.hangs(endpoint, clock.now())) return clock.sleep(scenario.deadlineMs).then(() => false);
    return clock.sleep(answerTime(random)).then(() => true);
  };
  const { queue, sender, mapping } = plainSystem({
    ...{ clock, random, send, deadlineMs: scenario.deadlineMs },
    maximumConcurrency: scenario.slots.fast + scenario.slots.slow,
  });
  mapping.enable();

  let most = 0;
  await traffic(scenario, { clock, random }, (endpoint, n) => {
    const id = `m${n}`;
    queue.send(JSON.stringify({ id, endpoint }));
    watch.accepted(id, endpoint, clock.now() + CALL_MS.back);
    most = Math.max(most, sender.running);
  });
  mapping.disable();
  return watch.result(most);
}
