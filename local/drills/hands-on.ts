/**
 * A drill that a person does: something is broken, the page is shown, and from then on the person works as on call, in
 * another terminal. What came of it is judged each second, and the time is told.
 */
import { randomBytes } from 'node:crypto';
import type { Page } from '../pager.ts';
import type { DrillStage } from './drill-stage.ts';

export type HandsOnStage = Pick<
  DrillStage,
  'send' | 'page' | 'stateOf' | 'item' | 'timesApplied' | 'disableProcessor' | 'fail'
>;

/** One thing that must be so in the end. */
interface Check {
  readonly what: string;
  readonly isSo: boolean;
}

/** An incident under way. */
interface Incident {
  readonly page: Page;
  /** What the person can see elsewhere, e.g. on the provider's dashboard. */
  readonly clue?: string;
  judge(): Promise<readonly Check[]>;
}

export interface Exercise {
  readonly title: string;
  /** Breaks something, and waits for the page. */
  begin(stage: HandsOnStage): Promise<Incident>;
}

const SECRET_ALARM = 'ingest-signature-failures-default';
const PROBE_ALARM = 'probe-missing-or-slow';

const badSecret: Exercise = {
  title: 'bad-secret',
  async begin(stage) {
    const fresh = randomBytes(32).toString('hex');
    let sent = 0;
    const answerTo = (secret?: string): Promise<number> => stage.send(`hands-on-${sent++}`, {}, secret);
    for (let n = 0; n < 3; n++) await answerTo();
    let paged = false;
    const provider = (async () => {
      while (!paged) await Promise.all([answerTo(fresh), new Promise(resolve => setTimeout(resolve, 800))]);
    })();
    const page = await stage.page(SECRET_ALARM, 300).finally(() => {
      paged = true;
    });
    await provider;
    return {
      page,
      clue: `The provider's dashboard shows a new secret for default: ${fresh}`,
      async judge() {
        const isNew = (await answerTo(fresh)) === 200;
        return [
          { what: 'requests with the new secret are accepted', isSo: isNew },
          // Requests that were signed before the change are still on their way.
          { what: 'requests with the old secret are accepted, too', isSo: isNew && (await answerTo()) === 200 },
          { what: 'the alarm is OK', isSo: (await stage.stateOf(SECRET_ALARM)) === 'OK' },
        ];
      },
    };
  },
};

const processorDown: Exercise = {
  title: 'processor-down',
  async begin(stage) {
    await stage.disableProcessor();
    const names = ['hands-on-1', 'hands-on-2', 'hands-on-3'];
    for (const name of names)
      if ((await stage.send(name, {})) !== 200) stage.fail('an event was refused while the processor was down');
    const page = await stage.page(PROBE_ALARM, 300);
    return {
      page,
      async judge() {
        const items = await Promise.all(names.map(name => stage.item(name)));
        const times = await Promise.all(names.map(name => stage.timesApplied(name)));
        return [
          { what: 'the three events that waited are completed', isSo: items.every(it => it?.status === 'completed') },
          { what: 'the effect of each happened once', isSo: times.every(count => count === 1) },
          { what: 'the alarm is OK', isSo: (await stage.stateOf(PROBE_ALARM)) === 'OK' },
        ];
      },
    };
  },
};

export const EXERCISES: readonly Exercise[] = [badSecret, processorDown];

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
  const { page, clue, judge } = await exercise.begin(stage);
  const pagedAt = to.now();
  to.say(`\n${page.text}\n`);
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
    if (to.now() - pagedAt >= to.limitMs) {
      const missing = checks.filter(it => !it.isSo).map(it => it.what);
      to.say(`\nNot over, ${took}. Missing: ${missing.join('; ')}. How it is done: docs/drills/${exercise.title}.md`);
      return false;
    }
    await to.sleep(1_000);
  }
}
