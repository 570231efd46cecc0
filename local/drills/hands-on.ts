/**
 * A drill that a person does: something is broken, the page is shown, and from then on the person works as on call, in
 * another terminal. What came of it is judged each second, and the time is told.
 */
import type { DrillStage } from './drill-stage.ts';

export type HandsOnStage = Pick<
  DrillStage,
  | 'send'
  | 'page'
  | 'stateOf'
  | 'item'
  | 'key'
  | 'died'
  | 'timesApplied'
  | 'putRow'
  | 'disableProcessor'
  | 'lastArrival'
  | 'isPaused'
  | 'fail'
  | 'now'
>;

/** One thing that must be so in the end. */
interface Check {
  readonly what: string;
  readonly isSo: boolean;
  /** It is too late for it. */
  readonly missed?: boolean;
}

/** An incident under way. */
interface Incident {
  /** What the person can see elsewhere, e.g. on the provider's dashboard. */
  readonly clue?: string;
  judge(): Promise<readonly Check[]>;
}

export interface Exercise {
  readonly title: string;
  /** Breaks something, and waits for the page, which the stage shows. */
  begin(stage: HandsOnStage): Promise<Incident>;
}

interface Conditions {
  readonly say: (line: string) => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** So long the person may take. */
  readonly limitMs: number;
}

/** Plays it. True: the person ended the incident within the limit. */
export async function playHandsOn(exercise: Exercise, stage: HandsOnStage, to: Conditions): Promise<boolean> {
  to.say('Something breaks. You are on call: wait for the page.');
  const { clue, judge } = await exercise.begin(stage);
  const pagedAt = to.now();
  if (clue !== undefined) to.say(clue);
  to.say('Your turn, in another terminal. The page says how to begin; this one judges what you did.');
  const done = new Set<string>();
  for (;;) {
    const checks = await judge();
    const took = `${Math.round((to.now() - pagedAt) / 1_000)} s after the page`;
    for (const { what, isSo } of checks) {
      if (isSo && !done.has(what)) to.say(`  done: ${what} (${took})`);
      if (isSo) done.add(what);
      // What was so and is so no more counts for nothing.
      else if (done.delete(what)) to.say(`  undone: ${what} (${took})`);
    }
    if (checks.every(it => it.isSo)) {
      to.say(`\nIt is over, ${took}. You did all of it.`);
      return true;
    }
    if (to.now() - pagedAt >= to.limitMs || checks.some(it => it.missed)) {
      const missing = checks.filter(it => !it.isSo).map(it => it.what);
      to.say(`\nNot over, ${took}. Missing: ${missing.join('; ')}. How it is done: npm run drill -- ${exercise.title}`);
      return false;
    }
    await to.sleep(1_000);
  }
}
