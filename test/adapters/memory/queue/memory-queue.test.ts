import { describe, expect, test } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { HOUR_MS } from '#core/time.ts';
import { MemoryQueue, type MemoryQueueOptions } from '#test/kit/memory/queue/memory-queue.ts';
import { MemoryReceiptBox } from '#test/kit/memory/queue/memory-queue-ports.ts';

function build(options: Partial<MemoryQueueOptions> = {}) {
  const clock = new VirtualClock();
  const random = new SeededRandom(7);
  const make = (more: Partial<MemoryQueueOptions> = {}): MemoryQueue =>
    new MemoryQueue({ clock, random, duplicateRate: 0, ...options, ...more });
  return { clock, random, make, queue: make() };
}

describe('a standard queue in memory', () => {
  test('hides a received message until its visibility runs out, then counts another receive', async () => {
    const { clock, queue } = build({ visibilitySeconds: 30 });
    queue.send('a', { groupId: 'stripe' });
    const [first] = queue.receive(10);
    expect(first).toMatchObject({ body: 'a', groupId: 'stripe', receiveCount: 1 });
    expect(queue.receive(10)).toEqual([]);
    expect(queue.numbers()).toEqual({ visible: 0, hidden: 1, delayed: 0 });
    await clock.advanceBy(30_000);
    expect(queue.receive(10)[0]).toMatchObject({ messageId: first?.messageId, receiveCount: 2 });
  });

  test('keeps a delayed message out of sight and out of flight until its time', async () => {
    const { clock, queue } = build();
    queue.send('later', { delaySeconds: 900 });
    expect(queue.numbers()).toEqual({ visible: 0, hidden: 0, delayed: 1 });
    await clock.advanceBy(899_000);
    expect(queue.receive(1)).toEqual([]);
    await clock.advanceBy(1_000);
    expect(queue.receive(1)[0]?.body).toBe('later');
    expect(() => queue.send('x', { delaySeconds: 901 })).toThrow('DelaySeconds is 0 to 900');
  });

  test('delivers out of order and, at its rate, more than once', () => {
    const { queue } = build({ duplicateRate: 0.3 });
    for (let n = 0; n < 200; n++) queue.send(`${n}`);
    const bodies: string[] = [];
    for (let batch = queue.receive(10); batch.length > 0; batch = queue.receive(10)) {
      bodies.push(...batch.map(message => message.body));
    }
    expect(new Set(bodies).size).toBe(200);
    expect(bodies.slice(0, 20)).not.toEqual(Array.from({ length: 20 }, (_, n) => `${n}`));
    expect(queue.numbers().visible).toBe(0);
    expect(queue.dump().length).toBeGreaterThan(230);
  });

  test('deletes by the latest handle; an older handle sometimes does nothing', async () => {
    const { clock, queue } = build({ visibilitySeconds: 1 });
    let survived = 0;
    for (let round = 0; round < 100; round++) {
      queue.send('m');
      const stale = queue.receive(1)[0]?.receipt ?? '';
      await clock.advanceBy(1_000);
      const fresh = queue.receive(1)[0]?.receipt ?? '';
      queue.delete(stale);
      survived += queue.dump().length;
      queue.delete(fresh);
      expect(queue.dump()).toEqual([]);
    }
    expect(survived).toBeGreaterThan(20);
    expect(survived).toBeLessThan(80);
  });

  test('receives nothing above the in-flight limit, and delayed messages are not in flight', () => {
    const { queue } = build({ inFlightLimit: 5 });
    for (let n = 0; n < 20; n++) queue.send(`${n}`);
    for (let n = 0; n < 20; n++) queue.send(`later ${n}`, { delaySeconds: 60 });
    const received = queue.receive(10);
    expect(received).toHaveLength(5);
    expect(queue.receive(10)).toEqual([]);
    queue.delete(received[0]?.receipt ?? '');
    expect(queue.receive(10)).toHaveLength(1);
  });

  test('refuses to hide a message beyond 12 hours from its first receive', async () => {
    const { clock, queue } = build({ visibilitySeconds: 100 });
    queue.send('m');
    const receipt = queue.receive(1)[0]?.receipt ?? '';
    await clock.advanceBy(50_000);
    queue.changeVisibility(receipt, 43_150);
    expect(() => queue.changeVisibility(receipt, 43_200)).toThrow('Total VisibilityTimeout');
    expect(() => queue.changeVisibility(receipt, 43_201)).toThrow('0 to 43200');
    await clock.advanceBy(12 * HOUR_MS);
    expect(() => queue.changeVisibility(receipt, 10)).toThrow('MessageNotInflight');
  });

  test.each([0.5, -1, 43_201, Number.POSITIVE_INFINITY, Number.NaN])(
    'takes no time of %s seconds to hide a message: SQS refuses it, and nobody would hear of it',
    async seconds => {
      const { queue } = build();
      queue.send('a');
      const [message] = queue.receive(1, 60);
      const receipts = new MemoryReceiptBox(queue);
      await expect(receipts.hide(message?.receipt ?? '', seconds)).rejects.toThrow('whole seconds');
      await expect(receipts.hide('no such handle', 5)).resolves.toBeUndefined();
      await receipts.hide(message?.receipt ?? '', 43_200);
    },
  );

  test('deletes what is older than its retention, received or not', async () => {
    const { clock, queue } = build({ retentionSeconds: 60 });
    queue.send('old');
    await clock.advanceBy(60_000);
    expect(queue.receive(1)).toEqual([]);
    expect(queue.dump()).toEqual([]);
  });

  test.each([
    ['a control character', 'a\u0000b'],
    ['U+FFFF', 'a\uffff'],
    ['a lone surrogate', 'a\ud800'],
    ['an empty body', ''],
    ['a body over 1 MiB', 'x'.repeat(1_048_577)],
    ['a body over 1 MiB in UTF-8 only', 'é'.repeat(524_289)],
  ])('refuses %s', (_name, body) => {
    expect(() => build().queue.send(body)).toThrow();
  });

  test('takes a body of exactly 1 MiB and characters outside the basic plane', () => {
    const { queue } = build();
    queue.send('x'.repeat(1_048_576));
    queue.send('tab\t line\n return\r 🎉 \ue000 \ufffd');
    expect(queue.sent).toBe(2);
  });

  test('moves a message that was received too often to the dead-letter queue, which keeps its age and its source', async () => {
    const { clock, make } = build();
    const dead = make();
    const queue = make({ visibilitySeconds: 1, redrive: { deadLetterQueue: dead, maxReceiveCount: 2 } });
    queue.send('poison', { groupId: 'github' });
    const sentAt = clock.now();
    for (let n = 0; n < 2; n++) {
      expect(queue.receive(1)).toHaveLength(1);
      await clock.advanceBy(1_000);
    }
    expect(queue.receive(1)).toEqual([]);
    expect(dead.dump()).toMatchObject([{ body: 'poison', sentAt, receiveCount: 2 }]);
    expect(dead.startMessageMoveTask()).toEqual({ moved: 1 });
    expect(queue.receive(1)[0]).toMatchObject({ body: 'poison', groupId: 'github', receiveCount: 1 });
  });

  test('cannot redrive to its source what was sent by SendMessage, but can to a custom destination', () => {
    const { make, queue } = build();
    const dead = make();
    dead.send('ours', { attributes: { cause: 'attempts' } });
    expect(dead.startMessageMoveTask()).toEqual({ moved: 0, failure: 'CouldNotDetermineMessageSource' });
    expect(dead.startMessageMoveTask(queue)).toEqual({ moved: 1 });
    expect(queue.receive(1)[0]?.body).toBe('ours');
  });

  test('purges everything, and for a minute may take later messages with it', async () => {
    const { clock, queue } = build();
    queue.send('before');
    queue.receive(1);
    queue.purge();
    expect(queue.dump()).toEqual([]);
    for (let n = 0; n < 40; n++) queue.send(`during ${n}`);
    const left = queue.dump().length;
    expect(left).toBeGreaterThan(5);
    expect(left).toBeLessThan(35);
    await clock.advanceBy(60_000);
    queue.send('after');
    expect(queue.dump()).toHaveLength(left + 1);
  });

  test('serves a quiet group before a noisy one, mostly', () => {
    const { queue } = build();
    for (let n = 0; n < 1_000; n++) queue.send('noisy', { groupId: 'a' });
    queue.receive(10);
    for (let n = 0; n < 10; n++) queue.send('quiet', { groupId: 'b' });
    const next = [...queue.receive(10), ...queue.receive(10)];
    expect(next.filter(message => message.groupId === 'b').length).toBeGreaterThan(6);
  });
});
