import { describe, expect, test } from 'vitest';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';

describe('the virtual clock', () => {
  test('runs events in the order of their times, equal ones as scheduled, and stops where it was told', async () => {
    const clock = new VirtualClock(0);
    const ran: string[] = [];
    clock.at(20, () => ran.push(`c@${clock.now()}`));
    clock.at(10, () => ran.push(`a@${clock.now()}`));
    clock.at(10, () => ran.push(`b@${clock.now()}`));
    clock.at(40, () => ran.push('never'));
    await clock.advanceTo(30);
    expect(ran).toEqual(['a@10', 'b@10', 'c@20']);
    expect(clock.now()).toBe(30);
    expect(clock.nextAt()).toBe(40);
  });

  test('lets code that an event woke go on before the next event', async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    const walk = async (): Promise<void> => {
      for (let n = 0; n < 5; n++) {
        await clock.sleep(10);
        await Promise.resolve();
        seen.push(clock.now());
      }
    };
    await clock.complete(walk());
    expect(seen).toEqual([10, 20, 30, 40, 50]);
  });

  test('runs what is late at once, and nothing that was canceled', async () => {
    const clock = new VirtualClock(100);
    const ran: string[] = [];
    clock.at(50, () => ran.push(`late@${clock.now()}`));
    clock.at(110, () => ran.push('canceled'))();
    await clock.advanceBy(20);
    expect(ran).toEqual(['late@100']);
  });

  test('says so when a promise can never settle, or takes too long', async () => {
    const clock = new VirtualClock(0);
    await expect(clock.complete(new Promise(() => {}))).rejects.toThrow('can never settle');
    await expect(clock.complete(clock.sleep(5_000), 1_000)).rejects.toThrow('within 1000 ms');
    await expect(clock.complete(Promise.reject(new Error('its own')))).rejects.toThrow('its own');
  });
});
