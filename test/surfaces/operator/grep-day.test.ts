/**
 * A search through a day of 100,000 stored events on Amazon's DynamoDB Local: hits come while it reads, what it says it
 * cost is what DynamoDB charged, and where it was stopped it goes on without a gap. Only in the long run.
 */
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { toAttributes } from '#adapters/dynamodb/marshal.ts';
import { toSourceId } from '#core/glossary.ts';
import { DAY_MS, toHour } from '#core/time.ts';
import { type GrepStep, grepEvents } from '#operator/events/grep-events.ts';
import type { Gateway } from '#operator/gateway.ts';
import { Operator } from '#operator/operator.ts';
import { createTables, patientSettings } from '#test/adapters/contracts/dynamodb-tables.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';
import { type JavaService, javaMissing, startDynamoDbLocal } from '#test/adapters/contracts/java-services.ts';
import { isLongRun } from '#test/kit/long-run.ts';

const EVENTS = 100_000;
const NEEDLE_EVERY = 5_000;
const DOLLARS_PER_UNIT = 0.125e-6;
const problem = isLongRun() ? await javaMissing() : 'only in the long run';

describe.skipIf(problem !== undefined)('a day of 100,000 events on DynamoDB Local', () => {
  let service: JavaService;
  let client: DynamoDBClient;
  const now = Date.now();
  let charged = 0;
  beforeAll(async () => {
    service = await startDynamoDbLocal();
    await createTables(service.url);
    client = new DynamoDBClient(patientSettings('DYNAMODB', service.url));
    await load(client, now);
    client.middlewareStack.add(
      next => async args => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
        const answer = await next(args);
        const { ConsumedCapacity: used } = answer.output as { ConsumedCapacity?: unknown };
        for (const { CapacityUnits = 0 } of [used ?? []].flat() as { CapacityUnits?: number }[])
          charged += CapacityUnits;
        return answer;
      },
      { step: 'initialize' },
    );
  }, 1_500_000);
  afterAll(() => service?.stop());

  function operator(): Operator {
    const gateway = {
      store: new DynamoDbEventStore(client, 'events'),
      payloads: new DynamoDbPayloadStore(client, 'payloads'),
      blobs: { get: () => Promise.resolve(undefined) },
      control: { read: () => Promise.resolve(undefined) },
    };
    return new Operator({
      ...{ environment: 'local', by: 'ada', program: 'holdfast', clock: { now: () => Date.now() } },
      readDeployment: () => ({}) as never,
      openGateway: () => Promise.resolve(gateway as unknown as Gateway),
    });
  }

  const filter = { sources: [toSourceId('stripe')], since: now - DAY_MS, until: now };
  async function search(text: string, cursor?: string, signal?: AbortSignal, onHit: () => void = () => undefined) {
    const hits: string[] = [];
    const begun = performance.now();
    let [first, last]: [number | undefined, GrepStep | undefined] = [undefined, undefined];
    for await (const step of grepEvents(operator(), { text, filter, cursor, signal })) {
      if (step.kind === 'hit') {
        hits.push(step.item.pk);
        first ??= performance.now() - begun;
        onHit();
      }
      last = step;
    }
    if (last?.kind !== 'end') throw new Error('it did not end');
    return { hits, first, took: performance.now() - begun, tally: last.tally };
  }

  it('tells hits as they come, and what it cost', { timeout: 900_000 }, async () => {
    charged = 0;
    const before = process.memoryUsage().rss;
    const { hits, first = Number.NaN, took, tally } = await search('needle-in-the-haystack');
    const grown = (process.memoryUsage().rss - before) / 1_048_576;
    console.log(
      `grep: ${tally.read} bodies in ${(took / 1_000).toFixed(1)} s, first of ${hits.length} hits after ${(first / 1_000).toFixed(1)} s; ` +
        `said $${tally.dollars.toFixed(4)}, DynamoDB charged ${Math.round(charged)} units = $${(charged * DOLLARS_PER_UNIT).toFixed(4)}; ` +
        `memory grew by ${Math.round(grown)} MB`,
    );
    expect(tally).toMatchObject({ read: EVENTS, hits: EVENTS / NEEDLE_EVERY, cursor: undefined });
    expect(first).toBeLessThan(took / 4);
    const real = charged * DOLLARS_PER_UNIT;
    expect(tally.dollars).toBeGreaterThan(real * 0.95);
    expect(tally.dollars).toBeLessThan(real * 1.05);
    expect(grown).toBeLessThan(400);
  });

  it('stops when it is told to, and goes on from there without a gap', { timeout: 900_000 }, async () => {
    const stop = new AbortController();
    let found = 0;
    const begun = await search('needle-in-the-haystack', undefined, stop.signal, () => {
      found += 1;
      if (found === 7) stop.abort();
    });
    expect(begun.tally.cursor).toBeDefined();
    expect(begun.tally.read).toBeLessThan(EVENTS);
    const rest = await search('needle-in-the-haystack', begun.tally.cursor);
    console.log(
      `stopped after ${begun.tally.read} bodies and ${begun.hits.length} hits; went on with ${rest.tally.read}`,
    );
    expect(begun.tally.read + rest.tally.read).toBe(EVENTS);
    expect(new Set([...begun.hits, ...rest.hits]).size).toBe(EVENTS / NEEDLE_EVERY);
    expect(begun.hits.length + rest.hits.length).toBe(EVENTS / NEEDLE_EVERY);
  });
});

/** Records and bodies of 1.4 KB, spread over the day. */
async function load(client: DynamoDBClient, now: number): Promise<void> {
  const noise = Array.from({ length: 1_100 }, (_, n) => String.fromCharCode(97 + ((n * n * 31 + n * 7) % 26))).join('');
  const batch = (from: number): Promise<unknown> => {
    const made = Array.from({ length: 12 }, (_, n) => from + n)
      .filter(n => n < EVENTS)
      .map(n => {
        const receivedAt = now - 1_000 - Math.floor((n / EVENTS) * (DAY_MS - 10_000));
        const key = `evt_${n}`;
        const sha = n.toString(16).padStart(64, '0');
        const item = makeEventItem('stripe', key, {
          ...{ status: 'completed', receivedAt, bodySha: sha, timelineHour: `stripe#${toHour(receivedAt)}` },
          timelineAt: `${String(receivedAt).padStart(13, '0')}#${key}`,
        });
        const text = n % NEEDLE_EVERY === 2_500 ? 'needle-in-the-haystack' : `hay-${n}`;
        const bytes = nodeCodec.deflate(Buffer.from(JSON.stringify({ id: key, text, noise: `${n * 7919}${noise}` })));
        const body = { pk: item.pk, sk: `B#${sha}`, bytes, headers: {}, expiresAt: 4_000_000_000 };
        return { item, body };
      });
    const put = (it: object) => ({ PutRequest: { Item: toAttributes(it as never) } });
    return client.send(
      new BatchWriteItemCommand({
        RequestItems: { events: made.map(({ item }) => put(item)), payloads: made.map(({ body }) => put(body)) },
      }),
    );
  };
  const AT_ONCE = 6;
  for (let from = 0; from < EVENTS; from += 12 * AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) => from + 12 * n)
        .filter(n => n < EVENTS)
        .map(batch),
    );
}
