/**
 * The sweeper, once a minute: what was recorded but not handled is sent again, parked events come back when they are
 * due, deaths get their DLQ message, the DLQ is drained of what a person already dealt with. Holds I3 and the liveness
 * half of I2; one bad item never stops a run.
 */

import { given } from '#core/given.ts';
import type { SourceId } from '#core/glossary.ts';
import { runReplayJobs } from '#core/inbound/replay/run-replay-jobs.ts';
import { sideBySide } from '#core/side-by-side.ts';
import { MINUTE_MS } from '#core/time.ts';
import { countDeaths, openDeaths } from './count-deaths.ts';
import { coverArrivals, secondLookMs } from './cover-arrivals.ts';
import { drainDeadQueue } from './drain-dead-queue.ts';
import { readRefusedFor } from './read-refused.ts';
import { sweepDue } from './sweep-due.ts';
import type { SweepPorts, SweepRules } from './sweep-ports.ts';
import { SweepRun } from './sweep-run.ts';
import { type Deaths, LEASE_CONTROL, lineOf, noteSweeper, readSweeper, type SweeperRecord } from './sweeper-record.ts';
import { HANDLERS, type Handler, tellConcerns } from './tell-concerns.ts';

/** Share of a run kept free of replay jobs, for the drain and the report. */
const CLOSE_SHARE = 0.1;
/** For the end of the run at work: most take less than this. Who waits longer costs more than the next minute's run. */
const WAIT_MS = 4_000;
const LOOK_AGAIN_MS = 500;
/** Idle sources that a run asks for refusals: a thousand of them within forty minutes. */
export const IDLE_ASKED = 25;

/**
 * One run, until `budgetMs` is spent:
 *  1. take the sweeper's lease (another run at work: wait a moment for its end, then leave);
 *  2. look at queues, pauses and known sources;
 *  3. go through what arrived since the last run, a grace behind the clock, and watch what is still open; and once more
 *     through what arrived minutes earlier, for what a late clock wrote behind the cursor;
 *  4. for each source and shard, carry out what is due, oldest first, and bring back what a pause that is over left parked;
 *  5. see which sources are refused for a wrong secret;
 *  6. tell what people should hear of once: the first conflict of a source, handlers that only fail;
 *  7. go on with replay jobs, in the time that live events left;
 *  8. count the dead letters, very many of them not in each run, and drain the DLQ;
 *  9. report, and write down that the run ended, and how; also of one that crashed.
 */
export async function sweep(budgetMs: number, ports: SweepPorts, rules: SweepRules): Promise<void> {
  const run = new SweepRun(budgetMs, ports, rules);
  const lease = await waitForLease(run);
  if (lease === 'held') return;
  const ended = given({ endedLease: lease });
  try {
    const record = await carryOut(run, budgetMs);
    await run.guard(() => noteSweeper({ ...record, ...run.lastError, ...ended }, ports.control));
  } catch (error) {
    await noteCrash(run, { error: { at: run.now, text: lineOf(error) }, ...ended });
    throw error;
  }
}

/** Steps 2 to 9; what is to be written down of them. */
async function carryOut(run: SweepRun, budgetMs: number): Promise<SweeperRecord> {
  const { ports, rules } = run;
  await run.look();
  const failing = await coverArrivals(run);
  await sweepDue(run);
  const refused = await measureRefusals(run);
  await tellPeople(run, failing);
  await runReplayJobs(run.startedAt + budgetMs * (1 - CLOSE_SHARE), ports, rules);
  const deaths = await run.guard(() => countDeaths(run));
  await drain(run, deaths);
  report(run, deaths);
  return { ...given({ unbroken: run.unbroken }), refused, ...(deaths && { wellAt: run.now, deaths }) };
}

/** The crash itself is what is thrown: one that cannot be written down is still counted by Lambda. */
async function noteCrash({ ports }: SweepRun, crash: SweeperRecord): Promise<void> {
  try {
    await noteSweeper(crash, ports.control);
  } catch (unwritten) {
    ports.telemetry.log('warn', { stage: 'sweep', error: lineOf(unwritten) });
  }
}

/** The version of the lease. Undefined: it could not be asked for, which stops nobody: two sweepers undo nothing. */
async function waitForLease(run: SweepRun): Promise<number | undefined | 'held'> {
  const { clock, control, timer } = run.ports;
  const take = (): Promise<number | undefined | 'held'> => run.guard(() => takeLease(run, control));
  let lease = await take();
  for (; lease === 'held' && clock.now() < run.startedAt + WAIT_MS; lease = await take())
    await timer.sleep(LOOK_AGAIN_MS);
  return lease;
}

/** A lease is over with its time, or once its run has noted its end: who asks for a run does not wait for the time. */
async function takeLease(run: SweepRun, control: SweepPorts['control']): Promise<number | 'held'> {
  const { value = '0', version = 0 } = (await control.read(LEASE_CONTROL)) ?? {};
  if (Number(value) > run.now && (await readSweeper(control)).endedLease !== version) return 'held';
  return (await control.write(LEASE_CONTROL, String(run.until), version)) ? version + 1 : 'held';
}

/**
 * A refused request leaves no note. So who was active is asked, and whom the last run says to ask again, and the others in
 * turn: of a few, all. Answers whom to ask again.
 */
async function measureRefusals(run: SweepRun): Promise<readonly SourceId[]> {
  const { timings, sourceIds } = run.rules;
  const again = new Set(run.record?.refused);
  const looked = run.startedAt - timings.firstWatchMs;
  const hours = [looked, looked - secondLookMs(timings)];
  const turns = Math.ceil(sourceIds.length / IDLE_ASKED);
  const turn = Math.floor(run.startedAt / MINUTE_MS) % turns;
  const asked = await sideBySide([...sourceIds.entries()], async ([nth, source]) => {
    const noted = await Promise.all(hours.map(at => run.activity(source, at)));
    if (nth % turns !== turn && !again.has(source) && !noted.includes(true)) return [];
    if (run.isOver) return [source];
    const read = await run.guard(async () => ({ ms: await readRefusedFor(source, run.ports, timings) }));
    if (read === undefined) return [source];
    if (read.ms === undefined) return [];
    run.ports.telemetry.measure('RefusedOnlyFor', read.ms / 1_000, { source });
    return [source];
  });
  return asked.flat();
}

async function tellPeople(run: SweepRun, failing: readonly Handler[]): Promise<void> {
  await run.guard(() => tellConcerns(failing, run.ports, run.rules.timings, run.isOver ? 0 : HANDLERS));
}

/** What cannot be counted is looked through: the messages say for themselves whether their death is over. */
async function drain(run: SweepRun, deaths: Deaths | undefined): Promise<void> {
  // Beside an older count each death since would look like one that is dealt with.
  if (deaths && deaths.at < run.startedAt) return;
  const dealtWith = run.deadMessages === undefined || run.deadMessages > (deaths?.inQueue ?? 0);
  if (dealtWith) await run.guard(() => drainDeadQueue(run.until, run.ports));
}

/**
 * Dead letters that cannot be counted keep nothing else from being told: without the ages two alarms would say that
 * events are stuck. Such a run is not counted as one, so that minutes of them are noticed.
 */
function report(run: SweepRun, deaths: Deaths | undefined): void {
  const { telemetry } = run.ports;
  run.ages.report(telemetry);
  if (deaths) {
    telemetry.count('SweeperRuns');
    // Never nothing: its alarm takes silence for none.
    telemetry.measure('OpenDeadLetters', openDeaths(deaths));
    // A message that is gone expires no more: the alarm must be OK again before the next one comes near its end.
    if (deaths.oldestDeadAt !== undefined) {
      const expiresAt = deaths.oldestDeadAt + run.rules.deadQueueRetentionSeconds * 1_000;
      telemetry.measure('DlqOldestExpiresIn', (expiresAt - run.now) / 1_000);
    }
  }
  for (const source of run.rules.reportSilence ?? []) telemetry.count('Accepted', { source }, 0);
  telemetry.log('debug', {
    stage: 'sweep',
    sent: run.sent,
    breaker_open: run.breakerOpen,
    sources: run.sources.length,
    ...(deaths === undefined
      ? {}
      : {
          [deaths.complete ? 'open_dead_letters' : 'open_dead_letters_at_least']: deaths.open,
          ...(deaths.at < run.startedAt && { dead_letters_counted_at: deaths.at }),
        }),
  });
}
