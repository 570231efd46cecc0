/** What a version leaves in tables and queues, as it is stored: `test/fixtures/stored/<version>.json`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AttributeValue, DynamoDBClient, ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const FOLDER = join(import.meta.dirname, '../../fixtures/stored');

export interface StoredSamples {
  readonly version: string;
  /** When they were read, of those that were left in memory. */
  readonly at?: number;
  /** Items by table, as DynamoDB writes them in JSON; binary values as base64. */
  readonly tables: Readonly<Record<string, readonly Record<string, AttributeValue>[]>>;
  /** Bodies of messages in all queues. */
  readonly messages: readonly string[];
}

/** `part`: what the sending half stored lies in a folder of its own, and so does something in each state. */
export function storedSamples(part: '' | 'states' | 'sending' | 'sending/states' = ''): readonly StoredSamples[] {
  const folder = join(FOLDER, part);
  const files = readdirSync(folder).filter(name => name.endsWith('.json'));
  return files.map(name => JSON.parse(readFileSync(join(folder, name), 'utf8'), decodeBinary) as StoredSamples);
}

/** Reads a local AWS on which that version has left something of everything, and writes the file. */
export async function writeStoredSamples(endpoint: string, version: string): Promise<void> {
  const settings = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const [dynamo, sqs] = [new DynamoDBClient(settings), new SQSClient(settings)];
  const tables: Record<string, readonly Record<string, AttributeValue>[]> = {};
  const { TableNames: names = [] } = await dynamo.send(new ListTablesCommand({}));
  for (const TableName of names) {
    const kind = /Store(Events|Payloads)/.exec(TableName)?.[1]?.toLowerCase();
    if (kind === undefined) continue;
    const { Items: items = [] } = await dynamo.send(new ScanCommand({ TableName }));
    tables[kind] = items;
  }
  const messages: string[] = [];
  for (const QueueUrl of (await sqs.send(new ListQueuesCommand({}))).QueueUrls ?? []) {
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 });
    const { Messages: found = [] } = await sqs.send(receive);
    messages.push(...found.map(({ Body = '' }) => Body));
  }
  const text = JSON.stringify({ version, tables, messages }, encodeBinary, 1);
  writeFileSync(join(FOLDER, `${version}.json`), `${text}\n`);
}

const encodeBinary = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;

function decodeBinary(_key: string, value: unknown): unknown {
  const text = value !== null && typeof value === 'object' && 'base64' in value ? value.base64 : undefined;
  return typeof text === 'string' ? Buffer.from(text, 'base64') : value;
}
