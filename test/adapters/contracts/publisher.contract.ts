import { expect, test } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { DependencyError } from '#core/errors.ts';
import { publisherForRoutes } from '#core/outbound/api/publish-for-route.ts';
import type { ItemStore, Job } from '#core/outbound/ports.ts';
import { messageIdOf } from '#core/outbound/protocol/ids.ts';
import { messageKey } from '#core/outbound/protocol/keys.ts';
import { createApplication } from '#core/outbound/registry/applications.ts';
import type { CustomerMessage } from '#core/publisher.ts';
import { DAY_MS } from '#core/time.ts';

/** `Publisher` over a store: what a route relies on when it asks twice. */
export function publisherContract(subject: () => { readonly items: ItemStore }): void {
  let made = 0;
  const start = async () => {
    const uid = `publisher-${Date.now()}-${++made}`;
    const store = subject().items;
    const clock = { now: () => Date.now() };
    const application = { name: 'acme', metadata: {}, limits: {}, format: 'standard', uid } as const;
    const ids = { uuid: () => crypto.randomUUID(), traceId: () => '' };
    const created = await createApplication({ store, clock, ids } as never, application);
    if (created.kind !== 'created') throw new Error('not created');
    const jobs: Job[] = [];
    let isDown = false;
    const ports = {
      ...{ store, clock, codec: nodeCodec, crypto: nodeCrypto, telemetry: { count: () => undefined } },
      blobs: { put: async () => undefined, get: async () => undefined },
      jobs: {
        send: async (sent: readonly Job[]) => {
          if (isDown) throw new DependencyError('sqs', 'SendMessage: down');
          jobs.push(...sent);
        },
      },
    };
    const publisher = publisherForRoutes(ports, { retentionMs: 30 * DAY_MS });
    const message = (text: string, key = 'k1', type = 'invoice.paid'): CustomerMessage => ({
      ...{ application: uid, key, type, contentType: 'application/json' },
      bytes: new TextEncoder().encode(text),
    });
    const app = created.application.id;
    const stored = (key: string) => store.get(messageKey(messageIdOf(app, key, nodeCrypto)), 'consistent');
    const down = (is: boolean): void => {
      isDown = is;
    };
    return { publisher, message, jobs, stored, down, uid };
  };

  test('Publisher stores the body as it is, once for a key, and queues a job for each time it is asked', async () => {
    const { publisher, message, jobs, stored } = await start();
    const first = await publisher.publish(message('{"n": 1.0}'));
    const second = await publisher.publish(message('{"n": 1.0}'));
    expect(first).toEqual({ kind: 'accepted', message: expect.stringMatching(/^msg_/) });
    expect(second).toEqual(first);
    expect(jobs).toHaveLength(2);
    const there = await stored('k1');
    expect(there).toMatchObject({ type: 'invoice.paid', size: 10 });
    expect(new TextDecoder().decode(nodeCodec.inflate(there?.body ?? new Uint8Array(), 100))).toBe('{"n": 1.0}');
  });

  test('Publisher goes on where an attempt died between the message and its job', async () => {
    const { publisher, message, jobs, stored, down } = await start();
    down(true);
    await expect(publisher.publish(message('{}'))).rejects.toThrow(DependencyError);
    expect([jobs.length, await stored('k1')]).toEqual([0, expect.objectContaining({ type: 'invoice.paid' })]);
    down(false);
    expect(await publisher.publish(message('{}'))).toMatchObject({ kind: 'accepted' });
    expect(jobs).toHaveLength(1);
  });

  test('Publisher refuses an unknown application, another body under the key, and what is too large', async () => {
    const { publisher, message, uid } = await start();
    expect(await publisher.publish({ ...message('{}'), application: `${uid}-no` })).toMatchObject({
      ...{
        kind: 'refused',
        cause: 'not_found',
        reason: expect.stringContaining(`there is no application uid:${uid}-no`),
      },
    });
    await publisher.publish(message('{"a":1}'));
    expect(await publisher.publish(message('{"a":2}'))).toMatchObject({ kind: 'refused', cause: 'invalid' });
    const large = await publisher.publish(message('x'.repeat(300_000), 'k2'));
    expect(large).toMatchObject({ kind: 'refused', cause: 'invalid', reason: expect.stringContaining('300000 bytes') });
  });

  test('Publisher makes a type of any text of a provider', async () => {
    const { publisher, message, stored } = await start();
    for (const [type, expected] of [
      ['orders/create', 'orders.create'],
      ['', 'event'],
      ['Ä'.repeat(200), '.'.repeat(100)],
    ] as const) {
      await publisher.publish(message('{}', `type ${type}`, type));
      expect((await stored(`type ${type}`))?.type).toBe(expected);
    }
  });
}
