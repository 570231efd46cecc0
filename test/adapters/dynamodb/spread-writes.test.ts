import { expect, it } from 'vitest';
import { DynamoDbEventWriter, openEventWriter } from '#adapters/dynamodb/dynamodb-event-writer.ts';
import { spreadWrites } from '#adapters/dynamodb/spread-writes.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { makeEventItem } from '../contracts/event-item-fixture.ts';

it('puts the events of a source under its keys, and leaves the others alone', async () => {
  const hours: string[] = [];
  const store = {
    insert: async (item: EventItem) => {
      hours.push(item.timelineHour);
      return { kind: 'applied', item } as const;
    },
    update: async () => ({ kind: 'refused', item: undefined }) as const,
  };
  const writer = spreadWrites(store, { stripe: 4 });
  for (let n = 0; n < 40; n++) {
    await writer.insert(makeEventItem('stripe', `e${n}`));
    await writer.insert(makeEventItem('github', `e${n}`));
  }
  expect(new Set(hours.filter(hour => hour.startsWith('stripe'))).size).toBe(4);
  expect(new Set(hours.filter(hour => hour.startsWith('github'))).size).toBe(1);
});

it('ingest reads it where a source is spread only', async () => {
  const client = {} as never;
  expect(await openEventWriter(client, 'events', undefined)).toBeInstanceOf(DynamoDbEventWriter);
  expect(await openEventWriter(client, 'events', { stripe: 2 })).not.toBeInstanceOf(DynamoDbEventWriter);
});
