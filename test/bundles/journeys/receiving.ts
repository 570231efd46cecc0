/** The journeys of the receiving half: an event's status is final, and its effect happened once. */
import { setTimeout as wait } from 'node:timers/promises';
import { REGION } from '../configurations.ts';
import { HIDDEN_MS } from '../fault-gate.ts';
import type { Stage } from '../stage.ts';
import {
  alarmEvent,
  apiEvent,
  call,
  type Event,
  insist,
  large,
  payment,
  poison,
  post,
  record,
  settle,
} from '../visits.ts';
import { type Journey, nothing } from './journey.ts';

/** Before the name of a journey of the configuration that nobody changed. */
export const BY_DEFAULT = 'by default, ';
const ONCE = 'acknowledged, final, and its effect in the ledger once';

async function paid(stage: Stage, event: Event): Promise<readonly string[]> {
  const wrong: string[] = [];
  if (!(await insist(stage, event))) wrong.push('never acknowledged');
  return [...wrong, ...(await applied(stage, event.id))];
}

async function applied(stage: Stage, id: string): Promise<readonly string[]> {
  const status = await settle(stage, id);
  const row = await stage.item(/Payments/, { paymentId: id });
  const times = Number(row?.['timesApplied'] ?? 0);
  return [
    ...(status === 'completed' ? [] : [`LOST: ${status} ${JSON.stringify(await record(stage, id)).slice(0, 300)}`]),
    ...(times === 1 ? [] : [`applied ${times} times`]),
  ];
}

const REPLAY = 'POST /events/{event_id}/replay';
const replay = (stage: Stage, id: string) =>
  call(stage, 'Api', REPLAY, { event_id: `evt_default.${id}` }, { why: 'again' });

const arrives = (name: string, eventOf: (id: string) => Event): Omit<Journey, 'stage'> => ({
  ...{ name, function: 'Ingest', judged: ONCE, prepare: nothing },
  act: async (stage, id) => void (await post(stage, eventOf(id))),
  check: (stage, id) => paid(stage, eventOf(id)),
});
const isHandled = (name: string, eventOf: (id: string) => Event): Omit<Journey, 'stage'> => ({
  ...{ name, function: 'Process', judged: ONCE },
  prepare: async (stage, id) => void (await insist(stage, eventOf(id))),
  act: async stage => void (await stage.deliver(/WorkMain/, 'Process', 1)),
  check: (stage, id) => paid(stage, eventOf(id)),
});

const sweep = async (stage: Stage): Promise<void> => {
  const swept = await stage.invoke('Sweep', {});
  if (swept.kind === 'failed') throw new Error(`the run of the sweeper crashed: ${swept.error}`);
  // Its ages in any case. A run that could not count the dead letters is not counted as one (core/inbound/sweep/sweep.ts).
  if (swept.kind === 'answered' && !swept.lines.some(line => line.includes('"UnsentOldestAge":')))
    throw new Error('a run of the sweeper was not reported');
};

/** Of what every gateway does, whatever its configuration. */
const EVERYWHERE: readonly Omit<Journey, 'stage'>[] = [
  arrives('an event arrives', payment),
  arrives('an event with a large body arrives', large),
  isHandled('an event is handled', payment),
  isHandled('an event with a large body is handled', large),
  {
    ...{ name: 'an event is dead', function: 'Process', judged: 'final, and its message is in the dead-letter queue' },
    prepare: async (stage, id) => void (await insist(stage, poison(id))),
    act: async stage => void (await stage.deliver(/WorkMain/, 'Process', 1)),
    check: async (stage, id) => {
      const status = await settle(stage, id);
      // What death owes is sent by the sweeper if its process could not.
      for (let n = 0; n < 3; n++) {
        stage.advance(5);
        await stage.invoke('Sweep', {});
      }
      const dead = (await stage.look(/WorkDead/)).filter(body => body.includes(`default#${id}"`));
      const wrong = status === 'dead_letter' ? [] : [`LOST: ${status}`];
      return dead.length > 0 ? wrong : [...wrong, 'no message in the DLQ'];
    },
  },
  {
    ...{ name: 'an event that was never sent is swept', function: 'Sweep' },
    judged: `${ONCE}; each run of the sweeper is reported`,
    prepare: async (stage, id) => {
      await insist(stage, payment(id));
      await stage.drain(/WorkMain/);
      await post(stage, { ...payment(`${id}-refused`), secret: 'wrong' });
      stage.advance(5);
    },
    act: sweep,
    check: async (stage, id) => {
      // Its message was thrown away; the provider knows it as accepted and is silent.
      const wrong = await applied(stage, id);
      // After the lease of the last one.
      stage.advance(5);
      const next = await stage.invoke('Sweep', {});
      const counted = next.lines.some(line => line.includes('"SweeperRuns":1'));
      return counted ? wrong : [...wrong, 'the next run is not counted'];
    },
  },
];

const NEW_DEATH = alarmEvent('holdfast-everything-new-dead-letters', `arn:aws:sns:${REGION}:x:y`);

const WITH_EVERYTHING: readonly Omit<Journey, 'stage'>[] = [
  {
    ...isHandled('a handler asks for the credential of its API', id => ({ ...payment(id), type: 'credential.asked' })),
    only: /^secretsmanager:/,
    // It is kept for five minutes.
    prepare: async (stage, id) => {
      await insist(stage, { ...payment(id), type: 'credential.asked' });
      await stage.restart('Process');
    },
  },
  {
    ...{ name: 'a death is over, and its message goes', function: 'Sweep', only: /^sqs:(?:Receive|Delete)Message/ },
    judged: 'the message of the death that is over is gone, that of the next one is there',
    prepare: async (stage, id) => {
      await insist(stage, poison(id));
      await settle(stage, id);
      await stage.deliver(/WorkMain/, 'Process');
      await replay(stage, id);
      await settle(stage, id);
      stage.advance(5);
      // What the last run looked at is there again.
      await wait(HIDDEN_MS + 100);
    },
    act: sweep,
    check: async (stage, id) => {
      for (let n = 0; n < 3; n++) {
        stage.advance(5);
        await wait(HIDDEN_MS + 100);
        await stage.invoke('Sweep', {});
      }
      const { deadId, status } = (await record(stage, id)) ?? {};
      const messages = (await stage.look(/WorkDead/)).filter(body => body.includes(`default#${id}"`));
      const now = messages.filter(body => body.includes(`"${String(deadId)}"`));
      return [
        ...(status === 'dead_letter' ? [] : [`LOST: ${String(status)}`]),
        ...(now.length > 0 ? [] : ['the message of the last death is gone']),
        ...(now.length === messages.length ? [] : [`${messages.length - now.length} messages of a death that is over`]),
      ];
    },
  },
  {
    ...{ name: 'a record that waits for long is audited', function: 'Audit' },
    judged: `${ONCE}, a month after it came; its body is put anew`,
    prepare: async (stage, id) => {
      await insist(stage, large(id));
      await stage.drain(/WorkMain/);
      stage.advance(5);
      // From now on it is watched; what the sweeper sends is lost, too.
      await stage.invoke('Sweep', {});
      await stage.drain(/WorkMain/);
      await stage.change(/StoreEvents/, { pk: `default#${id}` }, 'receivedAt', stage.now() - 31 * 86_400_000);
      // A night later.
      stage.advance(13 * 60);
    },
    act: async stage => {
      const audited = await stage.invoke('Audit', {});
      if (audited.kind === 'failed') throw new Error(`the run of the audit crashed: ${audited.error}`);
    },
    check: async (stage, id) => {
      stage.advance(13 * 60);
      const { lines } = await stage.invoke('Audit', {});
      const missing = lines.filter(line => line.includes('payload_missing'));
      return [...missing.map(line => line.slice(0, 300)), ...(await applied(stage, id))];
    },
  },
  {
    ...{ name: 'a person runs a dead event again', function: 'Api', judged: 'it ran once more, and is final' },
    prepare: async (stage, id) => {
      await insist(stage, poison(id));
      await settle(stage, id);
    },
    act: async (stage, id) =>
      void (await stage.invoke('Api', apiEvent(REPLAY, { event_id: `evt_default.${id}` }, { why: 'again' }))),
    check: async (stage, id) => {
      // Whoever got no answer looks, and asks again.
      if ((await record(stage, id))?.['gen'] === 1) await replay(stage, id);
      const status = await settle(stage, id);
      const gen = (await record(stage, id))?.['gen'];
      return [
        ...(status === 'dead_letter' ? [] : [`LOST: ${status}`]),
        ...(gen === 2 ? [] : [`it is in generation ${String(gen)}, not in the second`]),
      ];
    },
  },
];

/** What became of the first invocation of a run, and where its calls begin. */
const told = new Map<string, { readonly answered: boolean; readonly from: number }>();

const ON_CALL: Omit<Journey, 'stage'> = {
  ...{ name: 'on-call hears of a death', function: 'Notify', judged: 'no invocation that went well told nobody' },
  prepare: async (stage, id) => {
    await insist(stage, poison(id));
    await settle(stage, id);
  },
  act: async (stage, id) => {
    const from = stage.gate.calls.length;
    told.set(id, { answered: (await stage.invoke('Notify', NEW_DEATH)).kind === 'answered', from });
  },
  check: async (stage, id) => {
    const { answered = false, from = 0 } = told.get(id) ?? {};
    const pages = stage.gate.calls.slice(from).filter(it => it.action === 'sns:Publish');
    if (answered) return pages.length > 0 ? [] : ['LOST: nobody was told'];
    // Lambda tries twice more.
    const again = await stage.invoke('Notify', NEW_DEATH);
    return again.kind === 'answered' ? [] : [`it failed twice: ${JSON.stringify(again).slice(0, 300)}`];
  },
};

export const RECEIVING: readonly Journey[] = [
  ...EVERYWHERE.map(it => ({ ...it, stage: 'everything' as const })),
  ...[...WITH_EVERYTHING, ON_CALL].map(it => ({ ...it, stage: 'everything' as const })),
  // What a person has who changes nothing.
  ...EVERYWHERE.map(it => ({ ...it, stage: 'default' as const, name: `${BY_DEFAULT}${it.name}` })),
];
