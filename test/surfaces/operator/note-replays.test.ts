/** Many replays that needed no job are told of as one that is done, or it is said that they are not. */
import { expect, it } from 'vitest';
import { listReplayJobs, noteReplays } from '#core/inbound/replay/replay-job.ts';
import { noteInJobs } from '#operator/events/replay.ts';
import type { Operator } from '#operator/operator.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';

const REQUEST = { filter: { sources: [], since: 0, until: 9 }, ratePerSecond: 1, by: 'ada', why: 'fixed' };

/** Every job of a world has the same id. */
function ports() {
  const kept = new Map<string, { value: string; version: number }>();
  const control = {
    read: async (name: string) => kept.get(name),
    list: async (prefix: string) => [...kept.keys()].filter(name => name.startsWith(prefix)),
    write: async (name: string, value: string, version: number) => {
      if (version !== (kept.get(name)?.version ?? 0)) return false;
      kept.set(name, { value, version: version + 1 });
      return true;
    },
  };
  return { control, clock: { now: () => 100 }, ids: { uuid: () => '00000000-0000' } } as never as Parameters<
    typeof noteReplays
  >[2];
}

it('an id that is taken is an error: the job that has it stays, and nobody is told its id as that of another', async () => {
  const there = ports();
  const done = { begunAt: 50, counts: { replayed: 3 } };
  await noteReplays(REQUEST, done, there);
  await expect(noteReplays({ ...REQUEST, why: 'another' }, done, there)).rejects.toThrow(
    /The list of replays got no line of these: the id rj-\S+ is taken\. The replays are made/,
  );
  expect((await listReplayJobs(9, there.control)).map(({ why }) => why)).toEqual(['fixed']);
});

it('whoever replayed is told no id then: each event has its own note', async () => {
  const there = ports();
  const operator = {
    gateway: async () => there,
    by: 'ada',
    deployment: { config: { replaysPerSecond: 1 } },
  } as unknown as Operator;
  const items = [makeEventItem('default', 'e')];
  const note = (why: string) => noteInJobs(operator, items, { begunAt: 50, outcomes: ['replayed'], why });
  expect(await note('first')).toMatch(/^rj-/);
  expect(await note('second')).toBeUndefined();
});
