/** The list of open replay jobs is changed by many at once: nobody's change is lost without a word. */
import { expect, it } from 'vitest';
import { changeOpenJobs, readOpenJobs } from '#core/inbound/replay/replay-job.ts';

function controlOf(lost: number) {
  let stored = { value: 'a', version: 1 };
  const control = {
    read: async () => stored,
    write: async (_name: string, value: string, version: number) => {
      // Somebody was first.
      if (lost-- > 0) stored = { value: `${stored.value} other${lost}`, version: stored.version + 1 };
      if (version !== stored.version) return false;
      stored = { value, version: version + 1 };
      return true;
    },
  };
  return control as never;
}

it('adds to what others wrote meanwhile, each once', async () => {
  const control = controlOf(1);
  await changeOpenJobs(control, ids => [...ids, 'b', 'a']);
  expect(await readOpenJobs(control)).toEqual(['a', 'other0', 'b']);
});

it('says that it did not come to it, while others change it all the time', async () => {
  await expect(changeOpenJobs(controlOf(1_000), ids => [...ids, 'b'])).rejects.toThrow(/was not changed.*Try again/);
});
