/** Customers of a run, what is published to them, and what their endpoints got. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { askDelivery, type DeliveryApi } from '#operator/delivery-api.ts';
import type { Size } from './guard.ts';
import { ENDPOINT_KINDS, receivedKey, secretKey, takesMessages } from './plan.ts';

export interface SendingStage {
  readonly api: DeliveryApi;
  readonly documents: DynamoDBDocumentClient;
  readonly table: string;
  /** Of the endpoints. */
  readonly origin: string;
  readonly run: string;
  readonly size: Size;
}

const uidOf = (run: string, at: number): string => `prove-${run}-${at}`;
const RULES = { schedule: [1, 2, 5, 10, 30, 60], timeout_seconds: 10 };

/** Each customer with an endpoint of every kind; their secrets are left where the function finds them. */
export async function makeCustomers({ api, documents, table, origin, run, size }: SendingStage): Promise<void> {
  for (let at = 0; at < size.customers; at++) {
    const uid = uidOf(run, at);
    const app = `uid:${uid}`;
    await askDelivery(api, { method: 'PUT', path: ['apps', app], body: { name: uid } });
    for (const kind of ENDPOINT_KINDS) {
      const body = { ...RULES, uid: kind, url: `${origin}/${uid}/${kind}` };
      const call = { method: 'POST', path: ['apps', app, 'endpoints'], body } as const;
      const { secret } = await askDelivery<{ secret: string }>(api, call);
      await documents.send(new PutCommand({ TableName: table, Item: { id: secretKey(uid, kind), secret } }));
    }
  }
}

/** Every message twice, under one key: the second must change nothing. */
export async function publishAll({ api, run, size }: SendingStage): Promise<void> {
  for (let at = 0; at < size.customers; at++)
    for (let n = 0; n < size.messages; n++)
      for (const _copy of [1, 2]) {
        const body = { key: `${run}-${n}`, type: 'prove.message', data: { n } };
        const path = ['apps', `uid:${uidOf(run, at)}`, 'messages'];
        await askDelivery(api, { method: 'POST', path, body });
      }
}

/** Messages that an endpoint ought to have and has not, or whose signature was wrong. */
export async function missingOf({ documents, table, run, size }: SendingStage): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = 0; at < size.customers; at++)
    for (const kind of ENDPOINT_KINDS.filter(takesMessages))
      for (let n = 0; n < size.messages; n++) {
        const id = receivedKey(uidOf(run, at), kind, n);
        const { Item: row } = await documents.send(
          new GetCommand({ TableName: table, Key: { id }, ConsistentRead: true }),
        );
        const { requests = 0, genuine = 0 } = row ?? {};
        if (requests < (kind === 'once' && n === 0 ? 2 : 1) || genuine < requests)
          missing.push(`${kind} ${n} of customer ${at}`);
      }
  return missing;
}
