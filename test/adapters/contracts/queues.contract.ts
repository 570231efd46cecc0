import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#core/glossary.ts';
import type { DeadQueue, QueueGauge, ReceiptBox, WorkQueue } from '#core/ports.ts';

interface ReceivedBody {
  readonly body: string;
  readonly receipt: string;
  readonly groupId: string | undefined;
  readonly receiveCount: number;
  readonly sentAt: EpochMs;
}

export interface QueuesSubject {
  readonly work: WorkQueue;
  readonly receipts: ReceiptBox;
  readonly dead: DeadQueue;
  readonly gauge: QueueGauge;
  /** Receives from the main queue, as the mapping does: hidden for 30 s. */
  receive(): Promise<ReceivedBody[]>;
  delete(receipt: string): Promise<void>;
  /** Message attributes of what is received next from the dead-letter queue, for the one the port does not show. */
  deadAttributes(): Promise<Record<string, string>>;
  /** Lets this number of seconds pass. */
  wait(seconds: number): Promise<void>;
}

const notApplied = { name: 'DependencyError', outcome: 'not_applied' };

/** `gaps`: refusals this implementation is known to lack; each is expected to fail, so that a repaired one shows. */
export function queuesContract(subject: () => QueuesSubject, gaps: readonly string[] = []): void {
  const work = (): WorkQueue => subject().work;
  /** Receives until `count` messages came, or it is clear that they do not. */
  const receiveAll = async (count: number) => {
    const found: ReceivedBody[] = [];
    for (let tries = 0; found.length < count && tries < 20; tries++) found.push(...(await subject().receive()));
    for (const { receipt } of found) await subject().delete(receipt);
    return found;
  };

  test('QueueGauge tells what is visible and what is hidden', async () => {
    const { gauge } = subject();
    for (let n = 0; n < 3; n++) await work().send(`${n}`, { groupId: 'g' });
    await subject().wait(1);
    expect(await gauge.main()).toEqual({ visible: 3, hidden: 0, delayed: 0 });
    const received = await subject().receive();
    const numbers = await gauge.main();
    expect(numbers.hidden).toBe(received.length);
    expect(numbers.visible).toBe(3 - received.length);
    for (const { receipt } of received) await subject().delete(receipt);
    await receiveAll(3 - received.length);
    expect(await gauge.dead()).toEqual({ visible: 0, hidden: 0, delayed: 0 });
  });

  describe('WorkQueue', () => {
    test('delivers the body and the group exactly as sent', async () => {
      const bodies = ['{"v":1}', 'é 🎉 \u2028 \ue000\ufffd', 'tab\tline\nreturn\rquote"\\', ' leading and trailing '];
      for (const body of bodies) await work().send(body, { groupId: 'replay#stripe-eu' });
      const received = await receiveAll(bodies.length);
      expect(received.map(message => message.body).toSorted()).toEqual(bodies.toSorted());
      for (const message of received) expect(message).toMatchObject({ groupId: 'replay#stripe-eu', receiveCount: 1 });
    });

    test('holds a delayed message back', async () => {
      await work().send('later', { groupId: 'g', delaySeconds: 2 });
      expect(await subject().receive()).toEqual([]);
      expect((await subject().gauge.main()).delayed).toBe(1);
      await subject().wait(2.5);
      expect((await receiveAll(1)).map(message => message.body)).toEqual(['later']);
    });

    test('takes a message of 900 KB and refuses one over 1 MiB, applying nothing', async () => {
      const large = 'x'.repeat(900_000);
      await work().send(large, { groupId: 'g' });
      expect((await receiveAll(1))[0]?.body).toBe(large);
      await expect(work().send('x'.repeat(1_048_577), { groupId: 'g' })).rejects.toMatchObject(notApplied);
    });

    const wrongSends: Readonly<Record<string, { body: string; delaySeconds?: number }>> = {
      'an empty body': { body: '' },
      'a NUL': { body: 'a\u0000b' },
      'U+FFFF': { body: 'a\uffffb' },
      'a delay over 15 minutes': { body: 'a', delaySeconds: 901 },
    };
    for (const [name, { body, ...options }] of Object.entries(wrongSends)) {
      (gaps.includes(name) ? test.fails : test)(`refuses ${name}, applying nothing`, async () => {
        await expect(work().send(body, { groupId: 'g', ...options })).rejects.toMatchObject(notApplied);
        expect(await subject().receive()).toEqual([]);
      });
    }
  });

  describe('ReceiptBox', () => {
    test('hides a received message for the time given, from now', async () => {
      await work().send('hidden', { groupId: 'g' });
      const [first] = await subject().receive();
      await subject().receipts.hide(first?.receipt ?? '', 2);
      await subject().wait(1);
      expect(await subject().receive()).toEqual([]);
      await subject().wait(1.5);
      const [second] = await subject().receive();
      expect(second).toMatchObject({ body: 'hidden', receiveCount: 2 });
      await subject().receipts.hide(second?.receipt ?? '', 0);
      expect((await receiveAll(1))[0]?.receiveCount).toBe(3);
    });

    test('never throws: not for an unknown handle or a message that is gone', async () => {
      const { receipts } = subject();
      await receipts.hide('no such handle', 5);
      await work().send('gone', { groupId: 'g' });
      const [message] = await subject().receive();
      await subject().delete(message?.receipt ?? '');
      await receipts.hide(message?.receipt ?? '', 5);
    });
  });

  describe('DeadQueue', () => {
    test('keeps the body as it was, with the cause beside it', async () => {
      const { dead } = subject();
      await dead.send('{"v":1,"pk":"s#e"}', 'attempts_spent');
      expect(await subject().deadAttributes()).toEqual({ cause: 'attempts_spent' });
      await subject().wait(2);
      const [message] = await dead.receive(10);
      expect(message).toMatchObject({ body: '{"v":1,"pk":"s#e"}', receiveCount: 2 });
      expect(message?.sentAt).toBeGreaterThan(1_600_000_000_000);
      await dead.delete(message?.receipt ?? '');
      await dead.delete(message?.receipt ?? '');
      await subject().wait(2);
      expect(await dead.receive(10)).toEqual([]);
    });

    test('receives at most as many as asked for', async () => {
      const { dead } = subject();
      for (let n = 0; n < 4; n++) await dead.send(`${n}`, 'c');
      const three = await dead.receive(3);
      expect(three.length).toBeLessThanOrEqual(3);
      const rest = await dead.receive(50);
      for (const { receipt } of [...three, ...rest]) await dead.delete(receipt);
      expect(three.length + rest.length).toBe(4);
    });
  });
}
