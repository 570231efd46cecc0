import { setTimeout as wait } from 'node:timers/promises';
import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { beforeAll, expect, it } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { killWorkers } from './kill-workers.ts';
import { type StormEvent, stormEvent } from './storm-event.ts';

const SEED = Number(process.env['HOLDFAST_SEED'] ?? 7);
const EVENTS_PER_SECOND = 10;
const EVENTS = isLongRun() ? 1_000 : 100;
const KILLS = isLongRun() ? 80 : 8;
/** Then the storm is over: on a slow machine, events must not spend all their attempts on kills. */
const MOST_KILLS = KILLS + 5;
/** Requests under way at once: a starved machine gets a slower load, not an ever larger one. */
const IN_FLIGHT = 5;
/** The load goes on past its events until there were enough kills, but not longer than this. */
const LOAD_LIMIT_MS = isLongRun() ? 600_000 : 150_000;
const QUIET_LIMIT_MS = 150_000;
/** What a killed process held comes back after this; above the 12 s lease of the local timings. */
const VISIBILITY_SECONDS = 15;

/** A kill waits for an attempt to interrupt, but not longer than this. */
const ATTEMPT_LIMIT_MS = 3_000;

/** Kills at one instant all processes of one function. */
interface Kill {
  readonly function: 'ingest' | 'process';
  readonly processes: number;
}

/** A load run whose function processes are killed. The last to run on its gateway: it shortens the queue's visibility. */
export function killStormSuite(gatewayOf: () => GatewayUnderTest): void {
  let gateway: GatewayUnderTest;
  const random = new SeededRandom(SEED);
  const kills: Kill[] = [];
  const sent: StormEvent[] = [];
  const acknowledged = new Set<StormEvent>();
  let answers = 0;
  let retries = 0;
  let duplicates = 0;

  beforeAll(async () => {
    gateway = gatewayOf();
    const Attributes = { VisibilityTimeout: String(VISIBILITY_SECONDS) };
    const QueueUrl = outputOf(gateway.stacks, 'WorkQueueUrl');
    await gateway.clients.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  }, 180_000);

  it(
    'finishes every event answered 200, and applies its effect once',
    async () => {
      const done = new AbortController();
      const storm = killAtRandom(done.signal);
      await load();
      done.abort();
      await storm;
      const hit = hits();
      const killed = kills.reduce((sum, it) => sum + it.processes, 0);

      const items = await untilQuiet();
      const lost = [...acknowledged].filter(it => !isFinished(items.get(it.pk)));
      const unexpected = [...acknowledged].filter(it => items.get(it.pk)?.status !== it.endsAs);
      const applied = new Map<StormEvent, number>();
      for (let from = 0; from < sent.length; from += 25) {
        const some = sent.slice(from, from + 25);
        const times = await Promise.all(some.map(it => gateway.timesApplied(it.paymentId)));
        for (const [at, event] of some.entries()) applied.set(event, times[at] ?? 0);
      }
      const double = sent.filter(it => (applied.get(it) ?? 0) > 1);
      const missing = [...acknowledged].filter(it => applied.get(it) !== (it.endsAs === 'completed' ? 1 : 0));
      const interrupted = [...acknowledged].filter(it => (items.get(it.pk)?.attempts ?? 0) > it.attempts).length;
      console.log(
        `Kill storm (seed ${SEED}): ${hit.length} kills of ${killed} running processes ` +
          `(${hit.filter(it => it.function === 'ingest').length} of ingest, ${hit.filter(it => it.function === 'process').length} of process), ` +
          `${sent.length} events, ${acknowledged.size} acknowledged in ${answers} answers, ${retries} provider retries, ` +
          `${duplicates} duplicates after 200, ${interrupted} events with an interrupted attempt, ` +
          `lost ${lost.length}, double ${double.length}`,
      );
      const violations = new Set([...lost, ...double, ...missing]).size;
      recordRun(['I1', 'I2', 'I5'], 'kill-storm', acknowledged.size, violations);

      expect(show(lost, items), 'acknowledged and not final').toEqual([]);
      expect(show(double, items), 'applied more than once').toEqual([]);
      expect(show(missing, items), 'final, with the wrong number of effects').toEqual([]);
      expect(show(unexpected, items), 'final in a state its handler did not ask for').toEqual([]);
      // The storm was one: enough kills, some of them in the middle of an attempt and of a request.
      expect(hit.length).toBeGreaterThanOrEqual(KILLS);
      expect(acknowledged.size).toBeGreaterThanOrEqual(EVENTS / 2);
      expect(interrupted).toBeGreaterThan(0);
    },
    LOAD_LIMIT_MS + QUIET_LIMIT_MS + 60_000,
  );

  /** Sends at a steady rate; each sender repeats its event until it is acknowledged, as providers do. */
  async function load(): Promise<void> {
    const startedAt = performance.now();
    const senders = new Set<Promise<void>>();
    const enough = (): boolean => sent.length >= EVENTS && hits().length >= KILLS;
    while (!enough() && performance.now() - startedAt < LOAD_LIMIT_MS) {
      const event = stormEvent(random);
      sent.push(event);
      const sender: Promise<void> = deliver(event, random.chance(0.1), startedAt).finally(() => senders.delete(sender));
      senders.add(sender);
      while (senders.size >= IN_FLIGHT) await Promise.race(senders);
      const dueIn = startedAt + (sent.length * 1_000) / EVENTS_PER_SECOND - performance.now();
      await wait(Math.max(0, dueIn));
    }
    await Promise.all(senders);
  }

  async function deliver(event: StormEvent, again: boolean, startedAt: number): Promise<void> {
    for (let waitMs = 300; ; waitMs = Math.min(3_000, waitMs * 2)) {
      // A request whose process is killed may get any answer, or none.
      const answer = await gateway.send('default', event).catch(() => undefined);
      if (answer) answers += 1;
      if (answer?.status === 200) break;
      if (performance.now() - startedAt > LOAD_LIMIT_MS) return;
      retries += 1;
      await wait(waitMs);
    }
    acknowledged.add(event);
    if (!again) return;
    duplicates += 1;
    await wait(1_000);
    const late = await gateway.send('default', event).catch(() => undefined);
    if (late) answers += 1;
  }

  async function killAtRandom(signal: AbortSignal): Promise<void> {
    const instants = random.fork();
    while (!signal.aborted && hits().length < MOST_KILLS) {
      await wait(400 + instants.int(1_400), undefined, { signal }).catch(() => undefined);
      const role = instants.chance(0.7) ? 'process' : 'ingest';
      if (role === 'process') await someAttempt(signal);
      if (signal.aborted) return;
      const name = outputOf(gateway.stacks, role === 'process' ? 'ProcessFunction' : 'IngestFunction');
      kills.push({ function: role, processes: killNow(name) });
    }
  }

  /** Until an event that takes its time is being processed: kills between attempts only would show nothing. */
  async function someAttempt(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + ATTEMPT_LIMIT_MS;
    while (!signal.aborted && performance.now() < deadline) {
      const slow = sent.filter(it => it.kind === 'sleep').slice(-10);
      const items = await gateway.readAll(slow.map(it => it.pk));
      if (items.some(it => it.status === 'processing')) return;
      await wait(50);
    }
  }

  function hits(): readonly Kill[] {
    return kills.filter(it => it.processes > 0);
  }

  function killNow(name: string): number {
    try {
      return killWorkers(gateway.aws.instanceId, name);
    } catch (error) {
      // It ended by itself between being listed and being killed.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 0;
      throw error;
    }
  }

  /** The records once nothing is owed and no copy is on its way; what is there when the limit is over. */
  async function untilQuiet(): Promise<ReadonlyMap<string, EventItem>> {
    const deadline = performance.now() + QUIET_LIMIT_MS;
    for (;;) {
      const records = await gateway.readAll([...acknowledged].map(it => it.pk));
      const items = new Map(records.map(it => [it.pk, it] as const));
      const quiet = [...acknowledged].every(it => isFinished(items.get(it.pk))) && (await messagesLeft()) === 0;
      if (quiet || performance.now() > deadline) return items;
      await wait(1_000);
    }
  }

  async function messagesLeft(): Promise<number> {
    const QueueUrl = outputOf(gateway.stacks, 'WorkQueueUrl');
    const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    const { Attributes: numbers = {} } = await gateway.clients.sqs.send(read);
    const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: hidden } = numbers;
    return Number(visible) + Number(hidden) + Number(numbers.ApproximateNumberOfMessagesDelayed);
  }
}

function isFinished(item: EventItem | undefined): boolean {
  if (!item || !isTerminal(item.status) || item.watchAt !== undefined) return false;
  return item.status !== 'dead_letter' || item.dlqSent === true;
}

function show(events: readonly StormEvent[], items: ReadonlyMap<string, EventItem>): readonly string[] {
  return events.map(it => {
    const item = items.get(it.pk);
    return `${it.pk} (${it.kind}): ${item ? `${item.status}, attempt ${item.attempts}, ${item.lastError ?? ''}` : 'no record'}`;
  });
}
