/** The ways of the matrix: in each, one function makes its calls, one of which fails; then things go on, and the books are read. */
import type { Stage } from './stage.ts';
import {
  answerOf,
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
} from './visits.ts';

export interface Journey {
  readonly name: string;
  /** Whose calls fail. */
  readonly function: string;
  readonly stage: 'everything' | 'sending';
  prepare(stage: Stage, id: string): Promise<void>;
  /** The invocation whose calls fail. */
  act(stage: Stage, id: string): Promise<void>;
  /** Goes on without faults, and answers what is wrong. Empty: nothing lost, nothing doubled. */
  check(stage: Stage, id: string): Promise<readonly string[]>;
}

const nothing = async (): Promise<void> => {};

async function paid(stage: Stage, event: Event): Promise<readonly string[]> {
  const wrong: string[] = [];
  if (!(await insist(stage, event))) wrong.push('never acknowledged');
  const status = await settle(stage, event.id);
  if (status !== 'completed') wrong.push(`LOST: ${status}`);
  const row = await stage.item(/Payments/, { paymentId: event.id });
  if (row?.['timesApplied'] !== 1) wrong.push(`applied ${String(row?.['timesApplied'] ?? 0)} times`);
  return wrong;
}

const receiving = (name: string, by: 'Ingest' | 'Process', eventOf: (id: string) => Event): Journey => ({
  ...{ name, function: by, stage: 'everything' },
  prepare: by === 'Ingest' ? nothing : async (stage, id) => void (await insist(stage, eventOf(id))),
  act: async (stage, id) => {
    if (by === 'Ingest') await post(stage, eventOf(id));
    else await stage.deliver(/WorkMain/, 'Process', 1);
  },
  check: (stage, id) => paid(stage, eventOf(id)),
});

export const APP = 'uid:routed';

const sending = (
  name: string,
  by: 'Publish' | 'FanOut' | 'DrainFast' | 'Tend',
  act: (stage: Stage, id: string) => Promise<unknown>,
): Journey => ({
  ...{ name, function: by, stage: 'sending' },
  prepare: async (stage, id) => {
    if (by === 'Publish') return;
    await publish(stage, id);
    // What publish sent by itself is taken away: fan-out, the drain and tend have something to do.
    if (by === 'Tend') for (const queue of [/DeliveryJobs\w{8}$/, /WakeFast/, /WakeSlow/]) await stage.drain(queue);
    if (by === 'FanOut') await queueJob(stage, id);
    if (by === 'DrainFast') await stage.deliver(/DeliveryJobs(?!Dead)/, 'FanOut');
  },
  act: async (stage, id) => void (await act(stage, id)),
  check: async (stage, id) => {
    const message = await publish(stage, id);
    for (let round = 0; round < 8; round++) {
      await stage.deliver(/DeliveryJobs(?!Dead)/, 'FanOut');
      await stage.deliver(/WakeFast/, 'DrainFast');
      await stage.deliver(/WakeSlow/, 'DrainSlow');
      const { json } = await call(stage, 'DeliveryApi', 'GET /v1/apps/{app}/messages/{msg}/deliveries', {
        app: APP,
        msg: message,
      });
      const states = (json.data ?? json.deliveries ?? json).map((it: { status: string }) => it.status);
      if (states.length > 0 && states.every((it: string) => it === 'delivered')) return [];
      if (round === 7) return [`LOST: ${JSON.stringify(json).slice(0, 300)}`];
      stage.advance(5);
      await stage.invoke('Tend', {});
    }
    return ['never'];
  },
});

/** Of what publish fanned out by itself, as it does for few endpoints: the job that others get. */
async function queueJob(stage: Stage, key: string): Promise<void> {
  const { json } = await call(stage, 'DeliveryApi', 'GET /v1/apps/{app}', { app: APP });
  await stage.send(/DeliveryJobs(?!Dead)/, JSON.stringify({ v: 1, app: json.id, msg: await publish(stage, key) }));
}

async function publish(stage: Stage, key: string): Promise<string> {
  const body = { key, type: 'invoice.paid', data: { key } };
  for (let n = 0; n < 4; n++) {
    const answer = answerOf(await stage.invoke('Publish', publishEvent(body)));
    if (answer && answer.statusCode < 300) return JSON.parse(answer.body).id;
  }
  throw new Error(`message ${key} was never accepted`);
}

const publishEvent = (body: unknown): unknown =>
  apiEvent('POST /v1/apps/{app}/messages', { app: APP }, body, { 'content-type': 'application/json' });

export const JOURNEYS: readonly Journey[] = [
  receiving('an event arrives', 'Ingest', payment),
  receiving('an event with a large body arrives', 'Ingest', large),
  receiving('an event is handled', 'Process', payment),
  receiving('an event with a large body is handled', 'Process', large),
  {
    ...{ name: 'an event is dead', function: 'Process', stage: 'everything' },
    prepare: async (stage, id) => void (await insist(stage, poison(id))),
    act: async stage => void (await stage.deliver(/WorkMain/, 'Process', 1)),
    check: async (stage, id) => {
      const status = await settle(stage, id);
      // What death owes is sent by the sweeper if its process could not.
      for (let n = 0; n < 3; n++) {
        stage.advance(5);
        await stage.invoke('Sweep', {});
      }
      const dead = (await stage.drain(/WorkDead/)).filter(body => body.includes(`default#${id}"`));
      const wrong = status === 'dead_letter' ? [] : [`LOST: ${status}`];
      return dead.length > 0 ? wrong : [...wrong, 'no message in the DLQ'];
    },
  },
  {
    ...{ name: 'an event that was never sent is swept', function: 'Sweep', stage: 'everything' },
    prepare: async (stage, id) => {
      await insist(stage, payment(id));
      await stage.drain(/WorkMain/);
      await post(stage, { ...payment(`${id}-refused`), secret: 'wrong' });
      stage.advance(5);
    },
    act: async stage => {
      const swept = await stage.invoke('Sweep', {});
      if (swept.kind === 'failed') throw new Error(`the run of the sweeper crashed: ${swept.error}`);
      // Its ages in any case. A run that could not count the dead letters is not counted as one (core/inbound/sweep/sweep.ts).
      if (swept.kind === 'answered' && !swept.lines.some(line => line.includes('"UnsentOldestAge":')))
        throw new Error('a run of the sweeper was not reported');
    },
    check: async (stage, id) => {
      // Its message was thrown away; the provider knows it as accepted and is silent.
      const status = await settle(stage, id);
      const row = await stage.item(/Payments/, { paymentId: id });
      const wrong = status === 'completed' ? [] : [`LOST: ${status} ${JSON.stringify(await record(stage, id))}`];
      // After the lease of the last one.
      stage.advance(5);
      const next = await stage.invoke('Sweep', {});
      if (!next.lines.some(line => line.includes('"SweeperRuns":1'))) wrong.push('the next run is not counted');
      return row?.['timesApplied'] === 1 ? wrong : [...wrong, `applied ${String(row?.['timesApplied'] ?? 0)} times`];
    },
  },
  sending('a message is published', 'Publish', (stage, id) =>
    stage.invoke('Publish', publishEvent({ key: id, type: 'invoice.paid', data: { key: id } })),
  ),
  sending('a message is fanned out', 'FanOut', stage => stage.deliver(/DeliveryJobs(?!Dead)/, 'FanOut', 1)),
  sending('a delivery is sent', 'DrainFast', stage => stage.deliver(/WakeFast/, 'DrainFast', 1)),
  sending('what was left is tended', 'Tend', stage => {
    stage.advance(5);
    return stage.invoke('Tend', {});
  }),
];
