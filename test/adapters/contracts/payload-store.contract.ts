import { describe, expect, test } from 'vitest';
import { type EventPk, toSourceId } from '#core/glossary.ts';
import type { PayloadStore, StepStore } from '#core/inbound/ports.ts';
import { type PayloadItem, type RefusedItem, refusedKey, type StepItem } from '#core/inbound/protocol/event-item.ts';

let keys = 0;
const freshPk = (): EventPk => `contract#${Date.now().toString(36)}-${++keys}` as EventPk;
const SHA = 'c'.repeat(64);

function makeBody(pk: EventPk, more: Partial<PayloadItem> = {}): PayloadItem {
  return {
    pk,
    sk: `B#${SHA}`,
    bytes: Uint8Array.from({ length: 256 }, (_, n) => n),
    headers: { 'content-type': 'application/json' },
    expiresAt: 4_000_000_000,
    ...more,
  };
}

export function payloadStoreContract(subject: () => { readonly payloads: PayloadStore & StepStore }): void {
  const payloads = (): PayloadStore & StepStore => subject().payloads;

  describe('PayloadStore', () => {
    test('gives back exactly the bytes and headers it was given', async () => {
      const item = makeBody(freshPk());
      await payloads().putBody(item);
      const read = await payloads().getBody(item.pk, SHA);
      expect(read).toEqual(item);
      expect(read?.bytes).toBeInstanceOf(Uint8Array);
    });

    test('keeps a body of no bytes, and one that is only a reference', async () => {
      const empty = makeBody(freshPk(), { bytes: new Uint8Array(0), headers: {} });
      await payloads().putBody(empty);
      expect(await payloads().getBody(empty.pk, SHA)).toEqual(empty);
      const { bytes: _bytes, ...rest } = makeBody(freshPk());
      const referring = { ...rest, ref: 'bodies/1' };
      await payloads().putBody(referring);
      expect(await payloads().getBody(referring.pk, SHA)).toEqual(referring);
    });

    test('keeps the first headers of a body and raises its lifetime where it is a day too short', async () => {
      const pk = freshPk();
      await payloads().putBody(makeBody(pk, { expiresAt: 4_000_000_000, headers: { from: 'first' } }));
      await payloads().putBody(makeBody(pk, { expiresAt: 4_000_000_000, headers: { from: 'same' } }));
      expect((await payloads().getBody(pk, SHA))?.headers).toEqual({ from: 'first' });
      await payloads().putBody(makeBody(pk, { expiresAt: 4_000_086_400, headers: { from: 'a retry' } }));
      expect((await payloads().getBody(pk, SHA))?.expiresAt).toBe(4_000_000_000);
      await payloads().putBody(makeBody(pk, { expiresAt: 4_000_086_401, headers: { from: 'later' } }));
      expect(await payloads().getBody(pk, SHA)).toMatchObject({ headers: { from: 'first' }, expiresAt: 4_000_086_401 });
      await payloads().putBody(makeBody(pk, { expiresAt: 3_999_999_999 }));
      expect((await payloads().getBody(pk, SHA))?.expiresAt).toBe(4_000_086_401);
    });

    test('raises a lifetime, never lowers it, and creates nothing', async () => {
      const pk = freshPk();
      expect(await payloads().raiseBody(pk, SHA, 4_100_000_000)).toBe('missing');
      expect(await payloads().getBody(pk, SHA)).toBeUndefined();
      await payloads().putBody(makeBody(pk));
      expect(await payloads().raiseBody(pk, SHA, 4_100_000_000)).toBe('raised');
      expect(await payloads().raiseBody(pk, SHA, 4_050_000_000)).toBe('raised');
      expect((await payloads().getBody(pk, SHA))?.expiresAt).toBe(4_100_000_000);
    });

    test('keeps bodies of one event apart by their hash, and details by their generation', async () => {
      const pk = freshPk();
      await payloads().putBody(makeBody(pk));
      await payloads().putBody(makeBody(pk, { sk: `B#${'d'.repeat(64)}`, headers: { other: 'yes' } }));
      await payloads().putDetail({ pk, sk: 'D#1', detail: '{"who":"a"}', expiresAt: 4_000_000_000 });
      await payloads().putDetail({ pk, sk: 'D#1', detail: '{"who":"b"}', expiresAt: 4_000_000_000 });
      expect((await payloads().getBody(pk, 'd'.repeat(64)))?.headers).toEqual({ other: 'yes' });
      expect((await payloads().getDetail(pk, 'D#1'))?.detail).toBe('{"who":"b"}');
      expect(await payloads().getDetail(pk, 'N#1#r')).toBeUndefined();
    });

    test('keeps a refused request in its slot until another takes it, and lists them by cause, newest first', async () => {
      const source = toSourceId(`contract-${Date.now().toString(36)}-${++keys}`);
      const refused = (cause: string, slot: number, refusedAt: number): RefusedItem => ({
        ...refusedKey(source, cause, slot),
        cause,
        refusedAt,
        bodySha: SHA,
        size: 3,
        headers: { a: 'b' },
        bytes: Uint8Array.of(1, 2, 3),
        expiresAt: 4_000_000_000,
      });
      const kept = [refused('stale', 0, 4), refused('mismatch', 7, 3), refused('mismatch', 19, 2)];
      await payloads().putRefused(refused('mismatch', 7, 1));
      for (const item of kept) await payloads().putRefused(item);
      expect(await payloads().listRefused(source)).toEqual(kept);
      expect(await payloads().listRefused(source, 'mismatch')).toEqual(kept.slice(1));
      expect(await payloads().listRefused(source, 'mis')).toEqual([]);
      expect(await payloads().listRefused(toSourceId('nobody'))).toEqual([]);
    });

    test('refuses a body over 400 KB and says nothing was applied', async () => {
      const item = makeBody(freshPk(), { bytes: new Uint8Array(410_000) });
      await expect(payloads().putBody(item)).rejects.toMatchObject({ name: 'DependencyError', outcome: 'not_applied' });
    });
  });
  describe('StepStore', () => {
    test('keeps the first result of a step and answers it to everyone who comes later', async () => {
      const pk = freshPk();
      const step = (result: string): StepItem => ({
        pk,
        sk: 'S#1#charge',
        result,
        finishedAt: 5,
        expiresAt: 4_000_000_000,
      });
      expect(await payloads().getStep(pk, 'S#1#charge')).toBeUndefined();
      expect(await payloads().keepStep(step('"first"'))).toEqual(step('"first"'));
      expect(await payloads().keepStep(step('"second"'))).toEqual(step('"first"'));
      expect(await payloads().getStep(pk, 'S#1#charge')).toEqual(step('"first"'));
      expect(await payloads().getStep(pk, 'S#2#charge')).toBeUndefined();
    });

    test('lets one of ten concurrent results count', async () => {
      const pk = freshPk();
      const kept = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          payloads().keepStep({ pk, sk: 'S#1#x', result: `${n}`, finishedAt: n, expiresAt: 4_000_000_000 }),
        ),
      );
      expect(new Set(kept.map(item => item.result)).size).toBe(1);
      expect(await payloads().getStep(pk, 'S#1#x')).toEqual(kept[0]);
    });
  });
}
