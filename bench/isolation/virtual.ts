/** What both systems share on virtual time: how long calls and answers take. */
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { endpointFor, type Scenario } from './scenario.ts';

/** A call of DynamoDB or SQS, there and back. */
export const CALL_MS = { there: 2, back: 3 } as const;
/** After the last message. */
const DRAIN_MS = 30_000;

const MEDIAN_MS = 120;
/** So that one in a hundred takes 770 ms. */
const SIGMA = 0.8;

/** Of all answers: a log-normal mean. */
export const MEAN_ANSWER_MS = MEDIAN_MS * Math.exp(SIGMA ** 2 / 2);

/** Of a healthy endpoint: log-normal. */
export function answerTime(random: SeededRandom): number {
  const [u, v] = [Math.max(1e-9, random.next()), random.next()];
  return Math.round(
    Math.min(5_000, MEDIAN_MS * Math.exp(SIGMA * Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v))),
  );
}

/** The traffic of a scenario: its `n`-th delivery (from 1) to an endpoint at random moments, until all that can end has ended. */
export async function traffic(
  scenario: Scenario,
  { clock, random }: { readonly clock: VirtualClock; readonly random: SeededRandom },
  deliver: (endpoint: number, n: number) => void,
): Promise<void> {
  const { before, during, after } = scenario.seconds;
  const seconds = before + during + after;
  const end = clock.now() + seconds * 1_000;
  const produce = async (): Promise<void> => {
    for (let n = 1; clock.now() < end; n++) {
      const waits = -Math.log(Math.max(1e-9, random.next())) / scenario.perSecond;
      await clock.sleep(Math.max(1, Math.round(waits * 1_000)));
      deliver(
        endpointFor(scenario, () => random.next()),
        n,
      );
    }
  };
  await clock.complete(produce(), (seconds + 60) * 1_000);
  await clock.advanceBy(DRAIN_MS);
}
