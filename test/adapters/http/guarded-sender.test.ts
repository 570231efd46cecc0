import { Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { guardedSender } from '#adapters/http/guarded-sender.ts';
import { webhookSenderContract } from '../contracts/webhook-sender.contract.ts';

const sender = () => guardedSender({ ports: [443], ownHosts: [], allowAddresses: ['127.0.0.1'] });
webhookSenderContract('guarded', sender);

afterEach(() => {
  vi.restoreAllMocks();
});

it('waits for a connection as long as the request says', async () => {
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket) {
    Object.assign(this, { connecting: true });
    return this;
  });
  const session = sender().open(1);
  const request = { url: 'http://127.0.0.1:9/', headers: {}, body: new Uint8Array(), deadlineMs: 10_000 };
  const answer = await session.send({ ...request, connectMs: 1_000 }, new AbortController().signal);
  expect(answer).toMatchObject({ kind: 'failed', cause: 'connect' });
  expect(answer.timings.total).toBeGreaterThan(900);
  expect(answer.timings.total).toBeLessThan(3_000);
  session.close();
});
