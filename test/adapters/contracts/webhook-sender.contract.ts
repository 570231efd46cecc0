/** What every `WebhookSender` keeps towards a receiver on this machine. */
import { readdirSync } from 'node:fs';
import { globalAgent as globalHttp } from 'node:http';
import { globalAgent as globalHttps } from 'node:https';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Answer, SenderSession, WebhookSender } from '#core/outbound/ports.ts';
import { answer, type Behaviour, type Receiver, startReceiver } from '#test/hostile/raw-receiver.ts';
import { livedTime } from '#test/kit/lived-time.ts';

const never = new AbortController().signal;

export function webhookSenderContract(name: string, make: () => WebhookSender): void {
  let receiver: Receiver;
  let session: SenderSession;
  const open = async (behaviour: Behaviour, cap = 2): Promise<void> => {
    receiver = await startReceiver(behaviour);
    session = make().open(cap);
  };
  const send = (
    body = '{"a":1}',
    change: { deadlineMs?: number; signal?: AbortSignal; url?: string } = {},
  ): Promise<Answer> => {
    const { deadlineMs = 5_000, signal = never, url = `http://127.0.0.1:${receiver.port}/in?x=%20` } = change;
    return session.send(
      { url, headers: { 'content-type': 'a/b', 'webhook-id': 'msg_1' }, body: Buffer.from(body), deadlineMs },
      signal,
    );
  };
  const ok = (text = 'thanks'): Behaviour => ({
    onRequest: socket => socket.write(answer(200, { 'X-A': '1', 'x-a-2': '2' }, text)),
  });

  describe(`a sender: ${name}`, () => {
    afterEach(async () => {
      session.close();
      await receiver.stop();
    });

    it('sends the bytes and headers it was given, and answers with those that came', async () => {
      await open(ok());
      const body = 'Zoë 🎉 \u0000\r\n\r\n end';
      const got = await send(body);
      expect(got).toEqual({
        ...{ kind: 'answered', status: 200, bytes: 6, truncated: false, body: new Uint8Array(Buffer.from('thanks')) },
        headers: { 'content-length': ['6'], 'x-a': ['1'], 'x-a-2': ['2'] },
        timings: expect.objectContaining({ total: expect.any(Number) }),
      });
      const sent = Buffer.concat(receiver.received()).toString();
      expect(sent.startsWith('POST /in?x=%20 HTTP/1.1\r\n')).toBe(true);
      expect(sent.endsWith(`\r\n\r\n${body}`)).toBe(true);
      const head = sent.slice(0, sent.indexOf('\r\n\r\n')).toLowerCase().split('\r\n').slice(1).sort();
      expect(head).toEqual([
        'connection: keep-alive',
        `content-length: ${Buffer.byteLength(body)}`,
        'content-type: a/b',
        `host: 127.0.0.1:${receiver.port}`,
        'webhook-id: msg_1',
      ]);
    });

    it('sends an empty body with its length', async () => {
      await open(ok());
      expect(await send('')).toMatchObject({ status: 200 });
      expect(Buffer.concat(receiver.received()).toString()).toMatch(/content-length: 0/i);
    });

    it('uses one connection for what follows each other, never more than its cap, and none after close', async () => {
      await open({ onRequest: socket => setTimeout(() => socket.write(answer(200)), 20) }, 3);
      for (let i = 0; i < 5; i++) await send();
      expect(receiver.connections()).toBe(1);
      await Promise.all(Array.from({ length: 12 }, () => send()));
      expect(receiver.connections()).toBeLessThanOrEqual(3);
      expect(receiver.requests()).toBe(17);
      session.close();
      await expect.poll(() => receiver.open()).toBe(0);
      expect(await send()).toMatchObject({ kind: 'failed', cause: 'own_fault' });
      expect(receiver.requests()).toBe(17);
    });

    it('shares no connection with another session, and never uses the global agent', async () => {
      const global = [vi.spyOn(globalHttp, 'addRequest' as never), vi.spyOn(globalHttps, 'addRequest' as never)];
      await open(ok());
      await send();
      const other = make().open(1);
      const url = `http://127.0.0.1:${receiver.port}/`;
      await other.send({ url, headers: {}, body: new Uint8Array(), deadlineMs: 5_000 }, never);
      other.close();
      expect(receiver.connections()).toBe(2);
      for (const spy of global) expect(spy).not.toHaveBeenCalled();
      vi.restoreAllMocks();
    });

    it('ends at the deadline, which counts from the start, waiting for a connection included', async () => {
      await open({}, 1);
      const lived = livedTime();
      const both = await Promise.all([send('', { deadlineMs: 300 }), send('', { deadlineMs: 300 })]);
      expect(both.map(got => got.kind === 'failed' && got.cause)).toEqual(['timeout', 'timeout']);
      expect(lived()).toBeLessThan(1_300);
    });

    it('ends as our own fault when it is aborted, before or while it runs', async () => {
      await open({});
      expect(await send('', { signal: AbortSignal.abort() })).toMatchObject({ kind: 'failed', cause: 'own_fault' });
      expect(receiver.connections()).toBe(0);
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      expect(await send('', { signal: controller.signal })).toMatchObject({ kind: 'failed', cause: 'own_fault' });
      await expect.poll(() => receiver.open()).toBe(0);
    });

    it('ends what is under way when it is closed', async () => {
      await open({});
      const running = send();
      setTimeout(() => session.close(), 50);
      expect(await running).toMatchObject({ kind: 'failed', cause: 'own_fault' });
    });

    it('answers errors as answers, and keeps 10 KiB of a longer one', async () => {
      await open(ok('x'.repeat(12_000)));
      expect(await send()).toMatchObject({ status: 200, bytes: 12_000, truncated: true, body: { length: 10_240 } });
    });

    it('refuses an address that is not allowed', async () => {
      await open(ok());
      for (const url of ['http://127.0.0.2/', 'https://10.0.0.1/', 'nonsense'])
        expect(await send('', { url })).toMatchObject({ kind: 'failed', cause: 'forbidden_address' });
    });

    it('leaves no descriptor and no listener behind after 200 requests at once', async () => {
      const descriptors = () => readdirSync('/proc/self/fd').length;
      await open(ok(), 100);
      const controller = new AbortController();
      const warnings: Error[] = [];
      const warned = (warning: Error) => warnings.push(warning);
      process.on('warning', warned);
      await send();
      session.close();
      await expect.poll(() => receiver.open()).toBe(0);
      const before = descriptors();
      session = make().open(100);
      const added = vi.spyOn(controller.signal, 'addEventListener');
      const removed = vi.spyOn(controller.signal, 'removeEventListener');
      const all = await Promise.all(Array.from({ length: 200 }, () => send('{}', { signal: controller.signal })));
      expect(all.every(got => got.kind === 'answered')).toBe(true);
      expect(removed.mock.calls.length).toBe(added.mock.calls.length);
      session.close();
      await expect.poll(() => receiver.open()).toBe(0);
      await expect.poll(descriptors).toBeLessThanOrEqual(before);
      process.off('warning', warned);
      expect(warnings).toEqual([]);
    });
  });
}
