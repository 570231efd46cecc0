/** The gateway of the runbooks on a local AWS, its alarms, and what can be done to it. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  DeleteFunctionConcurrencyCommand,
  GetAccountSettingsCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { DeleteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { given } from '#core/given.ts';
import { MINUTE_MS } from '#core/time.ts';
import { type AlarmChange, runAlarms } from '#local/alarms/alarms.ts';
import { type LocalReceiver, startReceiver } from '#local/sample/receiver.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import { askDelivery } from '#operator/delivery-api.ts';
import { runOnAws } from '#test/e2e/cli-on-aws.ts';
import { GatewayUnderTest, genericEvent } from '#test/e2e/gateway-under-test.ts';
import { operatorAt } from '#test/e2e/outbound-journey.ts';
import { gateway as config } from './gateway.config.ts';

/** Within it, each alarm must have rung. */
const RING_LIMIT_MS = 9 * MINUTE_MS;

export class BrokenGateway {
  readonly gateway: GatewayUnderTest;
  readonly receiver: LocalReceiver;
  readonly #lambda: LambdaClient;
  readonly #changes: (AlarmChange & { readonly at: number })[] = [];
  readonly #ended = new AbortController();
  readonly #alarms: Promise<void>;

  private constructor(gateway: GatewayUnderTest, receiver: LocalReceiver) {
    this.gateway = gateway;
    this.receiver = receiver;
    const { endpoint, region, credentials } = gateway.aws;
    this.#lambda = new LambdaClient({ endpoint, region, credentials });
    const note = (change: AlarmChange): void => void this.#changes.push({ ...change, at: Date.now() });
    this.#alarms = runAlarms(gateway.aws, gateway.clients, gateway.stacks, note, this.#ended.signal);
  }

  static async start(): Promise<BrokenGateway> {
    const receiver = await startReceiver();
    const lay = async (app: string): Promise<void> => {
      for (const [from, to] of [
        ['gateway.config.ts', 'gateway.config.ts'],
        ['handlers.ts', 'handlers/index.ts'],
      ] as const)
        await cp(join(import.meta.dirname, from), join(app, to));
    };
    const gateway = await GatewayUnderTest.start({ project: { gateway: config, lay } });
    return new BrokenGateway(gateway, receiver);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#alarms;
    await Promise.all([this.gateway.stop(), this.receiver.stop()]);
  }

  /** Sends an event of a source of the generic scheme; its key. Throws unless it is answered with `expected`. */
  async send(
    source: string,
    type: string,
    options: { data?: Record<string, unknown>; key?: string; secret?: string; expected?: number } = {},
  ): Promise<string> {
    const { data, key, secret, expected = 200 } = options;
    const event = genericEvent(type, key, data);
    const headers = this.gateway.sign(source, event, secret === undefined ? {} : { secret });
    const post = () => this.gateway.request('POST', `/webhooks/${source}`, { headers, body: event.body });
    let { status } = await post();
    // As a provider would: a cold machine may need a second try.
    for (let tries = 0; status === 503 && tries < 5; tries++) {
      await wait(1_000);
      ({ status } = await post());
    }
    if (status !== expected) throw new Error(`${source} answered ${status}, not ${expected}`);
    return event.key;
  }

  async everySecond(times: number, work: (n: number) => Promise<unknown>): Promise<undefined> {
    for (let n = 0; n < times; n++) await Promise.all([work(n), wait(1_000)]);
    return undefined;
  }

  /** Runs a command as on-call types it. */
  async holdfast(args: readonly string[], stdin?: string): Promise<string> {
    const { stdout, stderr } = await runOnAws(this.gateway, args, given({ stdin }));
    return `${stdout}${stderr}`;
  }

  /** Until the alarm is not ringing, from an incident before. */
  async rests(alarm: string): Promise<void> {
    const until = Date.now() + RING_LIMIT_MS;
    while (this.#changes.findLast(it => it.name === `holdfast-local-${alarm}`)?.to === 'ALARM') {
      if (Date.now() > until) throw new Error(`${alarm} still rings after ${RING_LIMIT_MS / 1_000} s`);
      await wait(500);
    }
  }

  /** Whether it was judged to be well since then. */
  wentBack(alarm: string, since: number): boolean {
    return this.#changes.some(it => it.name === `holdfast-local-${alarm}` && it.to === 'OK' && it.at >= since);
  }

  async rang(alarm: string, since: number): Promise<void> {
    const name = `holdfast-local-${alarm}`;
    const until = since + RING_LIMIT_MS;
    while (!this.#changes.some(it => it.name === name && it.to === 'ALARM' && it.at >= since)) {
      if (Date.now() > until) {
        const others = this.#changes.map(it => `${it.name} ${it.to}`).join('\n');
        throw new Error(`${name} did not ring within ${RING_LIMIT_MS / 1_000} s. What did:\n${others}`);
      }
      await wait(500);
    }
  }

  /** A deploy that gives functions a wrong setting; the answer takes it back. Their processes end either way. */
  async misdeploy(variables: Readonly<Record<string, string>>, ...functions: readonly string[]) {
    const names = functions.map(name => this.#function(name));
    const before = await Promise.all(
      names.map(async FunctionName => {
        const { Environment } = await this.#lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
        return { FunctionName, Variables: Environment?.Variables ?? {} };
      }),
    );
    const set = async (more: Readonly<Record<string, string>>): Promise<void> => {
      for (const { FunctionName, Variables } of before) {
        const Environment = { Variables: { ...Variables, ...more } };
        await this.#lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment }));
      }
    };
    await set(variables);
    return () => set({});
  }

  /** Gives what waits in the queue to the processor, one call each ten seconds: of its own calls the local AWS counts no error. */
  async callWithWaiting(keys: readonly string[]): Promise<void> {
    const QueueUrl = outputOf(this.gateway.stacks, 'WorkQueueUrl');
    const calls: Promise<unknown>[] = [];
    while (calls.length < keys.length) {
      const take = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 1, WaitTimeSeconds: 5 });
      const { Messages: [{ MessageId: messageId, ReceiptHandle: receiptHandle, Body: body } = {}] = [] } =
        await this.gateway.clients.sqs.send(take);
      if (body === undefined) throw new Error(`only ${calls.length} messages wait`);
      // Of the probe, or of an incident before: it waits out its time.
      if (!keys.some(key => body.includes(key))) continue;
      const attributes = { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) };
      const Payload = JSON.stringify({ Records: [{ messageId, receiptHandle, body, attributes }] });
      calls.push(this.#lambda.send(new InvokeCommand({ FunctionName: this.#function('Process'), Payload })));
      await wait(10_000);
    }
    await Promise.all(calls);
  }

  /** Somebody's mistake in the Lambda console: no run of this function is allowed. The answer takes it back. */
  async allowNone(name: string) {
    const FunctionName = this.#function(name);
    await this.#lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
    return () => this.#lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  }

  /** As `aws lambda get-account-settings --query AccountLimit` prints it. */
  async accountLimit(): Promise<string> {
    const { AccountLimit } = await this.#lambda.send(new GetAccountSettingsCommand({}));
    return JSON.stringify(AccountLimit, null, 4);
  }

  /** Another value than the stored one, and senders that have read it. The answer puts the earlier one back. */
  async loseMaster() {
    const { secrets } = this.gateway.clients;
    const SecretId = 'holdfast/local/_outbound';
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId }));
    const set = async (text: string | undefined): Promise<void> => {
      await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: text }));
      await this.misdeploy({}, 'DrainFast', 'DrainSlow');
    };
    await set('x'.repeat(64));
    return () => set(SecretString);
  }

  /** By the name of its construct. */
  #function(name: string): string {
    const ids = this.gateway.stacks.flatMap(stack => Object.entries(stack.physicalIds));
    const found = ids.find(([id]) => new RegExp(`^${name}Function[0-9A-F]{8}$`).test(id))?.[1];
    if (found === undefined) throw new Error(`no stack has a function ${name}`);
    return found;
  }

  /** Somebody's mistake in the Lambda console: this function takes nothing from its queue. The answer enables it again. */
  async disableMapping(name: string) {
    const FunctionName = this.#function(name);
    const { EventSourceMappings = [] } = await this.#lambda.send(new ListEventSourceMappingsCommand({ FunctionName }));
    const set = async (Enabled: boolean): Promise<void> => {
      for (const { UUID } of EventSourceMappings)
        await this.#lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
    };
    await set(false);
    return () => set(true);
  }

  /** The body of an event is gone before its time. */
  async loseBody(key: string): Promise<void> {
    const TableName = outputOf(this.gateway.stacks, 'PayloadsTable');
    const documents = DynamoDBDocumentClient.from(this.gateway.clients.dynamo);
    const { Items = [] } = await documents.send(new ScanCommand({ TableName, ConsistentRead: true }));
    const own = Items.filter(it => String(it['pk']).includes(key));
    if (own.length === 0) throw new Error(`the payloads table has nothing of ${key}`);
    for (const { pk, sk } of own) await documents.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
  }

  /** An application with this many endpoints at a behaviour of the local receiver (local/sample/receiver-behaviours.ts). */
  async customer(app: string, path: string, endpoints = 1): Promise<void> {
    const api = await (await operatorAt(this.gateway).gateway()).delivery();
    await askDelivery(api, { method: 'PUT', path: ['apps', `uid:${app}`], body: { name: app } });
    for (let n = 0; n < endpoints; n++) {
      const body = { uid: `${app}-${n}`, url: `${this.receiver.url}${path}`, schedule: [1, 1, 1], timeout_seconds: 5 };
      await askDelivery(api, { method: 'POST', path: ['apps', `uid:${app}`, 'endpoints'], body });
    }
  }

  async publish(app: string, messages: number): Promise<void> {
    const api = await (await operatorAt(this.gateway).gateway()).delivery();
    for (let n = 0; n < messages; n++) {
      const body = { key: `${app}-${Date.now()}-${n}`, type: 'invoice.paid', data: { n } };
      await askDelivery(api, { method: 'POST', path: ['apps', `uid:${app}`, 'messages'], body });
    }
  }
}
