/** The incidents of the hands-on drills: what breaks, what the person can see elsewhere, and what must be so in the end. */

import { randomBytes } from 'node:crypto';
import { sideBySide } from '#core/side-by-side.ts';
import type { Exercise } from './hands-on.ts';

const PAGE_SECONDS = 300;
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
      while (!paged)
        await Promise.all([answerTo(fresh).catch(() => undefined), new Promise(resolve => setTimeout(resolve, 800))]);
    })();
    await stage.page(SECRET_ALARM, PAGE_SECONDS).finally(() => {
      paged = true;
    });
    await provider;
    return {
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
    await stage.page(PROBE_ALARM, PAGE_SECONDS);
    return {
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

const DEAD_ALARMS = ['process-new-dead-letters', 'process-dead-letters-open'] as const;

const deadLetter: Exercise = {
  title: 'dead-letter',
  async begin(stage) {
    const row = `hands-on-${stage.key('account')}`;
    const late = ['late-1', 'late-2'];
    await stage.send('test', { needs: `${row}-of-nobody` });
    for (const name of late) await stage.send(name, { needs: row });
    for (const name of [...late, 'test']) await stage.died(name, PAGE_SECONDS);
    await stage.page(DEAD_ALARMS[0], PAGE_SECONDS);
    await stage.putRow(row);
    const id = (name: string): string => `evt_default.${stage.key(name)}`;
    return {
      clue: `Those who keep the accounts say: "The account of ${late.map(id).join(' and ')} was created a minute late and is there now. ${id('test')} was a test of ours: its account never comes."`,
      async judge() {
        const items = await Promise.all(late.map(name => stage.item(name)));
        const times = await Promise.all(late.map(name => stage.timesApplied(name)));
        const test = await stage.item('test');
        const states = await Promise.all(DEAD_ALARMS.map(alarm => stage.stateOf(alarm)));
        return [
          {
            what: 'the two events whose account is there are completed',
            isSo: items.every(it => it?.status === 'completed'),
          },
          { what: 'the effect of each happened once', isSo: times.every(count => count === 1) },
          { what: 'the test is closed, with a reason', isSo: test?.status === 'closed' && test.closing.why !== '' },
          { what: 'the alarms are OK', isSo: states.every(state => state === 'OK') },
        ];
      },
    };
  },
};

const QUIET = 'github';

const silentSource: Exercise = {
  title: 'silent-source',
  async begin(stage) {
    const alarm = `ingest-silent-source-${QUIET}`;
    const page = await stage.page(alarm, PAGE_SECONDS);
    return {
      clue: `The provider's settings show the webhook of ${QUIET} as disabled, "after too many failures". You enable it there; the test event that it then sends is, here, npm run holdfast -- send ${QUIET} --env drill`,
      async judge() {
        const last = await stage.lastArrival(QUIET);
        return [
          { what: 'an event of the source came after the page', isSo: last !== undefined && last > page.at },
          { what: 'the alarm is OK', isSo: (await stage.stateOf(alarm)) === 'OK' },
        ];
      },
    };
  },
};

const SLOW = { events: 120, eachMs: 7_000, forMs: 180_000 } as const;
const QUEUE_ALARM = 'process-queue-age';

const backlog: Exercise = {
  title: 'backlog',
  async begin(stage) {
    const until = stage.now() + SLOW.forMs;
    const names = Array.from({ length: SLOW.events }, (_, n) => `slow-${n}`);
    await sideBySide(names, name => stage.send(name, { behave: 'sleep', ms: SLOW.eachMs, until }), 20);
    await stage.page(QUEUE_ALARM, PAGE_SECONDS);
    let wasPaused = false;
    return {
      clue: `Those who run the service behind default say: "It is slow, and will be well again at ${new Date(until).toISOString()}." Until then the other sources should not wait behind it.`,
      async judge() {
        const [paused, isSlow] = [await stage.isPaused('default'), stage.now() < until];
        wasPaused ||= paused && isSlow;
        const items = await Promise.all(names.map(name => stage.item(name)));
        const all = items.every(it => it?.status === 'completed');
        return [
          { what: 'the source is held back while its service is slow', isSo: wasPaused, missed: !wasPaused && !isSlow },
          { what: 'the source runs again', isSo: wasPaused && !paused && !isSlow },
          { what: `the ${names.length} events are completed`, isSo: all },
          {
            what: 'the effect of each happened once',
            isSo: all && (await Promise.all(names.map(name => stage.timesApplied(name)))).every(count => count === 1),
          },
          { what: 'the alarm is OK', isSo: (await stage.stateOf(QUEUE_ALARM)) === 'OK' },
        ];
      },
    };
  },
};

/** By the name of their drill. */
export const EXERCISES: readonly Exercise[] = [deadLetter, backlog, badSecret, silentSource, processorDown];
