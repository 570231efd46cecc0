/**
 * The baseline on virtual time: one queue for everybody, a message for each delivery, a function that sends a batch of ten
 * side by side. As many slots and the same deadline as ours; what failed comes back when its visibility ends.
 */
import { MemoryFunction } from '#adapters/memory/memory-function.ts';
import { MemoryMapping } from '#adapters/memory/queue/memory-mapping.ts';
import { MemoryQueue } from '#adapters/memory/queue/memory-queue.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { endpointFor, type Scenario, Stopwatch, type SystemResult } from './scenario.ts';
import { answerTime, CALL_MS, DRAIN_MS } from './virtual.ts';

/** Six times the function's timeout, as AWS advises. */
const VISIBILITY_TIMEOUTS = 6;

export async function virtualPlainQueue(scenario: Scenario, seed: number): Promise<SystemResult> {
  const clock = new VirtualClock();
  const random = new SeededRandom(seed);
  const watch = new Stopwatch(scenario, clock.now());
  const timeoutMs = scenario.deadlineMs + 5_000;
  const visibilitySeconds = (VISIBILITY_TIMEOUTS * timeoutMs) / 1_000;
  const queue = new MemoryQueue({ clock, random: random.fork(), visibilitySeconds, duplicateRate: 0 });

  const send = async (body: string): Promise<boolean> => {
    const { id, endpoint } = JSON.parse(body) as { id: string; endpoint: number };
    watch.begun(id, endpoint, clock.now());
    if (watch.hangs(endpoint, clock.now())) return clock.sleep(scenario.deadlineMs).then(() => false);
    return clock.sleep(answerTime(random)).then(() => true);
  };
  const sender = new MemoryFunction({
    ...{ clock, random: random.fork(), timeoutMs },
    initialise:
      () =>
      async ({ Records }: { Records: { messageId: string; body: string }[] }) => {
        const sent = await Promise.all(Records.map(({ body }) => send(body)));
        const failed = Records.filter((_, at) => !sent[at]);
        return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
      },
  });
  const mapping = new MemoryMapping({
    ...{ clock, random: random.fork(), queue, deleteFailureRate: 0, idleMs: 20 },
    maximumConcurrency: scenario.slots.fast + scenario.slots.slow,
    invoke: event => sender.invoke(event),
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
