import { expect, it } from 'vitest';
import { nextWaitMs } from '#core/handler/ordering/waiting.ts';

it('waits 30 s, 2 min, 10 min, 1 h, then 6 h each, also when woken a little early or late', () => {
  for (const driftMs of [-2_000, 0, 59_000]) {
    let waited = 0;
    const waits: number[] = [];
    for (let n = 0; n < 6; n++) {
      const wait = nextWaitMs(waited);
      waits.push(wait / 1_000);
      // Only waits above 15 minutes come back by the sweeper's minute.
      waited += wait + (wait > 900_000 ? driftMs : Math.min(driftMs, 3_000));
    }
    expect(waits).toEqual([30, 120, 600, 3_600, 21_600, 21_600]);
  }
});
