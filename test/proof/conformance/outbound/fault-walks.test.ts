/**
 * The model of faults and the real session do the same: at each request of a random walk, whether the failure is charged
 * (W6), waits by itself (W21) or waits for the endpoint's hold, and that no row is due at once. The breaker is the code's
 * own; what it means for a charge is the model's.
 */
import { expect, test } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { afterAnswer, type Breaker, DEFAULT_HOLD, isOnTrial } from '#core/outbound/drain/breaker.ts';
import { classifyAnswer } from '#core/outbound/drain/classify-answer.ts';
import { EGRESS } from '#core/outbound/drain/endpoint-config.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { controlKey, dueAtOf } from '#core/outbound/protocol/keys.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { answered, noAnswer, OutboundWorld, type Received } from '#test/kit/outbound-world.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { after, GOOD, type Rules, type State, startOf } from '#test/proof/model/outbound/outbound-fault-model.ts';

const WALKS = isLongRun() ? 300 : 30;
/** As many waits as make the attempts of the model. */
const WAITS = [5, 60, 300];
const NO_HEALTH: Breaker = { opens: 0, probes: 0 };

interface Met {
  charged: number;
  byItself: number;
  onHold: number;
  delivered: number;
  dead: number;
}

async function walk(seed: number, rules: Rules, met: Met): Promise<void> {
  const random = new SeededRandom(seed);
  const poison = [true, false, false].map((_, m) => (m === 0 ? random.chance(0.7) : random.chance(0.2)));
  let state: State = startOf({ poison, changes: 0 });
  let breaker = NO_HEALTH;
  const ids: MessageId[] = [];
  const begun: { request: Received; before: State; to: State; charged: boolean; held: boolean }[] = [];
  const world = new OutboundWorld({
    ...{ seed, waits: WAITS, idleMs: 5 * MINUTE_MS, longPolling: true, publishes: 'direct', autoDisableDays: false },
    onAnswer: request => {
      const m = ids.indexOf(request.id as MessageId);
      const now = world.clock.now();
      const asked = { ...state, open: isOnTrial(breaker) };
      const { to, charged } = after(rules, asked, m);
      const verdict = classifyAnswer(request.answer ?? noAnswer('timeout'), now);
      const given = { now, random, hold: DEFAULT_HOLD, cap: 1, about: request.id };
      // A hold that is over says nothing.
      const { holdUntil = 0, ...rest } = breaker;
      breaker = afterAnswer(holdUntil > now ? breaker : rest, verdict, given);
      state = to;
      begun.push({ request, before: asked, to, charged, held: (breaker.holdUntil ?? 0) > now });
    },
  });
  const { clock } = world;
  const app = await world.createApplication();
  const ep = await world.createEndpoint(
    app,
    ({ id }) => {
      const m = ids.indexOf(id as MessageId);
      if (state.world === 'silent') return noAnswer('connect');
      return answered(state.world === 'broken' || state.messages[m]?.poison ? 500 : 200);
    },
    { maxConcurrency: 1 },
  );
  if (rules.guard !== 'off') {
    const value = JSON.stringify({ held: 30, counted: 30, withTraffic: 30, at: clock.now() });
    const item = { value, version: 1, until: clock.now() + 1_000 * HOUR_MS };
    await world.store.put({ kind: 'put', key: controlKey(EGRESS), item });
  }
  for (const key of ['a', 'b', 'c']) {
    const heard = await clock.complete(world.publish(app, key));
    if (heard.kind === 'accepted') ids.push(heard.id);
  }
  world.start();
  for (let step = 0; step < 200 && state.messages.some(({ is }) => is === 'due' || is === 'ahead'); step++) {
    if (random.chance(0.15)) state = { ...state, world: random.pick(['works', 'broken', 'silent'] as const) };
    if (step > 150) state = { ...state, world: 'works' };
    await clock.advanceBy(random.pick([2_000, 10_000, MINUTE_MS, 10 * MINUTE_MS]));
    for (const each of begun.splice(0)) {
      const m = ids.indexOf(each.request.id as MessageId);
      const is = each.to.messages[m]?.is;
      const who = `seed ${seed}, ${each.request.id}, ${each.before.world}`;
      if (each.before.messages[m]?.is === 'delivered' || each.before.messages[m]?.is === 'dead')
        throw new Error(`${who} was asked about what is ${each.before.messages[m]?.is}`);
      if (is === 'delivered') met.delivered += 1;
      else if (each.charged) met[is === 'dead' ? 'dead' : 'charged'] += 1;
      else if (each.held) met.onHold += 1;
      else met.byItself += 1;
    }
    // What the session left, of each message: as the model has it by now.
    for (const [m, id] of ids.entries()) {
      const model = state.messages[m];
      const record = world.record(ep, world.message(id));
      const who = `seed ${seed}, message ${m}`;
      expect(record?.attempts ?? 0, `${who}: attempts`).toBe(model?.attempts);
      const isOver = model?.is === 'delivered' || model?.is === 'dead';
      expect(isOver ? record?.status : 'open', who).toBe(isOver ? model?.is : 'open');
      const rows = world.rows(ep).filter(({ msg }) => msg === id);
      expect(rows.length, `${who}: rows`).toBe(isOver ? 0 : 1);
      // W6 and W21: the row is due when the record says, and not at once.
      if (record?.status === 'retrying') expect(rows.map(dueAtOf), who).toEqual([record.nextAt]);
    }
  }
  world.stop();
}

test('walks of the model of faults, beside the real session', { timeout: 120_000 }, async () => {
  const met: Met = { charged: 0, byItself: 0, onHold: 0, delivered: 0, dead: 0 };
  for (let seed = 1; seed <= WALKS; seed++) {
    const guard = seed % 3 === 0 ? ('unanswered, waits' as const) : ('off' as const);
    await walk(seed, { ...GOOD, guard }, met);
  }
  recordRun(['O2', 'O3', 'O7'], 'outbound-fault-walks', met.charged + met.byItself + met.onHold, 0);
  if (isLongRun()) process.stdout.write(`${JSON.stringify(met)}\n`);
  // A walk in which something never happened would say nothing of it.
  expect(Math.min(...Object.values(met)), JSON.stringify(met)).toBeGreaterThan(10);
});
