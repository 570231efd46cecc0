/**
 * Short, pointed stories for faults that no crash at a single call shows: forgeries, purges, long outages, time. Each
 * answers what is wrong, or nothing.
 */

import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { defineHandlers, done, PermanentError } from '#core/handler/handler-contract.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { pendingItem } from '#core/inbound/protocol/event-writes.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { outages } from '#test/kit/memory/faults.ts';
import { EVENTS, MemoryWorld, PAYLOADS, type WorldOptions } from '#test/kit/memory-world.ts';
import { complaintsAbout } from '../journeys/oracle.ts';

type Scenario = () => Promise<readonly string[]>;
const unless = (fine: boolean, complaint: string): string[] => (fine ? [] : [complaint]);

async function rest(world: MemoryWorld, limitMs = 48 * HOUR_MS): Promise<string[]> {
  const settled = await world.settle(limitMs);
  world.stop();
  return [...unless(settled, 'I2 the world never comes to rest'), ...complaintsAbout(world)];
}

const aDuplicateOfAnUnsentEventIsSent: Scenario = async () => {
  let broken = true;
  const world = new MemoryWorld({
    plan: call => (broken && call.name === 'queue.send' ? 'error' : undefined),
  });
  await world.post({ id: 'a' });
  broken = false;
  await world.post({ id: 'a' });
  return unless(
    world.main.sent === 1,
    `bug 1: a duplicate of an event that was never sent left ${world.main.sent} message(s)`,
  );
};

const ownRetryIsNoDuplicate: Scenario = async () => {
  const world = new MemoryWorld({ plan: call => (call.name === 'store.insert' ? 'lost_reply_retried' : undefined) });
  const answer = await world.post({ id: 'a' });
  return unless(
    answer?.body.includes('"accepted"') === true && world.telemetry.total('Duplicate') === 0,
    'bug 2: the own repeated write was answered as a duplicate',
  );
};

const nothingIsAcknowledgedOnHope: Scenario = async () => {
  const world = new MemoryWorld({ plan: call => (call.dependency === 'secrets' ? undefined : 'error') });
  const answer = await world.post({ id: 'a' });
  return unless(answer?.status === 503, `I1 nothing was stored and the answer is ${answer?.status}`);
};

const aForgeryStoresNothing: Scenario = async () => {
  const world = new MemoryWorld();
  const signature = `sha256=${'0'.repeat(64)}`;
  const forged = await world.post({ id: 'a', data: { forged: true }, headers: { 'x-webhook-signature': signature } });
  const stored =
    world.items().length +
    world.database.dump(PAYLOADS).filter(it => !String(it['pk']).startsWith('_refused#')).length +
    world.main.sent;
  const genuine = await world.post({ id: 'a' });
  return [
    ...unless(
      forged?.status === 401 && stored === 0,
      `I10 a forgery was answered ${forged?.status} and stored ${stored} thing(s)`,
    ),
    ...unless(genuine?.body.includes('"accepted"') === true, 'I10 a forgery suppressed the genuine event'),
  ];
};

const oneSourceCannotSuppressAnother: Scenario = async () => {
  const world = new MemoryWorld({ sources: ['default', 'other'] });
  await world.post({ id: 'a' });
  const answer = await world.post({ id: 'a', source: 'other' });
  return unless(answer?.body.includes('"accepted"') === true, 'I10 an event of one source suppressed one of another');
};

const bytesSurvive: Scenario = async () => {
  const world = new MemoryWorld();
  const rawBody = new Uint8Array([0x00, 0xff, 0xfe, 0x80, 0x0d, 0x0a]);
  await world.post({ id: 'x', rawBody, headers: { 'content-type': 'application/octet-stream' } });
  world.start();
  await rest(world);
  const given = world.outside[0]?.bytes ?? new Uint8Array();
  return unless(Buffer.from(rawBody).equals(given), 'I13 the handler got other bytes');
};

const aPurgeLosesNothing: Scenario = async () => {
  const world = new MemoryWorld();
  for (const id of ['a', 'b', 'c']) await world.post({ id });
  world.main.purge();
  world.start();
  return rest(world, 6 * HOUR_MS);
};

const aBrokenDeployKillsNothing: Scenario = async () => {
  const world = new MemoryWorld();
  world.process.brokenDeploy = true;
  for (const id of ['a', 'b', 'c']) await world.post({ id });
  world.start();
  await world.clock.advanceBy(6 * HOUR_MS);
  world.process.brokenDeploy = false;
  const complaints = await rest(world);
  const dead = world.items().filter(it => it.status === 'dead_letter').length + world.dead.dump().length;
  return [...complaints, ...unless(dead === 0, `bug 8: ${dead} healthy event(s) died of a deploy`)];
};

const anOutageOfTheTableLosesNothing: Scenario = async () => {
  const start = new MemoryWorld().clock.now();
  const windows = [{ dependency: 'dynamodb' as const, from: start, to: start + HOUR_MS, fault: 'error' as const }];
  const world = new MemoryWorld({ plan: outages(windows, new SeededRandom(3)) });
  world.start();
  const answer = await world.post({ id: 'a' });
  // Until the outage is over there is no record to wait for.
  await world.clock.advanceBy(2 * HOUR_MS);
  const complaints = await rest(world);
  return [
    ...complaints,
    ...unless(
      answer?.status === 200,
      `row 11: the outage was answered ${answer?.status} though the queue took the event`,
    ),
    ...unless(world.effects('a') === 1, `I5 the event had ${world.effects('a')} effects`),
  ];
};

const deadEventsCanBeReplayedLate: Scenario = async () => {
  let fixed = false;
  const handlers = () =>
    defineHandlers([
      {
        source: '*',
        type: '*',
        handle: async () => {
          if (!fixed) throw new PermanentError('broken');
          return done();
        },
      },
    ]);
  const world = new MemoryWorld({ handlers, database: { ttlDelayMs: () => 0 } });
  await world.post({ id: 'a' });
  world.start();
  await world.settle();
  world.stop();
  await world.clock.advanceTo(world.clock.now() + 80 * DAY_MS);
  const kept = world.database.dump(PAYLOADS).some(it => it['sk'] === `B#${world.item('a')?.bodySha}`);
  fixed = true;
  return unless(kept && world.item('a') !== undefined, 'I14 a dead event lost its record or body before its time');
};

const retriedEventsAreNeverForgotten: Scenario = async () => {
  const world = new MemoryWorld({
    database: { ttlDelayMs: () => 0 },
    handlers: () => defineHandlers([]),
    source: { unhandled: 'ignore' },
  });
  await world.post({ id: 'a' });
  await world.clock.advanceTo(world.clock.now() + 35 * DAY_MS);
  return unless(world.item('a') !== undefined, 'bug 10: an event that nobody handled yet was deleted by its TTL');
};

const aPoisonEventEnds: Scenario = async () => {
  const handle = async (): Promise<never> => {
    throw new Error('poison');
  };
  const world = new MemoryWorld({
    handlers: () => defineHandlers([{ source: '*', type: '*', handle }]),
    retry: { attempts: 3, baseSeconds: 1, capSeconds: 5 },
  });
  await world.post({ id: 'a' });
  world.start();
  const complaints = await rest(world, HOUR_MS / 4);
  const { status, attempts } = world.item('a') ?? {};
  return [
    ...complaints,
    ...unless(
      status === 'dead_letter' && attempts === 3,
      `I12 the poison event is ${status} after ${attempts} attempts`,
    ),
  ];
};

const unknownMessagesWaitInTheDlq: Scenario = async () => {
  const world = new MemoryWorld();
  world.main.send('{"not":"ours"}', { groupId: 'x' });
  world.start();
  await world.clock.advanceBy(2 * HOUR_MS);
  world.stop();
  const { visible, hidden } = world.dead.numbers();
  return unless(visible + hidden >= 1, `I7 a message nobody understands is in the DLQ ${visible + hidden} time(s)`);
};

const aSlowRecordCostsItsNeighboursNothing: Scenario = async () => {
  const never = new Promise<never>(() => {});
  const handle = async (event: { type: string }) => (event.type === 'hangs' ? never : done());
  const world = new MemoryWorld({ handlers: () => defineHandlers([{ source: '*', type: '*', handle }]) });
  await world.post({ id: 'slow', type: 'hangs' });
  for (let n = 0; n < 9; n++) await world.post({ id: `good-${n}` });
  world.start();
  await world.clock.advanceBy(100_000);
  world.stop();
  const unfinished = world.items().filter(it => it.pk.includes('good') && it.attempts !== 1).length;
  const { lastError } = world.item('slow') ?? {};
  return [
    ...unless(lastError?.startsWith('timeout') === true, `bug 6: the slow event's attempt is recorded as ${lastError}`),
    ...unless(unfinished === 0, `bug 6: ${unfinished} neighbour(s) of a slow event ran more than once`),
  ];
};

const aRetryAlwaysHasAMessage: Scenario = async () => {
  let calls = 0;
  const handle = async (): Promise<never> => {
    throw new Error('not yet');
  };
  const world = new MemoryWorld({
    seed: 5,
    handlers: () => defineHandlers([{ source: '*', type: '*', handle }]),
    retry: { attempts: 15, baseSeconds: 800, capSeconds: 800 },
    // Dies between the retry write and the successor: only the old copy is left.
    planOf: role => call =>
      role === 'process' && call.name === 'queue.send' && ++calls === 1 ? 'crash_before' : undefined,
  });
  await world.post({ id: 'a' });
  world.start();
  await world.clock.advanceBy(240_000);
  world.stop();
  const { visible, hidden, delayed } = world.main.numbers();
  return unless(visible + hidden + delayed > 0, 'I7 the only copy of an event that is due later was deleted');
};

const aLateDeathNoteChangesNothing: Scenario = async () => {
  const handle = async (): Promise<never> => {
    throw new PermanentError('broken');
  };
  let updates = 0;
  const world = new MemoryWorld({
    handlers: () => defineHandlers([{ source: '*', type: '*', handle }]),
    // Claim, death, then the note that the DLQ has the message: this one comes a quarter of an hour late.
    planOf: role => call =>
      role === 'process' && call.name === 'store.update' && ++updates === 3 ? 'stall' : undefined,
  });
  await world.post({ id: 'a' });
  world.start();
  await world.clock.advanceBy(30_000);
  await world.clock.complete(world.pause('default', true));
  await world.clock.advanceBy(10_000);
  await world.clock.complete(world.replay('a', { replayId: 'r', by: 'test', why: 'test' }));
  await world.clock.advanceBy(HOUR_MS);
  world.stop();
  const item = world.item('a');
  return unless(
    item?.watchAt !== undefined && item.expiresAt === undefined,
    `I8 a late note of an old death marked the replayed event: ${item?.status}`,
  );
};

const aRestoredRecordRunsOnce: Scenario = async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'a' });
  world.start();
  await world.settle();
  world.mapping.disable();
  const before = world.item('a');
  await world.clock.complete(world.replay('a', { replayId: 'r', by: 'test', why: 'test' }));
  const copy = world.main.dump()[0]?.body ?? '';
  world.main.send(copy, { groupId: 'default', delaySeconds: 60 });
  // The restore: the record is back in its first generation, as it was before the replay, and waiting.
  const { completedAt: _c, expiresAt: _e, ...older } = before ?? {};
  world.database.write({ kind: 'put', table: EVENTS, item: { ...older, status: 'pending', attempts: 0 } });
  const effects = world.effects('a');
  world.mapping.enable();
  await world.clock.advanceBy(HOUR_MS);
  world.stop();
  return unless(
    world.effects('a') === effects + 1,
    `I5 two copies of one replay had ${world.effects('a') - effects} effects on a restored record`,
  );
};

/** An event whose only copy is gone, with faults for the sweeper's first run that meets it. */
const watchedSoon = (world: MemoryWorld, what: string): string[] =>
  unless(world.item('a')?.watchAt !== undefined, `I8 ${what} is ${world.item('a')?.status} and nobody watches it`);

const whatCouldNotBeWatchedIsNotPassed: Scenario = async () => {
  let failed = false;
  const world = new MemoryWorld({
    planOf: role => call => {
      if (role !== 'sweep' || call.name !== 'store.update' || failed) return undefined;
      failed = true;
      return 'error';
    },
  });
  await world.post({ id: 'a' });
  world.start();
  world.mapping.disable();
  world.main.purge();
  await world.clock.advanceBy(10 * MINUTE_MS);
  world.stop();
  return [...unless(failed, 'no run wrote anything'), ...watchedSoon(world, 'an event whose watch failed once')];
};

const whatIsClaimedBetweenReadAndWriteIsWatched: Scenario = async () => {
  let stalled = false;
  const world = new MemoryWorld({
    planOf: role => call => {
      if (role === 'process' && call.name === 'store.transact') return 'crash_before';
      if (role !== 'sweep' || call.name !== 'store.update' || stalled) return undefined;
      stalled = true;
      return 'stall';
    },
    processOf: role => (role === 'sweep' ? { stallMs: 30_000 } : {}),
  });
  await world.post({ id: 'a' });
  world.start();
  world.mapping.disable();
  for (let n = 0; n < 300 && !stalled; n++) await world.clock.advanceBy(1_000);
  world.mapping.enable();
  for (let n = 0; n < 20 && world.item('a')?.status !== 'processing'; n++) await world.clock.advanceBy(1_000);
  const claimed = world.item('a')?.status === 'processing';
  world.mapping.disable();
  world.main.purge();
  await world.clock.advanceBy(5 * MINUTE_MS);
  world.stop();
  return [
    ...unless(stalled && claimed, 'the race did not happen'),
    ...watchedSoon(world, 'an event claimed meanwhile'),
  ];
};

/**
 * The second request stands still for so long before it records, and dies before it sends. The first is there to be
 * seen: without arrivals the cursor stays where it is.
 */
export function slowRequest(stallMs: number, options: WorldOptions = {}): MemoryWorld {
  const seen = { 'store.insert': 0, 'queue.send': 0 };
  return new MemoryWorld({
    ...options,
    planOf: role => call => {
      if (role !== 'ingest' || !(call.name in seen)) return undefined;
      const name = call.name as keyof typeof seen;
      seen[name] += 1;
      if (seen[name] !== 2) return undefined;
      return name === 'store.insert' ? 'stall' : 'crash_before';
    },
    processOf: role => (role === 'ingest' ? { stallMs } : {}),
  });
}

const aRequestUnderWayIsNotPassed: Scenario = async () => {
  const world = slowRequest(4_000);
  world.start();
  world.mapping.disable();
  await world.clock.advanceBy(3 * MINUTE_MS - 4_000);
  await world.post({ id: 'b' });
  await world.clock.advanceBy(2_000);
  await world.post({ id: 'a' });
  await world.clock.advanceBy(10 * MINUTE_MS);
  world.stop();
  return watchedSoon(world, 'an event recorded while the sweeper ran');
};

const theAuditFindsWhatCameTooLate: Scenario = async () => {
  const world = slowRequest(15 * MINUTE_MS);
  world.start();
  await world.post({ id: 'b' });
  await world.post({ id: 'a' });
  await world.clock.advanceBy(3 * HOUR_MS);
  world.stop();
  const { status } = world.item('a') ?? {};
  return unless(status === 'completed', `I3 an event recorded a quarter of an hour late is ${status}`);
};

const whatTheSweeperSentIsLookedAtAgain: Scenario = async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'a' });
  world.main.purge();
  world.start();
  world.mapping.disable();
  await world.clock.advanceBy(5 * MINUTE_MS);
  world.main.purge();
  world.mapping.enable();
  return rest(world, 6 * HOUR_MS);
};

const whatIsRecordedLateIsWatched: Scenario = async () => {
  const { rules, clock } = new MemoryWorld();
  const event = {
    pk: 'default#a' as EventItem['pk'],
    gen: 1,
    provider: 'generic',
    eventType: 'item',
    ingestId: 'i',
    bodySha: 'b',
    size: 1,
    receivedAt: clock.now() - HOUR_MS,
  };
  const { watchAt } = pendingItem(event, clock.now(), rules.timings, true);
  return unless(watchAt !== undefined, 'I8 an item of a batch that is split an hour later is not watched');
};

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  aDuplicateOfAnUnsentEventIsSent,
  ownRetryIsNoDuplicate,
  nothingIsAcknowledgedOnHope,
  aForgeryStoresNothing,
  oneSourceCannotSuppressAnother,
  bytesSurvive,
  aPurgeLosesNothing,
  aBrokenDeployKillsNothing,
  anOutageOfTheTableLosesNothing,
  deadEventsCanBeReplayedLate,
  retriedEventsAreNeverForgotten,
  aPoisonEventEnds,
  unknownMessagesWaitInTheDlq,
  aSlowRecordCostsItsNeighboursNothing,
  aRetryAlwaysHasAMessage,
  aLateDeathNoteChangesNothing,
  aRestoredRecordRunsOnce,
  whatCouldNotBeWatchedIsNotPassed,
  whatIsClaimedBetweenReadAndWriteIsWatched,
  aRequestUnderWayIsNotPassed,
  theAuditFindsWhatCameTooLate,
  whatTheSweeperSentIsLookedAtAgain,
  whatIsRecordedLateIsWatched,
};
