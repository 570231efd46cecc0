import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { defineHandlers, done, type Handler } from '#core/handler/handler-contract.ts';
import { ackOf } from '#core/provider/spec-defaults.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { Fault } from '#test/kit/memory/faults.ts';
import { ProviderWorld, type ProviderWorldOptions, type Sent } from './provider-world.ts';

const HEX_KEY = '44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056';

interface Batch {
  readonly provider: string;
  readonly secret: string;
  readonly options?: ProviderWorldOptions;
  /** Items with these ids, in this order. */
  readonly body: (ids: readonly string[]) => string;
  readonly idOf: (item: Record<string, string>) => string | undefined;
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

const BATCHES: readonly Batch[] = [
  {
    provider: 'adyen',
    secret: HEX_KEY,
    body: ids =>
      JSON.stringify({
        live: 'false',
        notificationItems: ids.map(id => ({
          NotificationRequestItem: {
            pspReference: id,
            eventCode: 'AUTHORISATION',
            success: 'true',
            amount: { value: 1000, currency: 'EUR' },
          },
        })),
      }),
    idOf: item => item['pspReference'],
  },
  {
    provider: 'hubspot',
    secret: 'client-secret-of-the-app',
    body: ids =>
      JSON.stringify(
        ids.map(id => ({
          eventId: 7,
          subscriptionId: 1,
          occurredAt: 1_767_571_200_000,
          objectId: id,
          subscriptionType: 'contact.creation',
          attemptNumber: 0,
        })),
      ),
    idOf: item => item['objectId'],
  },
  {
    provider: 'sendgrid',
    secret: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    options: { privateKey },
    body: ids =>
      `${JSON.stringify(ids.map(id => ({ sg_event_id: id, event: 'delivered', timestamp: 1_767_571_200 })))}\r\n`,
    idOf: item => item['sg_event_id'],
  },
  {
    provider: 'microsoft-graph',
    secret: 'client-state-of-the-subscription',
    body: ids => JSON.stringify({ value: ids.map(id => ({ id, changeType: 'updated', resource: 'me/messages' })) }),
    idOf: item => item['id'],
  },
];

/** The ids of the items whose handler ran, one entry for each run. */
function handled(world: ProviderWorld, { idOf }: Batch): (string | undefined)[] {
  return world.world.outside.map(call => idOf(JSON.parse(Buffer.from(call.bytes).toString()))).toSorted();
}

const build = (batch: Batch, options: ProviderWorldOptions = {}) =>
  new ProviderWorld(batch.provider, { secret: batch.secret, ...batch.options, ...options });

describe.each(BATCHES.map(batch => [batch.provider, batch] as const))('a batch of %s', (_name, batch) => {
  it('becomes one event per item, each with its own id, type, bytes and effect', async () => {
    const world = build(batch);
    const sent = world.sign(batch.body(['id-1', 'id-2', 'id-3']), batch.secret);
    expect((await world.post(sent)).status).toBe(ackOf(world.spec).status);
    await world.settle();
    expect(world.batches()).toMatchObject([{ status: 'completed', actionTaken: 'split into 3 events' }]);
    expect(world.events().map(item => item.status)).toEqual(['completed', 'completed', 'completed']);
    expect(new Set(world.events().map(item => item.pk)).size).toBe(3);
    expect(handled(world, batch)).toEqual(['id-1', 'id-2', 'id-3']);
  });

  it('is handled once, however often and however mixed its items come again', async () => {
    const world = build(batch);
    for (const ids of [['id-1', 'id-2'], ['id-1', 'id-2'], ['id-2', 'id-1'], ['id-2', 'id-3'], ['id-3']]) {
      expect((await world.post(world.sign(batch.body(ids), batch.secret))).status).toBe(ackOf(world.spec).status);
      await world.world.clock.advanceBy(MINUTE_MS);
    }
    await world.settle();
    expect(world.events()).toHaveLength(3);
    expect(handled(world, batch)).toEqual(['id-1', 'id-2', 'id-3']);
  });

  it('loses nothing and doubles nothing when the splitting process dies at any of its calls', async () => {
    for (let death = 1; death <= 14; death++) {
      let calls = 0;
      const die = (): Fault | undefined => (++calls === death ? 'crash_after' : undefined);
      const world = build(batch, { planOf: role => (role === 'process' ? die : () => undefined) });
      await world.post(world.sign(batch.body(['id-1', 'id-2', 'id-3']), batch.secret));
      await world.settle();
      expect(new Set(handled(world, batch)), `death at call ${death}`).toEqual(new Set(['id-1', 'id-2', 'id-3']));
      const ids = [...new Set(world.world.outside.map(call => call.eventId))];
      expect(ids.map(id => world.world.effects(id))).toEqual([1, 1, 1]);
    }
  });

  it('is refused whole when nothing of it verifies', async () => {
    const world = build(batch);
    const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const forger = new ProviderWorld(batch.provider, { privateKey: other });
    const forged = forger.sign(batch.body(['id-1', 'id-2']), batch.secret === HEX_KEY ? 'ab12' : 'another-secret');
    expect((await world.post(forged)).status).toBe(401);
    expect(world.stored()).toBe('[[],[]]');
  });
});

describe('what an item is about', () => {
  it('reaches its handler, where the request around it says so', async () => {
    const seen: (readonly [string, string | undefined])[] = [];
    const handle: Handler = async ({ type, subject }) => {
      seen.push([type, subject]);
      return done({ actionTaken: 'looked' });
    };
    const secret = 'app-secret';
    const handlers = () => defineHandlers([{ source: '*', type: '*', handle }]);
    const world = new ProviderWorld('meta', { secret, handlers });
    const changes = [{ field: 'feed', value: { item: 'post' } }];
    const entry = ['page-1', 'page-2'].map(id => ({ id, time: 1_767_571_200, changes }));
    expect((await world.post(world.sign(JSON.stringify({ object: 'page', entry }), secret))).status).toBe(200);
    await world.settle();
    expect(new Map(seen.map(([type, subject]) => [subject, type]))).toEqual(
      new Map([
        ['page-1', 'page.feed'],
        ['page-2', 'page.feed'],
      ]),
    );
  });

  it('reaches its handler, where the query says so', async () => {
    const seen = new Set<string | undefined>();
    const handle: Handler = async ({ subject }) => {
      seen.add(subject);
      return done({ actionTaken: 'looked' });
    };
    const secret = 'app-secret';
    const handlers = () => defineHandlers([{ source: '*', type: '*', handle }]);
    const world = new ProviderWorld('mercado-pago', { secret, handlers });
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r-1' };
    const body = JSON.stringify({ id: 1, type: 'payment', action: 'payment.updated' });
    const sent = world.sign(body, secret, { headers, rawQuery: 'data.id=4711&type=payment' });
    expect((await world.post(sent)).status).toBe(200);
    await world.settle();
    expect([...seen]).toEqual(['4711']);
  });
});

describe('one bad item among good ones', () => {
  const change = (sent: Sent, edit: (text: string) => string): Sent => ({
    ...sent,
    body: edit(Buffer.from(sent.body ?? '').toString()),
  });
  const adyen = BATCHES[0] as Batch;
  const graph = BATCHES[3] as Batch;
  /** How each provider's item is made bad: a changed amount, somebody else's clientState. */
  const cases: readonly (readonly [string, Batch, (text: string) => string])[] = [
    ['adyen', adyen, text => text.replace(/("pspReference":"id-2"[^}]*"value":)1000/, '$1999999')],
    ['microsoft-graph', graph, text => text.replace(/("clientState":")[^"]+("[^}]*"id":"id-2")/, '$1guess$2')],
  ];

  it.each(cases)('of %s is never handled, and none of the good ones is lost', async (_name, batch, spoil) => {
    const world = build(batch);
    const genuine = world.sign(batch.body(['id-1', 'id-2', 'id-3']), batch.secret);
    const spoiled = change(genuine, spoil);
    expect(spoiled.body).not.toBe(Buffer.from(genuine.body ?? '').toString());
    expect((await world.post(spoiled)).status).toBe(ackOf(world.spec).rejectStatus);
    await world.settle();
    expect(handled(world, batch)).toEqual(['id-1', 'id-3']);
    expect(world.refusals('item')).toBe(1);

    // The genuine one comes later: it is not a duplicate of the forgery.
    expect((await world.post(genuine)).status).toBe(ackOf(world.spec).status);
    await world.settle();
    expect(handled(world, batch)).toEqual(['id-1', 'id-2', 'id-3']);
  });

  it.each(cases)(
    'of %s in the first or last place, and with the record of the batch lost',
    async (_name, batch, spoil) => {
      for (const ids of [
        ['id-2', 'id-1'],
        ['id-1', 'id-2'],
      ]) {
        let outage = true;
        // The table is down at ingest: the batch travels in the message alone.
        const world = build(batch, {
          planOf: role => call =>
            outage && role === 'ingest' && call.dependency === 'dynamodb' ? 'throttled' : undefined,
        });
        const spoiled = change(world.sign(batch.body(ids), batch.secret), spoil);
        expect((await world.post(spoiled)).status).toBe(ackOf(world.spec).rejectStatus);
        outage = false;
        await world.settle();
        expect(handled(world, batch)).toEqual(['id-1']);
      }
    },
  );

  it('cannot bring its own list of verified items', async () => {
    const world = build(adyen);
    const genuine = world.sign(adyen.body(['id-1', 'id-2']), adyen.secret);
    const spoiled = change(genuine, cases[0]?.[2] ?? (text => text));
    const paths = 'notificationItems[0].NotificationRequestItem notificationItems[1].NotificationRequestItem';
    await world.post({ ...spoiled, headers: { ...spoiled.headers, 'holdfast-verified-items': paths } });
    await world.settle();
    expect(handled(world, adyen)).toEqual(['id-1']);
  });
});

describe('a heartbeat of Asana', () => {
  it('is acknowledged when it is signed, refused when not, and never stored', async () => {
    const world = new ProviderWorld('asana', { secret: 'secret-of-the-webhook-123' });
    const signed = world.sign('{"events":[]}', 'secret-of-the-webhook-123');
    expect(await world.post(signed)).toMatchObject({ status: 200, body: '' });
    expect((await world.post(world.sign('{"events":[]}', 'another-secret-entirely'))).status).toBe(401);
    expect((await world.post({ headers: {}, body: '{"events":[]}' })).status).toBe(401);
    expect(world.stored()).toBe('[[],[]]');
  });

  it('does not hide events that come with it', async () => {
    const world = new ProviderWorld('asana', { secret: 'secret-of-the-webhook-123' });
    const events = ['added', 'removed'].map(action => ({
      user: { gid: '1' },
      resource: { gid: '2', resource_type: 'task' },
      action,
      created_at: '2026-01-05T00:00:00.000Z',
    }));
    expect((await world.post(world.sign(JSON.stringify({ events }), 'secret-of-the-webhook-123'))).status).toBe(200);
    await world.settle();
    expect(world.events().map(item => item.eventType)).toEqual(['task.added', 'task.removed']);
  });
});
