/** Six minutes of `npm start`, idle or with traffic, and everything that must be so afterwards. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { judgeAlarms, type PossibleAlarm, rangIn } from './judge-alarms.ts';
import { BULK_LIMIT_MS, DUE, POISON, sendTraffic, WATCH_MS } from './traffic.ts';
import { type Place, WatchedStart } from './watched-start.ts';

export async function watchIdle(place: Place, onOpen: () => void = () => undefined): Promise<void> {
  await watch(place, onOpen, async watched => {
    await wait(WATCH_MS);
    expect(judgeAlarms([], rangIn(watched.lines), {}), watched.text()).toEqual([]);
    expect(watched.text()).not.toContain('Message to on-call');
    expect(await watched.errors()).toEqual([]);
  });
}

/** `possible`: alarms that measure the time of a machine on which others run. */
export async function watchTraffic(
  place: Place,
  onOpen: () => void = () => undefined,
  possible: readonly PossibleAlarm[] = [],
): Promise<void> {
  await watch(place, onOpen, async watched => {
    const until = Date.now() + WATCH_MS;
    const { moments, bulk, refused } = await sendTraffic(watched);
    await wait(Math.max(0, until - Date.now()));
    expect(judgeAlarms(DUE, rangIn(watched.lines), moments, possible), watched.text()).toEqual([]);
    expect(refused).toEqual(Array.from({ length: 12 }, () => 401));
    expect(bulk.printed).toMatch(/\b200\b/);
    expect(bulk.ms, `the bulk replay of 200:\n${bulk.printed}`).toBeLessThan(BULK_LIMIT_MS);
    const { jobs } = JSON.parse(await watched.done('replay', 'ls', '--json')) as { jobs: readonly { state: string }[] };
    expect(jobs.map(it => it.state)).toEqual(['done']);
    expect((await watched.errors()).filter(line => !line.includes(POISON))).toEqual([]);
  });
}

/** Opens it, and closes it whatever happens; then nothing is left open, and nobody says that the sweeper fails. */
async function watch(place: Place, onOpen: () => void, work: (watched: WatchedStart) => Promise<void>): Promise<void> {
  const watched = await WatchedStart.open(place).finally(onOpen);
  try {
    await work(watched);
    expect(watched.hasEnded, watched.text()).toBe(false);
    const status = JSON.parse((await watched.holdfast('status', '--json')).stdout) as Record<string, unknown>;
    expect(status).toMatchObject({ healthy: true, needs_a_person: [], unread: [], unfinished: { count: 0 } });
    const doctor = await watched.holdfast('doctor');
    expect(doctor, doctor.stdout).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ok +sweeper +a run ended well/),
    });
  } finally {
    await watched.stop();
  }
}
