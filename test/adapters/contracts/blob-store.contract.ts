import { describe, expect, test } from 'vitest';
import type { BlobList, BlobStore } from '#core/ports.ts';

let keys = 0;
const freshKey = (): string => `contract/${Date.now().toString(36)}#${++keys}/ünïcode key`;

export function blobStoreContract(subject: () => { readonly blobs: BlobStore & BlobList }): void {
  describe('BlobStore', () => {
    test('gives back exactly the bytes it was given', async () => {
      const key = freshKey();
      const bytes = Uint8Array.from({ length: 300_000 }, (_, n) => (n * 31) % 256);
      await subject().blobs.put(key, bytes);
      const read = await subject().blobs.get(key);
      expect(Buffer.compare(read ?? new Uint8Array(), bytes)).toBe(0);
    });

    test('keeps an empty object apart from a missing one', async () => {
      const key = freshKey();
      expect(await subject().blobs.get(key)).toBeUndefined();
      await subject().blobs.put(key, new Uint8Array(0));
      expect(await subject().blobs.get(key)).toEqual(new Uint8Array(0));
    });

    test('shares no reference with its callers', async () => {
      const key = freshKey();
      const bytes = Uint8Array.of(1, 2, 3);
      await subject().blobs.put(key, bytes);
      bytes[0] = 99;
      const read = await subject().blobs.get(key);
      expect(Array.from(read ?? [])).toEqual([1, 2, 3]);
      if (read) read[1] = 99;
      expect(Array.from((await subject().blobs.get(key)) ?? [])).toEqual([1, 2, 3]);
    });

    test('lists what lies below a prefix and is not empty', async () => {
      const { blobs } = subject();
      const prefix = `contract/list-${Date.now().toString(36)}-${++keys}/`;
      const names = Array.from({ length: 12 }, (_, n) => `${prefix}${String(n).padStart(2, '0')}`);
      for (const name of names) await blobs.put(name, Uint8Array.of(1));
      await blobs.put(`${prefix.slice(0, -1)}x`, Uint8Array.of(1));
      await blobs.put(names[3] as string, new Uint8Array(0));
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await blobs.list(prefix, cursor);
        found.push(...page.keys);
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(found).toEqual(names.filter((_, n) => n !== 3));
    });

    test('the last put wins', async () => {
      const key = freshKey();
      await subject().blobs.put(key, Uint8Array.of(1));
      await subject().blobs.put(key, Uint8Array.of(2, 3));
      expect(Array.from((await subject().blobs.get(key)) ?? [])).toEqual([2, 3]);
    });
  });
}
