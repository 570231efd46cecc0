import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { EVENT_INDEXES, type EventItem } from '#core/event-item.ts';

/** Reads the events table the way the status API and the CLI do: by key, and by hour of arrival. Never writes. */
export class EventFeed {
  private readonly documents: DynamoDBDocumentClient;
  private readonly table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.documents = DynamoDBDocumentClient.from(client);
    this.table = table;
  }

  /** The state items behind these keys, read consistently; missing ones are left out. */
  async read(pks: readonly string[]): Promise<readonly EventItem[]> {
    const found: EventItem[] = [];
    for (let from = 0; from < pks.length; from += 100) {
      const Keys = pks.slice(from, from + 100).map(pk => ({ pk }));
      const answer = await this.documents.send(
        new BatchGetCommand({ RequestItems: { [this.table]: { Keys, ConsistentRead: true } } }),
      );
      found.push(...((answer.Responses?.[this.table] ?? []) as EventItem[]));
    }
    return found;
  }

  /** Keys of a source's events received since then (epoch ms), oldest first. */
  async receivedSince(sourceId: string, since: number, now: number): Promise<readonly string[]> {
    const { name, partition, sort } = EVENT_INDEXES.timeline;
    const hours = new Set([hourOf(since), hourOf(now)]);
    const pages = await Promise.all(
      [...hours].map(hour =>
        this.documents.send(
          new QueryCommand({
            TableName: this.table,
            IndexName: name,
            KeyConditionExpression: '#partition = :hour AND #sort >= :since',
            ExpressionAttributeNames: { '#partition': partition, '#sort': sort },
            ExpressionAttributeValues: { ':hour': `${sourceId}#${hour}`, ':since': String(since).padStart(13, '0') },
          }),
        ),
      ),
    );
    return pages.flatMap(page => (page.Items ?? []).map(item => String(item['pk'])));
  }
}

/** `yyyy-mm-ddThh`, as in the index's partition. */
function hourOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 13);
}
