import { describe, expect, test } from 'vitest';
import { toSourceId } from '#core/glossary.ts';
import type { TargetMessage, Targets } from '#core/ports.ts';
import type { RouteTarget } from '#core/resolved-config.ts';

export interface TargetsSubject {
  readonly targets: Targets;
  /** Targets that exist; `small` takes 2,048 bytes. What `topic` and `bus` get arrives in queues behind them. */
  readonly present: Readonly<Record<'queue' | 'small' | 'fifo' | 'topic' | 'bus' | 'machine', RouteTarget>>;
  /** Texts that came out of a target, oldest first, once `count` are there or after a second and a half. */
  received(target: RouteTarget, count: number): Promise<readonly string[]>;
}

const ODD =
  '{"specversion":"1.0","id":"é 🎉 \u2028 \\u0000 \\uffff","data":{"n":12345678901234567890,"t":"<&>\\"\\\\"}}';
let nextKey = 0;
const message = (text: string, key = `${nextKey++}`): TargetMessage => ({
  text,
  source: toSourceId('stripe'),
  eventType: 'invoice.paid',
  keyHash: key.padStart(64, '0'),
  group: 'in_1',
});

export function targetsContract(subject: () => TargetsSubject): void {
  const send = (target: RouteTarget, sent: TargetMessage) =>
    subject().targets.send(target, sent, new AbortController().signal);
  const missing = ({ kind, address }: RouteTarget): RouteTarget => ({
    kind,
    address: address.replace(/(\.fifo)?$/, '-gone$1'),
  });

  describe('Targets', () => {
    test.each(['queue', 'fifo', 'topic'] as const)('hands the exact text to a %s', async name => {
      const target = subject().present[name];
      expect(await send(target, message(ODD))).toEqual({ kind: 'accepted', receipt: expect.any(String) });
      expect(await subject().received(target, 1)).toContain(ODD);
    });

    test('hands the text to a bus as the detail of an event, with source and type beside it', async () => {
      const target = subject().present.bus;
      const sent = message('{"specversion":"1.0","id":"é 🎉"}');
      expect(await send(target, sent)).toEqual({ kind: 'accepted', receipt: expect.any(String) });
      const [text = ''] = await subject().received(target, 1);
      expect(JSON.parse(text)).toMatchObject({
        source: 'holdfast.stripe',
        'detail-type': 'invoice.paid',
        detail: JSON.parse(sent.text),
      });
    });

    test.each(['fifo', 'machine'] as const)('is the same delivery to a %s when the key is the same', async name => {
      const target = subject().present[name];
      const text = `{"only":"once, ${name}"}`;
      const twice = message(text);
      expect(await send(target, twice)).toMatchObject({ kind: 'accepted' });
      expect(await send(target, twice)).toMatchObject({ kind: 'accepted' });
      expect((await subject().received(target, 2)).filter(it => it === text)).toEqual([text]);
    });

    test('tells of a text that a queue does not take', async () => {
      const large = message(`{"data":"${'x'.repeat(3_000)}"}`);
      expect(await send(subject().present.small, large)).toMatchObject({ kind: 'too_large' });
      expect(await send(subject().present.small, message('{"data":"x"}'))).toMatchObject({ kind: 'accepted' });
    });

    test.each(['queue', 'topic', 'machine'] as const)('refuses for a %s that is not there', async name => {
      const delivered = await send(missing(subject().present[name]), message('{}'));
      expect(delivered).toMatchObject({ kind: 'refused', cause: 'not_found', reason: expect.any(String) });
    });
  });
}
