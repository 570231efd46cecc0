/** How an endpoint answers in the walks of the session, and what the model calls it. */
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { Answer } from '#core/outbound/ports.ts';
import type { Budget } from '#test/proof/model/outbound/outbound-state.ts';

export type Said = 'well' | 'too many' | 'bad message' | 'down' | 'disable me';

/** What may be said while the budget lasts. */
const ifAny = (budget: number, ...said: readonly Said[]): readonly Said[] => (budget > 0 ? said : []);

export const ANSWERS: Readonly<Record<Said, Answer>> = {
  well: answerOf(200),
  'too many': answerOf(429),
  'bad message': answerOf(422),
  down: answerOf(503),
  'disable me': answerOf(422, { 'webhook-delivery': ['disable'] }),
};
/** What the model calls them. Four failures went before, so that the first one opens the breaker. */
export const FAILURES: Readonly<Record<Said, RegExp>> = {
  well: /^no failure/,
  'too many': /^no failure/,
  'bad message': /^fails, records/,
  down: /^fails, (breaker opens|records)/,
  'disable me': /^fails, 410/,
};

function answerOf(status: number, headers: Readonly<Record<string, readonly string[]>> = {}): Answer {
  const body = new Uint8Array();
  return { kind: 'answered', status, headers, body, bytes: 0, truncated: false, timings: { total: 1 } as never };
}

/** How an endpoint answers next: mostly with one of the failures that the budget leaves. */
export function answerWith(budget: Budget, isTrial: boolean, random: SeededRandom): Said {
  const { fail, throttled, breaker, gone } = budget;
  const failures = isTrial
    ? ifAny(throttled, 'too many', 'down')
    : [
        ...ifAny(throttled, 'too many'),
        ...ifAny(fail, 'bad message'),
        ...ifAny(fail && breaker, 'down'),
        ...ifAny(fail && gone, 'disable me'),
      ];
  return failures.length > 0 && random.chance(0.6) ? random.pick(failures) : 'well';
}
