import { describe, expect, it } from 'vitest';
import { type DueAlarm, judgeAlarms, rangIn } from './judge-alarms.ts';

const DUE: DueAlarm = {
  ...{ alarm: 'a', why: 'an event died', from: 'the death', within: 30, overAt: 'the closing', okWithin: 60 },
};
const MOMENTS = { 'the death': 100_000, 'the closing': 200_000 };
const rang = (to: 'ALARM' | 'OK', seconds: number, alarm = 'a') => ({ alarm, to, at: seconds * 1_000 });
const judge = (...changes: readonly ReturnType<typeof rang>[]) => judgeAlarms([DUE], changes, MOMENTS);

describe('the alarms that rang, beside the list of those that are due', () => {
  it('may ring in time, once or more, and be OK in time', () => {
    expect(judge(rang('ALARM', 120), rang('OK', 230))).toEqual([]);
    expect(judge(rang('ALARM', 120), rang('OK', 130), rang('ALARM', 150), rang('OK', 259))).toEqual([]);
  });

  it.each([
    ['none rings', [], /did not ring, although an event died/],
    ['it rings before its cause', [rang('ALARM', 90), rang('OK', 210)], /10 s before the death/],
    ['it rings late', [rang('ALARM', 131), rang('OK', 210)], /31 s after the death, not within 30/],
    ['it stays', [rang('ALARM', 110)], /is not OK again/],
    ['it comes back', [rang('ALARM', 110), rang('OK', 120), rang('ALARM', 130)], /is not OK again/],
    ['it is OK late', [rang('ALARM', 110), rang('OK', 261)], /61 s after the closing, not within 60/],
    ['another rings', [rang('ALARM', 110), rang('OK', 210), rang('ALARM', 150, 'b')], /b rang and is not on the list/],
  ])('are wrong when %s', (_what, changes, complaint) => {
    expect(judge(...changes)).toEqual([expect.stringMatching(complaint)]);
  });

  it('are wrong where nothing is due, and where the cause never came', () => {
    expect(judgeAlarms([], [rang('ALARM', 1)], {})).toEqual(['a rang and is not on the list']);
    expect(judgeAlarms([DUE], [], {})).toEqual(['a: "the death" or "the closing" did not happen']);
  });

  it('may ring and must be OK again where they measure the time of the machine', () => {
    const possible = [{ alarm: 'slow', why: 'much runs here' }];
    const due = [rang('ALARM', 120), rang('OK', 230)];
    const all = (...more: readonly ReturnType<typeof rang>[]) =>
      judgeAlarms([DUE], [...due, ...more], MOMENTS, possible);
    expect(all()).toEqual([]);
    expect(all(rang('ALARM', 50, 'slow'), rang('OK', 60, 'slow'))).toEqual([]);
    expect(all(rang('ALARM', 50, 'slow'))).toEqual(['slow is not OK again']);
    expect(all(rang('ALARM', 50, 'b'))).toEqual(['b rang and is not on the list']);
  });

  it('are read from what npm start prints', () => {
    const lines = [
      '  13:21:05  ALARM holdfast-local-sweep-unsent-records 2 of the last 3 periods …',
      '  13:21:21  hanging       no answer  invoice.paid, attempt 6, signature verified',
      '  13:24:05  OK    holdfast-local-sweep-unsent-records 0 of the last 3 periods …',
      '    ALARM: holdfast-local-sweep-unsent-records',
    ].map((text, at) => ({ text, at }));
    expect(rangIn(lines)).toEqual([
      { alarm: 'sweep-unsent-records', to: 'ALARM', at: 0 },
      { alarm: 'sweep-unsent-records', to: 'OK', at: 2 },
    ]);
  });
});
