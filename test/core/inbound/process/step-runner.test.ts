import { describe, expect, it } from 'vitest';
import type { EventPk } from '#core/glossary.ts';
import { MAX_STEP_BYTES, MAX_STEPS, stepRunner } from '#core/inbound/process/step-runner.ts';
import type { StepItem } from '#core/inbound/protocol/event-item.ts';

function makeRunner(stored = new Map<string, StepItem>(), signal = new AbortController().signal) {
  const payloads = {
    getStep: async (pk: EventPk, sk: string) => stored.get(`${pk} ${sk}`),
    keepStep: async (item: StepItem) => {
      const place = `${item.pk} ${item.sk}`;
      if (!stored.has(place)) stored.set(place, item);
      return stored.get(place) as StepItem;
    },
  };
  const item = { pk: 'default#e1' as EventPk, run: 2 };
  return { stored, runner: stepRunner({ item, signal, days: 97 }, { payloads, clock: { now: () => 1_000 } }) };
}
const misuse = (text: string | RegExp) =>
  expect.objectContaining({ name: 'PermanentError', message: expect.stringMatching(text) });

describe('stepRunner', () => {
  it('stores a result under the run and answers it to later attempts instead of running again', async () => {
    const { stored, runner } = makeRunner();
    expect(await runner('charge', async () => ({ id: 'ch_1', at: new Date(0) }))).toEqual({
      id: 'ch_1',
      at: '1970-01-01T00:00:00.000Z',
    });
    expect([...stored.values()]).toEqual([
      {
        pk: 'default#e1',
        sk: 'S#2#charge',
        result: '{"id":"ch_1","at":"1970-01-01T00:00:00.000Z"}',
        finishedAt: 1_000,
        expiresAt: 1 + 97 * 86_400,
      },
    ]);
    const later = makeRunner(stored).runner;
    expect(await later('charge', () => Promise.reject(new Error('ran again')))).toMatchObject({ id: 'ch_1' });
  });

  it.each([[undefined], [null], [0], [''], [false], [[1, 'a']]])(
    'answers %j the second time as the first',
    async value => {
      const { stored, runner } = makeRunner();
      expect(await runner('s', async () => value)).toEqual(value);
      expect(await makeRunner(stored).runner('s', () => Promise.reject(new Error('ran again')))).toEqual(value);
    },
  );

  it('answers the first stored result to both of two owners that ran the step at once', async () => {
    const { stored, runner } = makeRunner();
    let thaw = (): void => {};
    const frozen = runner('ship', () => new Promise(resolve => (thaw = () => resolve('parcel_1'))));
    await new Promise(setImmediate);
    expect(await makeRunner(stored).runner('ship', async () => 'parcel_2')).toBe('parcel_2');
    thaw();
    expect(await frozen).toBe('parcel_2');
    expect([...stored.values()].map(({ result }) => result)).toEqual(['"parcel_2"']);
  });

  it('stores nothing for a step that failed', async () => {
    const { stored, runner } = makeRunner();
    await expect(runner('s', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(stored.size).toBe(0);
  });

  it('begins no step after the attempt is over, but still answers what is stored', async () => {
    const { stored, runner } = makeRunner();
    await runner('a', async () => 1);
    const over = makeRunner(stored, AbortSignal.abort()).runner;
    expect(await over('a', async () => 2)).toBe(1);
    let ran = false;
    const late = over('b', async () => {
      ran = true;
    });
    await expect(late).rejects.toThrow('step "b" began');
    expect(ran).toBe(false);
  });

  it('refuses a name used twice in one attempt, and names it cannot store', async () => {
    const { runner } = makeRunner();
    await runner('a', async () => 1);
    await expect(runner('a', async () => 2)).rejects.toEqual(misuse('begun twice'));
    for (const name of ['', 'a b', 'a#b', 'ä', 'x'.repeat(101)])
      await expect(runner(name, async () => 1)).rejects.toEqual(misuse('1 to 100'));
  });

  it('refuses results that are not JSON or too large, in bytes', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const { runner } = makeRunner();
    await expect(runner('a', async () => circular)).rejects.toEqual(misuse('that JSON cannot write'));
    await expect(runner('b', async () => 1n)).rejects.toEqual(misuse('that JSON cannot write'));
    await expect(runner('c', async () => () => 1)).rejects.toEqual(misuse('that JSON cannot write'));
    await expect(runner('d', async () => 'é'.repeat(MAX_STEP_BYTES / 2))).rejects.toEqual(misuse('32770 bytes'));
    expect(await runner('e', async () => 'é'.repeat(MAX_STEP_BYTES / 2 - 1))).toHaveLength(MAX_STEP_BYTES / 2 - 1);
  });

  it('takes 50 steps in an attempt and no more', async () => {
    const { runner } = makeRunner();
    for (let n = 0; n < MAX_STEPS; n++) await runner(`s${n}`, async () => n);
    await expect(runner('more', async () => 1)).rejects.toEqual(misuse('may have 50'));
  });
});
