import { describe, expect, it } from 'vitest';
import { once } from '#adapters/once.ts';

describe('what is made once', () => {
  it('is made with the first use, for all who ask meanwhile and afterwards', async () => {
    let made = 0;
    const get = once(async () => {
      made += 1;
      return { nth: made };
    });
    expect(made).toBe(0);
    const [one, other] = await Promise.all([get(), get()]);
    expect([one, other, await get()]).toEqual([{ nth: 1 }, { nth: 1 }, { nth: 1 }]);
    expect(made).toBe(1);
  });

  it('is made again where it could not be made', async () => {
    let tries = 0;
    const get = once(async () => {
      tries += 1;
      if (tries === 1) throw new Error('no file');
      return tries;
    });
    await expect(get()).rejects.toThrow('no file');
    expect([await get(), await get()]).toEqual([2, 2]);
  });
});
