import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { AwsClients } from '#local/emulator/aws-clients.ts';
import type { LocalAws } from '#local/emulator/emulator.ts';
import type { DeployedStack } from '#local/stacks/deployed-stack.ts';
import type { MetricStore } from './metric-store.ts';

const QUEUE_METRICS = {
  ApproximateNumberOfMessages: 'ApproximateNumberOfMessagesVisible',
  ApproximateNumberOfMessagesNotVisible: 'ApproximateNumberOfMessagesNotVisible',
  ApproximateNumberOfMessagesDelayed: 'ApproximateNumberOfMessagesDelayed',
} as const;
const FUNCTION_METRICS = ['Invocations', 'Errors', 'Throttles'] as const;

/** Log events are read again for this long, because they may be written late. */
const OVERLAP_MS = 10_000;

/**
 * Reads what CloudWatch would have: the functions' EMF lines, the queues' numbers and the functions' counters. Each call
 * adds what is new since the one before.
 */
export class MetricCollector {
  /** Log events read before, by place and text: how often each was there. */
  readonly #seen = new Map<string, { timestamp: number; count: number }>();
  readonly #aws: LocalAws;
  readonly #clients: AwsClients;
  readonly #stacks: readonly DeployedStack[];
  readonly #store: MetricStore;
  #from: number;

  constructor(aws: LocalAws, clients: AwsClients, stacks: readonly DeployedStack[], store: MetricStore, since: number) {
    this.#aws = aws;
    this.#clients = clients;
    this.#stacks = stacks;
    this.#store = store;
    this.#from = since;
  }

  /** `now` is epoch ms. Throws when the local AWS does not answer. */
  async collect(now: number): Promise<void> {
    const from = this.#from;
    await Promise.all([
      ...this.#resources('AWS::Logs::LogGroup').map(group => this.#readLogGroup(group, from - OVERLAP_MS)),
      ...this.#resources('AWS::SQS::Queue').map(url => this.#readQueue(url, now)),
      ...this.#resources('AWS::Lambda::Function').map(name => this.#readFunction(name, from, now)),
    ]);
    for (const [place, { timestamp }] of this.#seen) if (timestamp < from - 2 * OVERLAP_MS) this.#seen.delete(place);
    this.#from = now;
  }

  #resources(type: string): readonly string[] {
    return this.#stacks.flatMap(stack =>
      Object.entries(stack.template.Resources ?? {}).flatMap(([id, resource]) => {
        const physicalId = stack.physicalIds[id];
        return resource.Type === type && physicalId ? [physicalId] : [];
      }),
    );
  }

  async #readLogGroup(logGroupName: string, startTime: number): Promise<void> {
    const counts = new Map<string, number>();
    let nextToken: string | undefined;
    do {
      const page = await this.#clients.logs.send(
        new FilterLogEventsCommand({ logGroupName, startTime, filterPattern: '', ...(nextToken && { nextToken }) }),
      );
      for (const { logStreamName = '', timestamp = 0, message = '' } of page.events ?? []) {
        // The emulator gives log events no id: equal ones are told apart by how many there are.
        const place = JSON.stringify([logGroupName, logStreamName, timestamp, message]);
        const count = (counts.get(place) ?? 0) + 1;
        counts.set(place, count);
        if (count <= (this.#seen.get(place)?.count ?? 0)) continue;
        this.#seen.set(place, { timestamp, count });
        if (message.includes('"_aws"')) this.#addRuns(addEmfLine(message, this.#store));
      }
      nextToken = page.nextToken;
    } while (nextToken);
  }

  /** The emulator counts no run that its API Gateway starts: each request that ingest counted is one. */
  #addRuns(line: EmfLine | undefined): void {
    const requests = requestsIn(line);
    if (line === undefined || requests === 0) return;
    const FunctionName = this.#stacks.flatMap(it => Object.entries(it.physicalIds)).find(([id]) => isIngest(id))?.[1];
    if (FunctionName === undefined) return;
    const runs = { namespace: 'AWS/Lambda', name: 'Invocations', dimensions: { FunctionName } };
    this.#store.add(runs, requests, line._aws.Timestamp);
  }

  async #readQueue(QueueUrl: string, now: number): Promise<void> {
    const dimensions = { QueueName: QueueUrl.split('/').at(-1) ?? '' };
    const add = (name: string, value: number): void =>
      this.#store.add({ namespace: 'AWS/SQS', name, dimensions }, value, now);
    const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    const { Attributes: attributes = {} } = await this.#clients.sqs.send(read);
    for (const [attribute, metric] of Object.entries(QUEUE_METRICS))
      add(metric, Number((attributes as Record<string, string>)[attribute] ?? 0));
    add('ApproximateAgeOfOldestMessage', await this.#oldestAgeSeconds(QueueUrl, now));
  }

  /** No SQS call tells the age of the oldest message; the emulator's inspection page does. 0 where there is none. */
  async #oldestAgeSeconds(queueUrl: string, now: number): Promise<number> {
    try {
      const page = `${this.#aws.endpoint}/_ministack/sqs/messages?QueueUrl=${encodeURIComponent(queueUrl)}`;
      const answer = await fetch(page, { signal: AbortSignal.timeout(2_000) });
      const sentAt = [...(await answer.text()).matchAll(/"Sent(?:At|Timestamp)":\s*"?([\d.]+)/g)].map(match => {
        const value = Number(match[1]);
        return value < 1e12 ? value * 1000 : value;
      });
      return sentAt.length === 0 ? 0 : Math.max(0, (now - Math.min(...sentAt)) / 1000);
    } catch {
      return 0;
    }
  }

  async #readFunction(FunctionName: string, from: number, now: number): Promise<void> {
    await Promise.all(
      FUNCTION_METRICS.map(async name => {
        const query = {
          Namespace: 'AWS/Lambda',
          MetricName: name,
          Dimensions: [{ Name: 'FunctionName', Value: FunctionName }],
        };
        const range = { StartTime: new Date(from), EndTime: new Date(now), Period: 3600, Statistics: ['Sum' as const] };
        const { Datapoints: points = [] } = await this.#clients.cloudWatch.send(
          new GetMetricStatisticsCommand({ ...query, ...range }),
        );
        const value = points.reduce((total, point) => total + (point.Sum ?? 0), 0);
        if (points.length > 0)
          this.#store.add({ namespace: 'AWS/Lambda', name, dimensions: { FunctionName } }, value, now);
      }),
    );
  }
}

interface EmfLine {
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [key: string]: unknown;
}

/** What becomes of a request: ingest counts one of them. */
const ENDS = ['Accepted', 'Duplicate', 'RequestRefused'] as const;
export const requestsIn = (line: EmfLine | undefined): number =>
  ENDS.reduce((sum, name) => sum + (typeof line?.[name] === 'number' ? (line[name] as number) : 0), 0);

/** Logical ids of a function, with CDK's hash. */
const isIngest = (id: string): boolean => /^IngestFunction[0-9A-F]{8}$/.test(id);

/** Adds the metrics of an EMF log line, under each of its dimension sets. Lines that are none are left alone: undefined. */
export function addEmfLine(message: string, store: MetricStore): EmfLine | undefined {
  let line: EmfLine;
  try {
    line = JSON.parse(message) as EmfLine;
  } catch {
    return undefined;
  }
  for (const { Namespace: namespace, Dimensions: sets, Metrics: metrics } of line._aws?.CloudWatchMetrics ?? []) {
    for (const { Name: name } of metrics) {
      const raw = line[name];
      const values = (Array.isArray(raw) ? raw : [raw]).filter(value => typeof value === 'number');
      for (const set of sets) {
        const dimensions = Object.fromEntries(set.map(key => [key, String(line[key])]));
        for (const value of values) store.add({ namespace, name, dimensions }, value, line._aws.Timestamp);
      }
    }
  }
  return line;
}
