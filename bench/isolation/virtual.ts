/** What both systems share on virtual time: how long calls and answers take. */
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';

/** A call of DynamoDB or SQS, there and back. */
export const CALL_MS = { there: 2, back: 3 } as const;
/** After the last message. */
export const DRAIN_MS = 30_000;

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
