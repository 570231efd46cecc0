/**
 * Questions to AWS itself: does it do what the ledger of assumptions says? Each is asked of what `holdfast prove` made, and
 * named by its rule of the ledger, word for word (held by a test).
 */
import { randomUUID } from 'node:crypto';
import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

interface ProbeStage {
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
  /** With the key `id`, for probes alone to write. */
  readonly table: string;
  /** Of a queue that a probe makes and deletes. */
  readonly queueName: string;
}

export interface Probe {
  /** The rule, in the ledger's words. */
  readonly rule: string;
  /** What the local AWS does in its place. Absent: the same. */
  readonly locally?: string;
  /** True: as the rule says. Else what was seen. */
  ask(stage: ProbeStage): Promise<true | string>;
}

/** A call that must be refused, by the name of its error. */
async function refused(call: Promise<unknown>, name: RegExp): Promise<true | string> {
  try {
    await call;
    return 'it was taken';
  } catch (error) {
    const seen = error instanceof Error ? error.name : String(error);
    return name.test(seen) || seen;
  }
}

const VALIDATION = /^ValidationException$/;
const id = (name: string): { id: { S: string } } => ({ id: { S: `probe#${name}#${randomUUID()}` } });

const tables: readonly Probe[] = [
  {
    rule: 'A conditional write is decided on the item at that moment; of two that exclude each other one wins.',
    async ask({ dynamo, table: TableName }) {
      const Item = id('race');
      const put = () =>
        dynamo.send(new PutItemCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(id)' })).then(
          () => 1,
          () => 0,
        );
      const won = (await Promise.all(Array.from({ length: 20 }, put))).reduce((sum: number, one) => sum + one, 0);
      return won === 1 || `${won} of twenty won`;
    },
  },
  {
    rule: 'A transaction is written whole or not at all; with its token, a repeat within ten minutes is the same write.',
    async ask({ dynamo, table: TableName }) {
      const [counter, other, there] = [id('token'), id('token'), id('there')];
      const add = {
        TableName,
        UpdateExpression: 'ADD times :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      };
      const ClientRequestToken = randomUUID();
      const twice = { TransactItems: [{ Update: { ...add, Key: counter } }], ClientRequestToken };
      await dynamo.send(new TransactWriteItemsCommand(twice));
      await dynamo.send(new TransactWriteItemsCommand(twice));
      await dynamo.send(new PutItemCommand({ TableName, Item: there }));
      const taken = { TableName, Item: there, ConditionExpression: 'attribute_not_exists(id)' };
      const halves = [{ Update: { ...add, Key: other } }, { Put: taken }];
      const half = await refused(dynamo.send(new TransactWriteItemsCommand({ TransactItems: halves })), /Canceled/);
      const read = (Key: typeof counter) => dynamo.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
      const times = (await read(counter)).Item?.['times']?.N;
      if (times !== '1') return `its repeat was written: ${times}`;
      if ((await read(other)).Item) return 'half of one was written';
      return half;
    },
  },
  {
    rule: 'A transaction takes at most 100 items and 4 MB.',
    ask: ({ dynamo, table: TableName }) => {
      const TransactItems = Array.from({ length: 101 }, () => ({ Put: { TableName, Item: id('many') } }));
      return refused(dynamo.send(new TransactWriteItemsCommand({ TransactItems })), VALIDATION);
    },
  },
  {
    rule: 'An item is at most 400 KB, names of attributes included.',
    ask: ({ dynamo, table: TableName }) => {
      const Item = { ...id('large'), text: { S: 'x'.repeat(400 * 1_024) } };
      return refused(dynamo.send(new PutItemCommand({ TableName, Item })), VALIDATION);
    },
  },
  {
    rule: 'BatchWriteItem takes 25 items, BatchGetItem 100; what was not done comes back.',
    ask: ({ dynamo, table }) => {
      const puts = Array.from({ length: 26 }, () => ({ PutRequest: { Item: id('batch') } }));
      return refused(dynamo.send(new BatchWriteItemCommand({ RequestItems: { [table]: puts } })), VALIDATION);
    },
  },
  {
    rule: 'A number has up to 38 significant digits.',
    async ask({ dynamo, table: TableName }) {
      const Item = { ...id('number'), value: { N: '9'.repeat(38) } };
      await dynamo.send(new PutItemCommand({ TableName, Item }));
      const Key = { id: Item.id };
      const read = await dynamo.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
      if (read.Item?.['value']?.N !== Item.value.N) return `38 came back as ${read.Item?.['value']?.N}`;
      const long = { ...id('number'), value: { N: '9'.repeat(39) } };
      return refused(dynamo.send(new PutItemCommand({ TableName, Item: long })), VALIDATION);
    },
  },
  {
    rule: 'Redundant parentheses in a condition are refused.',
    ask: ({ dynamo, table: TableName }) =>
      refused(
        dynamo.send(
          new PutItemCommand({ TableName, Item: id('paren'), ConditionExpression: '((attribute_not_exists(id)))' }),
        ),
        VALIDATION,
      ),
  },
  {
    rule: 'A BETWEEN whose bounds are the wrong way round is refused.',
    locally: 'it is taken',
    ask: ({ dynamo, table: TableName }) =>
      refused(
        dynamo.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: 'id = :id',
            FilterExpression: 'times BETWEEN :b AND :a',
            ExpressionAttributeValues: { ':id': id('between').id, ':a': { N: '1' }, ':b': { N: '2' } },
          }),
        ),
        VALIDATION,
      ),
  },
];

/** Of a queue of its own: that of the gateway is somebody else's. */
async function onQueue(
  { sqs, queueName }: ProbeStage,
  ask: (QueueUrl: string) => Promise<true | string>,
): Promise<true | string> {
  const QueueName = `${queueName}-${randomUUID().slice(0, 8)}`;
  const { QueueUrl = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName, tags: { 'holdfast:prove': 'yes' }, Attributes: { VisibilityTimeout: '30' } }),
  );
  try {
    return await ask(QueueUrl);
  } finally {
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  }
}

const queues: readonly Probe[] = [
  {
    rule: 'A message is at most 1 MiB, of characters that XML 1.0 allows.',
    ask: stage =>
      onQueue(stage, async QueueUrl => {
        const { sqs } = stage;
        const MessageBody = 'x'.repeat(1_024 * 1_024);
        await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
        const over = await refused(
          sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: `${MessageBody}x` })),
          /Invalid|TooLong/,
        );
        if (over !== true) return `one byte more: ${over}`;
        const odd = await refused(
          sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '\u0001' })),
          /InvalidMessageContents/,
        );
        return odd === true || `U+0001: ${odd}`;
      }),
  },
  {
    rule: 'A call takes ten messages.',
    ask: stage =>
      onQueue(stage, QueueUrl => {
        const Entries = Array.from({ length: 11 }, (_, n) => ({ Id: `m${n}`, MessageBody: 'x' }));
        return refused(stage.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries })), /TooManyEntries/);
      }),
  },
  {
    rule: 'A delay is at most 15 minutes.',
    locally: 'a longer one is taken',
    ask: stage =>
      onQueue(stage, QueueUrl =>
        refused(
          stage.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', DelaySeconds: 901 })),
          /InvalidParameterValue/,
        ),
      ),
  },
  {
    rule: 'A message is hidden for the visibility timeout, and comes again if not deleted by then.',
    ask: stage =>
      onQueue(stage, async QueueUrl => {
        const { sqs } = stage;
        await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
        const receive = (WaitTimeSeconds: number) => sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds }));
        const [first] = (await receive(5)).Messages ?? [];
        if (first === undefined) return 'it did not come';
        if ((await receive(0)).Messages?.length) return 'it was not hidden';
        const { ReceiptHandle } = first;
        await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
        return ((await receive(5)).Messages?.length ?? 0) > 0 || 'it did not come again';
      }),
  },
];

export const PROBES: readonly Probe[] = [...tables, ...queues];
