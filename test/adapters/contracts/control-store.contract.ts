import { describe, expect, test } from 'vitest';
import type { ControlStore } from '#core/inbound/ports.ts';

export interface ControlStoreSubject {
  readonly control: ControlStore;
  settle(): Promise<void>;
}

let names = 0;
const freshName = (): string => `contract-${Date.now().toString(36)}-${++names}`;

export function controlStoreContract(subject: () => ControlStoreSubject): void {
  const control = (): ControlStore => subject().control;

  describe('ControlStore', () => {
    test('creates at version 0 and writes on only from the version that was read', async () => {
      const name = freshName();
      expect(await control().read(name)).toBeUndefined();
      expect(await control().write(name, 'a', 0)).toBe(true);
      expect(await control().read(name)).toEqual({ value: 'a', version: 1 });
      expect(await control().write(name, 'x', 0)).toBe(false);
      expect(await control().write(name, 'b', 1)).toBe(true);
      expect(await control().write(name, 'x', 1)).toBe(false);
      expect(await control().write(name, 'x', 3)).toBe(false);
      expect(await control().read(name)).toEqual({ value: 'b', version: 2 });
    });

    test('does not create an item at a version it never had', async () => {
      const name = freshName();
      expect(await control().write(name, 'x', 4)).toBe(false);
      expect(await control().read(name)).toBeUndefined();
    });

    test('lets one of ten concurrent writers through', async () => {
      const name = freshName();
      const results = await Promise.all(Array.from({ length: 10 }, (_, n) => control().write(name, `${n}`, 0)));
      expect(results.filter(won => won)).toHaveLength(1);
    });

    test('keeps a value of 100 KB', async () => {
      const name = freshName();
      await control().write(name, 'x'.repeat(100_000), 0);
      expect((await control().read(name))?.value).toHaveLength(100_000);
    });

    test('lists the names under a prefix, in order, however often they were written', async () => {
      const prefix = `${freshName()}/`;
      for (const name of ['b', 'a', 'c']) await control().write(prefix + name, 'v', 0);
      await control().write(`${prefix}a`, 'v2', 1);
      await control().write(freshName(), 'other', 0);
      await subject().settle();
      expect(await control().list(prefix)).toEqual([`${prefix}a`, `${prefix}b`, `${prefix}c`]);
      expect(await control().list('')).toEqual(expect.arrayContaining([`${prefix}a`]));
      expect(await control().list(`${prefix}zz`)).toEqual([]);
    });
  });
}
