import { describe, expect, it } from 'vitest';
import { chooseWindow, parseProgress } from '#core/inbound/reconcile/progress.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';

const NOW = 1_800_000_000_000;
const RULES = { lookbackMs: DAY_MS, memoryMs: 3 * DAY_MS, settleMs: 15 * MINUTE_MS };
const SETTLED = NOW - RULES.settleMs;

describe('what was stored', () => {
  it('is read as it was written', () => {
    const progress = { doneUntil: 5, window: { from: 1, to: 9, pages: 2, cursor: 'evt_1' } };
    expect(parseProgress(JSON.stringify(progress))).toEqual(progress);
  });

  it.each([
    ['nothing', undefined],
    ['no JSON', '{"doneUntil":'],
    ['a list', '[1]'],
    ['a time that is a text', '{"doneUntil":"5"}'],
    ['a time before 1970', '{"doneUntil":-1}'],
    ['a window of null', '{"window":null}'],
    ['a window without its end', '{"window":{"from":1,"pages":0}}'],
    ['a window with half a page', '{"window":{"from":1,"to":2,"pages":0.5}}'],
  ])('counts as nothing when it is %s', (_what, text) => {
    expect(parseProgress(text)).toEqual({});
  });

  it('keeps its window without a cursor that is no text', () => {
    const text = '{"window":{"from":1,"to":2,"pages":0,"cursor":7}}';
    expect(parseProgress(text)).toEqual({ window: { from: 1, to: 2, pages: 0 } });
  });
});

describe('the next window', () => {
  it('of a first run looks back as far as the source says, and leaves out what may still be on its way', () => {
    expect(chooseWindow({}, NOW, RULES)).toEqual({ from: SETTLED - DAY_MS - HOUR_MS, to: SETTLED, pages: 0 });
  });

  it('begins an hour before the end of the last one, which is compared twice', () => {
    const doneUntil = NOW - 2 * HOUR_MS;
    expect(chooseWindow({ doneUntil }, NOW, RULES)).toEqual({ from: doneUntil - HOUR_MS, to: SETTLED, pages: 0 });
  });

  it('is the one that a run left open', () => {
    const window = { from: NOW - DAY_MS, to: NOW - HOUR_MS, pages: 3, cursor: 'c' };
    expect(chooseWindow({ doneUntil: NOW - DAY_MS, window }, NOW, RULES)).toBe(window);
  });

  it('is a new one where the provider no longer lists what the open one begins with', () => {
    const window = { from: NOW - RULES.memoryMs - 2 * HOUR_MS, to: NOW - 3 * DAY_MS, pages: 3 };
    const doneUntil = NOW - 4 * DAY_MS;
    expect(chooseWindow({ doneUntil, window }, NOW, RULES)).toEqual({
      from: NOW - RULES.memoryMs,
      to: SETTLED,
      pages: 0,
    });
  });

  it('skips nothing when the clock went back: all that the provider lists is compared again', () => {
    const doneUntil = NOW + DAY_MS;
    const window = { from: NOW, to: NOW + HOUR_MS, pages: 1 };
    expect(chooseWindow({ doneUntil, window }, NOW, RULES).from).toBe(NOW - RULES.memoryMs);
    // By less than the overlap, the next window still begins before the end of the last.
    expect(chooseWindow({ doneUntil: SETTLED + 30 * MINUTE_MS }, NOW, RULES).from).toBe(SETTLED - HOUR_MS);
  });
});
