import { missing } from '#core/condition.ts';
import type { EventPk } from '#core/glossary.ts';
import type { StepStore } from '#core/inbound/ports.ts';
import type { StepItem } from '#core/inbound/protocol/event-item.ts';
import { DynamoDbPayloadStore } from './dynamodb-payload-store.ts';
import { getItem, putItem } from './table-calls.ts';

/** The `payloads` table as the processor has it, with the steps; apart, so that ingest's bundle holds no more. */
export class DynamoDbStepStore extends DynamoDbPayloadStore implements StepStore {
  getStep(pk: EventPk, sk: string): Promise<StepItem | undefined> {
    return getItem<StepItem>(this.client, this.table, { pk, sk });
  }

  async keepStep(item: StepItem): Promise<StepItem> {
    return (await putItem(this.client, this.table, item, missing('pk'))).item ?? item;
  }
}
