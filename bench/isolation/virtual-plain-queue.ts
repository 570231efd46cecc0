/** The baseline on virtual time: as many slots and the same deadline as ours. */
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { plainSystem } from './plain-system.ts';
import { endpointFor, type Scenario, Stopwatch, type SystemResult } from './scenario.ts';
import { answerTime, CALL_MS, DRAIN_MS } from './virtual.ts';

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
  const { before, during, after } = scenario.seconds;
  const end = clock.now() + (before + during + after) * 1_000;
  const produce = async (): Promise<void> => {
    for (let n = 0; clock.now() < end; n++) {
      await clock.sleep(
        Math.max(1, Math.round((-Math.log(Math.max(1e-9, random.next())) * 1_000) / scenario.perSecond)),
      );
      const endpoint = endpointFor(scenario, () => random.next());
      const id = `m${n}`;
      queue.send(JSON.stringify({ id, endpoint }));
      watch.accepted(id, endpoint, clock.now() + CALL_MS.back);
      most = Math.max(most, sender.running);
    }
  };
  await clock.complete(produce(), (before + during + after + 60) * 1_000);
  await clock.advanceBy(DRAIN_MS);
  mapping.disable();
  return watch.result(most);
}
