import { setTimeout as wait } from 'node:timers/promises';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { AwsClients } from '#local/emulator/aws-clients.ts';
import type { LocalAws } from '#local/emulator/emulator.ts';

/** A notification of an alarm as the person on call gets it. */
export interface Page {
  readonly alarm: string;
  readonly state: string;
  readonly text: string;
  /** Epoch ms of its arrival. */
  readonly at: number;
}

const POLL_MS = 500;

/** In the place of PagerDuty or a mailbox: subscribed to the topics of pages and tickets. */
export class Pager {
  readonly pages: Page[] = [];
  readonly #clients: AwsClients;
  readonly #queueUrl: string;

  private constructor(clients: AwsClients, queueUrl: string) {
    this.#clients = clients;
    this.#queueUrl = queueUrl;
  }

  static async open(aws: LocalAws, clients: AwsClients, topics: readonly string[]): Promise<Pager> {
    const { QueueUrl = '' } = await clients.sqs.send(new CreateQueueCommand({ QueueName: `pager-${process.pid}` }));
    const settings = { endpoint: aws.endpoint, region: aws.region, credentials: aws.credentials };
    const sns = new SNSClient(settings);
    const [, , , , account = '000000000000'] = (topics[0] ?? '').split(':');
    const Endpoint = `arn:aws:sqs:${aws.region}:${account}:${QueueUrl.split('/').at(-1)}`;
    for (const TopicArn of topics)
      await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint, ReturnSubscriptionArn: true }));
    return new Pager(clients, QueueUrl);
  }

  /** Takes what arrives, until aborted. `onPage` is told of each. */
  async listen(signal: AbortSignal, onPage: (page: Page) => void = () => undefined): Promise<void> {
    while (!signal.aborted) {
      const before = this.pages.length;
      await this.#take().catch((error: unknown) => {
        if (!(error instanceof Error)) throw error;
      });
      for (const page of this.pages.slice(before)) onPage(page);
      await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #take(): Promise<void> {
    const QueueUrl = this.#queueUrl;
    const { Messages: messages = [] } = await this.#clients.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    if (messages.length === 0) return;
    for (const message of messages) this.pages.push(toPage(message.Body ?? ''));
    const Entries = messages.map((message, n) => ({ Id: String(n), ReceiptHandle: message.ReceiptHandle ?? '' }));
    await this.#clients.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}

function toPage(body: string): Page {
  const { Message: message } = JSON.parse(body) as { Message: string };
  const alarm = JSON.parse(message) as Readonly<Record<string, string>>;
  const lines = [
    `${alarm['NewStateValue']}: ${alarm['AlarmName']}`,
    alarm['AlarmDescription'],
    `Why now: ${alarm['NewStateReason']}`,
  ];
  return {
    alarm: alarm['AlarmName'] ?? '',
    state: alarm['NewStateValue'] ?? '',
    text: lines.join('\n'),
    at: Date.now(),
  };
}
