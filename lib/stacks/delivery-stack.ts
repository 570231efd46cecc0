import { Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { CfnOutput, Duration, Lazy, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Deployment } from '#core/config/deployment.ts';
import type { ResolvedOutbound } from '#core/config/outbound-config.ts';
import { given } from '#core/given.ts';
import { nameIn } from '#core/names.ts';
import { OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';
import { contactsEnv } from '#lambdas/contacts/env.ts';
import { deliveryApiEnv } from '#lambdas/delivery-api/env.ts';
import { drainEnv } from '#lambdas/drain/env.ts';
import { fanOutEnv } from '#lambdas/fan-out/env.ts';
import { portalEnv } from '#lambdas/portal/env.ts';
import { publishEnv } from '#lambdas/publish/env.ts';
import { tendEnv } from '#lambdas/tend/env.ts';
import { acknowledge } from '#lib/constructs/acknowledge.ts';
import type { DeliveryFunctions } from '../alarms/delivery-alarms.ts';
import type { Bundles, OutboundFunctionName } from '../bundling/function-names.ts';
import { toConstructId } from '../construct-id.ts';
import type { AlarmTopics } from '../constructs/alarm-topics.ts';
import { allow, useOfKey } from '../constructs/allow.ts';
import { Canary } from '../constructs/canary.ts';
import { DeliveryAlarms } from '../constructs/delivery-alarms.ts';
import { DeliveryApi } from '../constructs/delivery-api.ts';
import type { DeliveryQueues } from '../constructs/delivery-queues.ts';
import { type EnvContract, type FunctionSettings, GatewayFunction } from '../constructs/gateway-function.ts';
import type { OutboundStore } from '../constructs/outbound-store.ts';
import { Timetable } from '../constructs/timetable.ts';
import type { DataStack } from './data-stack.ts';

export interface DeliveryStackProps extends StackProps {
  readonly deployment: Deployment;
  readonly outbound: ResolvedOutbound;
  readonly data: DataStack;
  readonly bundles: Bundles;
  /** Absent: no alarms. */
  readonly topics: AlarmTopics | undefined;
}

/** Large bodies of messages, beside those of events. */
const BLOBS = 'outbound/*';
/** Parallel runs of `fan-out`. */
const FAN_OUT_SLOTS = 20;
const BATCH = 10;

/** Where functions find what lies in the data stack: each is told what its contract names. */
const variablesOf = ({ store, outbound: { store: outbound, queues } }: DataStack) => ({
  REGISTRY_TABLE: outbound.tables.registry.tableName,
  OUTBOX_TABLE: outbound.tables.outbox.tableName,
  BODIES_BUCKET: store.bodies.bucketName,
  MASTER_SECRET: outbound.masterName,
  JOBS_QUEUE_URL: queues.jobs.queueUrl,
  JOBS_DEAD_QUEUE_URL: queues.jobsDead.queueUrl,
  WAKE_FAST_QUEUE_URL: queues.wakeFast.queueUrl,
  WAKE_SLOW_QUEUE_URL: queues.wakeSlow.queueUrl,
  WAKES_DEAD_QUEUE_URL: queues.wakesDead.queueUrl,
});
type Own<Contract> = { readonly [Name in Exclude<keyof Contract, keyof ReturnType<typeof variablesOf>>]: string };

/** Webhooks to customers: everything of it that can be deployed again at any time. */
export class DeliveryStack extends Stack {
  readonly api: DeliveryApi;
  readonly functions: DeliveryFunctions;
  readonly #props: DeliveryStackProps;
  readonly #store: OutboundStore;
  readonly #queues: DeliveryQueues;

  constructor(scope: Construct, id: string, props: DeliveryStackProps) {
    super(scope, id, props);
    this.#props = props;
    this.#store = props.data.outbound.store;
    this.#queues = props.data.outbound.queues;
    const { deployment, outbound, topics } = props;

    const publish = this.#addPublish();
    const fanOut = this.#addFanOut();
    const deliveryApi = this.#addDeliveryApi();
    const portal = outbound.portal && this.#addPortal();
    const canary = deployment.canary && new Canary(this, 'Canary', deployment.canary, deployment.config);
    const inService = (name: string, target: GatewayFunction<EnvContract>): IFunction =>
      (canary?.aliasOf(name, target, 'delivery-own-fault') ?? target.function) as IFunction;
    this.api = new DeliveryApi(this, 'FrontDoor', {
      name: nameIn(deployment.config, 'delivery'),
      publish: inService('publish', publish),
      deliveryApi: inService('delivery-api', deliveryApi),
      ...(portal && outbound.portal
        ? {
            portal: {
              ...{ function: inService('portal', portal), origins: outbound.portal.origins },
              contacts: outbound.contacts === true,
            },
          }
        : {}),
      accessLogRetention: deployment.logRetentionDays as RetentionDays,
      ...given({ throttle: outbound.throttle }),
      disposable: deployment.disposable,
    });
    const drainFast = this.#addDrain('fast', this.#queues.wakeFast);
    const drainSlow = this.#addDrain('slow', this.#queues.wakeSlow);
    const consumers = { 'fan-out': fanOut, 'drain-fast': drainFast, 'drain-slow': drainSlow };
    for (const [name, each] of Object.entries(consumers))
      if (canary) Canary.move(each, canary.aliasOf(name, each, 'delivery-own-fault'));
    const tend = this.#addTend();
    const contacts = outbound.contacts && this.#addContacts();
    this.functions = {
      ...{ publish, tend, 'fan-out': fanOut, 'delivery-api': deliveryApi },
      ...{ 'drain-fast': drainFast, 'drain-slow': drainSlow },
      ...given({ portal, contacts }),
    };
    if (topics) {
      new DeliveryAlarms(this, 'Alarms', {
        ...{ deployment, topics, store: this.#store, queues: this.#queues, api: this.api, functions: this.functions },
        fastSlots: outbound.slots.fast,
      });
    }
    this.#addOutputs();
  }

  /** The hot path: no secrets, and no way to endpoints. */
  #addPublish() {
    const { jobs, wakeFast } = this.#queues;
    const publish = this.#addFunction('publish', 'Publish', {
      description: 'Stores each message for customers, queues it for their endpoints, answers 202',
      contract: publishEnv,
      timeout: Duration.seconds(10),
      onFailure: 'API Gateway waits for the answer; the producer repeats until it hears 202 or a refusal.',
    });
    // A# applications, T# types, U# the names of applications.
    this.#store.grant(
      publish,
      'registry',
      { actions: ['GetItem'], leading: ['A#*', 'T#*', 'U#*'] },
      { actions: ['Query'], leading: ['A#*'] },
      { actions: ['UpdateItem'], leading: ['C#rate#*'] },
    );
    this.#store.grant(
      publish,
      'outbox',
      { actions: ['PutItem'], leading: ['M#*', 'N#*'] },
      { actions: ['BatchWriteItem'], leading: ['Q#*'] },
    );
    this.#grantBlobs(publish, 's3:PutObject');
    this.#queues.grantSend(publish, jobs, wakeFast);
    return publish;
  }

  #addFanOut() {
    const { jobs, jobsDead, wakeFast } = this.#queues;
    const fanOut = this.#addFunction('fan-out', 'FanOut', {
      description: 'Puts each message into the queues of the endpoints that want it',
      contract: fanOutEnv,
      timeout: Duration.millis(OUTBOUND_TIMINGS.fanOutTimeoutMs),
      // A large fan-out and a broadcast go on in further jobs of the same queue.
      sendsToItself: true,
      onFailure: "SQS invokes it and keeps the jobs of a failed invocation; the dead-letter queue is the queue's.",
    });
    this.#store.grant(
      fanOut,
      'registry',
      { actions: ['GetItem'], leading: ['A#*', 'U#*'] },
      { actions: ['Query'], leading: ['A#*'] },
      { actions: ['Query'], index: true },
    );
    this.#store.grant(
      fanOut,
      'outbox',
      { actions: ['GetItem', 'PutItem'], leading: ['M#*'] },
      { actions: ['PutItem'], leading: ['N#*'] },
      { actions: ['BatchWriteItem'], leading: ['Q#*'] },
    );
    // PutObject: an operational event with a large body.
    this.#grantBlobs(fanOut, 's3:GetObject', 's3:PutObject');
    this.#props.data.store.grantListBodies(fanOut);
    this.#queues.grantSend(fanOut, jobs, wakeFast, jobsDead);
    this.#consume(fanOut, jobs, FAN_OUT_SLOTS);
    return fanOut;
  }

  /** The same code twice: endpoints known to be slow have runs of their own. */
  #addDrain(lane: 'fast' | 'slow', wake: Queue) {
    const { wakeSlow, wakesDead, jobs } = this.#queues;
    const own = {
      LANE: lane,
      WAKE_QUEUE_URL: wake.queueUrl,
      OWN_HOSTS: `${this.api.api.apiId}.execute-api.${this.region}.${this.urlSuffix}`,
    };
    const settings = {
      description: `Sends what is due to one endpoint after another (${lane} ones)`,
      contract: drainEnv,
      timeout: Duration.millis(OUTBOUND_TIMINGS.drainTimeoutMs),
      // Mostly it waits for answers of customers' servers.
      memoryMb: 256,
      sendsToItself: true,
      onFailure:
        'SQS invokes it and keeps the wake-ups of a failed invocation; the audit finds an endpoint without one.',
    };
    const drain = this.#addFunction('drain', lane === 'fast' ? 'DrainFast' : 'DrainSlow', settings, own);
    this.#store.grant(
      drain,
      'registry',
      { actions: ['GetItem', 'BatchGetItem'], leading: ['A#*', 'S#*', 'R#*', 'C#*'] },
      // The lease; a batch is fixed by whoever has it.
      { actions: ['UpdateItem', 'ConditionCheckItem'], leading: ['R#*'] },
    );
    this.#store.grant(
      drain,
      'outbox',
      { actions: ['Query', 'PutItem', 'DeleteItem'], leading: ['Q#*', 'G#*'] },
      { actions: ['BatchGetItem'], leading: ['M#*', 'D#*'] },
      // GetItem: the head of an ordered endpoint, when the session looks once more.
      { actions: ['GetItem', 'UpdateItem'], leading: ['D#*'] },
      // GetItem: the first throttled attempt, which gets the number of those after it.
      { actions: ['GetItem', 'PutItem'], leading: ['T#*'] },
    );
    this.#grantBlobs(drain, 's3:GetObject');
    // A body that is gone ends its delivery; a refusal to say so would hold up all that is behind it.
    this.#props.data.store.grantListBodies(drain);
    this.#store.grantMaster(drain);
    this.#queues.grantSend(drain, wakeSlow, wakesDead, jobs);
    this.#consume(drain, wake, this.#props.outbound.slots[lane]);
    return drain;
  }

  #addDeliveryApi() {
    const { wakeFast, jobs } = this.#queues;
    // The API is made after its functions.
    const own = { API_URL: Lazy.string({ produce: () => this.api.url }) };
    const settings = {
      description: 'Answers everything a producer may do but publishing',
      contract: deliveryApiEnv,
      timeout: Duration.seconds(29),
      onFailure: 'API Gateway waits for the answer; the caller sees the failure and asks again.',
    };
    const api = this.#addFunction('delivery-api', 'DeliveryApi', settings, own);
    this.#store.grant(
      api,
      'registry',
      { actions: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] },
      { actions: ['Query'], index: true },
    );
    this.#store.grant(
      api,
      'outbox',
      { actions: ['GetItem', 'BatchGetItem', 'Query'] },
      // Replays: the record's next generation, its row, a note of the request, and a copy under a new id. A body erased.
      { actions: ['UpdateItem'], leading: ['D#*', 'M#*'] },
      { actions: ['PutItem'], leading: ['Q#*', 'T#*', 'M#*', 'N#*'] },
      // What was read and acknowledged.
      { actions: ['DeleteItem'], leading: ['Q#*'] },
      // A copy is made only while its original has its body.
      { actions: ['ConditionCheckItem'], leading: ['M#*'] },
      { actions: ['Query'], index: true },
    );
    this.#grantBlobs(api, 's3:GetObject', 's3:PutObject');
    // What lies under the name of a message whose body is erased.
    this.#props.data.store.grantListBodies(api);
    this.#store.grantMaster(api);
    this.#queues.grantSend(api, wakeFast, jobs);
    return api;
  }

  /** Customers reach it without an AWS identity: it may do what the portal's routes do, and nothing else. */
  #addPortal() {
    const { wakeFast, jobs } = this.#queues;
    const portal = this.#addFunction('portal', 'Portal', {
      description: 'The page and the API for customers, who bring tokens',
      contract: portalEnv,
      timeout: Duration.seconds(29),
      onFailure: 'API Gateway waits for the answer; the page shows the failure and asks again.',
    });
    this.#store.grant(
      portal,
      'registry',
      {
        actions: ['GetItem', 'BatchGetItem', 'Query'],
        leading: ['A#*', 'U#*', 'S#*', 'R#*', 'T#*', 'J#*', 'C#backlog#*'],
      },
      // Endpoints, their secrets and gates, replay jobs; the application counts its endpoints.
      { actions: ['PutItem', 'UpdateItem'], leading: ['A#*', 'S#*', 'R#*', 'J#*'] },
      { actions: ['UpdateItem'], leading: ['C#test#*'] },
      ...(this.#props.outbound.contacts ? [{ actions: ['GetItem', 'PutItem'], leading: ['K#*'] }] : []),
      // A deleted endpoint gives back its secrets and its name.
      { actions: ['DeleteItem'], leading: ['S#*', 'U#*'] },
      { actions: ['Query'], index: true },
    );
    this.#store.grant(
      portal,
      'outbox',
      { actions: ['GetItem', 'BatchGetItem', 'Query'] },
      { actions: ['UpdateItem'], leading: ['D#*'] },
      { actions: ['PutItem'], leading: ['Q#*', 'T#*', 'N#*'] },
      { actions: ['DeleteItem'], leading: ['Q#*'] },
      { actions: ['Query'], index: true },
    );
    this.#grantBlobs(portal, 's3:GetObject');
    this.#store.grantMaster(portal);
    this.#queues.grantSend(portal, wakeFast, jobs);
    return portal;
  }

  #addTend() {
    const { wakeFast, wakeSlow, jobs } = this.#queues;
    const tend = this.#addFunction('tend', 'Tend', {
      description: 'Wakes endpoints whose wait is over, finds what a queue lost, runs replay jobs; every minute',
      contract: tendEnv,
      timeout: Duration.seconds(55),
      onFailure: "The next minute's run does the same work; two missed runs raise delivery-not-tending.",
    });
    const all = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'];
    this.#store.grant(tend, 'registry', { actions: [...all, 'Scan'] }, { actions: ['Query'], index: true });
    this.#store.grant(tend, 'outbox', { actions: all }, { actions: ['Query'], index: true });
    this.#grantBlobs(tend, 's3:GetObject', 's3:PutObject');
    this.#props.data.store.grantListBodies(tend);
    this.#queues.grantSend(tend, wakeFast, wakeSlow, jobs);
    Timetable.everyMinute(this, 'TendSchedule', tend);
    return tend;
  }

  /** Not on any path of a message: it reads how endpoints are, and writes down whom it told. */
  #addContacts() {
    const settings = {
      description: 'Tells those whom customers named that endpoints fail; every minute',
      contract: contactsEnv,
      timeout: Duration.seconds(55),
      onFailure: "The next minute's run goes on where this one ended; what it had begun to tell is told an hour later.",
    };
    const contacts = this.#addFunction('contacts', 'Contacts', settings, { API_URL: this.api.url });
    this.#store.grant(
      contacts,
      'registry',
      // Those of one application, and how each of its endpoints is.
      { actions: ['BatchGetItem'], leading: ['A#*', 'K#*', 'R#*'] },
      { actions: ['GetItem', 'PutItem'], leading: ['K#*'] },
      { actions: ['Query'], leading: ['A#*'] },
      { actions: ['Query'], index: true },
    );
    // Deaths of a day.
    this.#store.grant(contacts, 'outbox', { actions: ['Query'], index: true });
    this.#store.grantMaster(contacts);
    const { email } = this.#props.outbound;
    if (email) this.#grantMail(contacts, email);
    Timetable.everyMinute(this, 'ContactsSchedule', contacts);
    return contacts;
  }

  /** As this sender alone. SES checks the identity of the address, or else that of its domain, and the configuration set. */
  #grantMail(target: GatewayFunction<never>, { from, configurationSet }: NonNullable<ResolvedOutbound['email']>): void {
    const arn = (resource: string, resourceName: string): string =>
      this.formatArn({ service: 'ses', resource, resourceName });
    const identities = [from, from.slice(from.indexOf('@') + 1)].map(name => arn('identity', name));
    const sets = configurationSet === undefined ? [] : [arn('configuration-set', configurationSet)];
    allow(target, ['ses:SendEmail'], [...identities, ...sets], { StringEquals: { 'ses:FromAddress': from } });
  }

  /** `own`: what its contract names beside what is the same for all. */
  #addFunction<Contract extends EnvContract>(
    name: OutboundFunctionName,
    id: string,
    props: Omit<FunctionSettings<Contract>, 'environment'>,
    ...[own]: Record<never, never> extends Own<Contract> ? [] : [Own<Contract>]
  ): GatewayFunction<Contract> {
    const { deployment, bundles, data } = this.#props;
    const known: Readonly<Record<string, string>> = { ...variablesOf(data), ...own };
    const environment = Object.fromEntries(Object.keys(props.contract).map(each => [each, known[each]]));
    const added = new GatewayFunction<Contract>(this, id, {
      ...props,
      environment: environment as FunctionSettings<Contract>['environment'],
      code: Code.fromAsset(bundles[name]),
      logRetention: deployment.logRetentionDays as RetentionDays,
      logLevel: deployment.config.logLevel,
      disposable: deployment.disposable,
    });
    // It has no queue to warm a client with.
    if (name !== 'contacts') this.#queues.grantPrime(added);
    for (const statement of data.key ? useOfKey(data.key.keyArn, this.region) : [])
      added.grantPrincipal.addToPrincipalPolicy(statement);
    return added;
  }

  #consume(target: GatewayFunction<never>, queue: Queue, maxConcurrency: number): void {
    target.function.addEventSource(
      new SqsEventSource(queue, { batchSize: BATCH, reportBatchItemFailures: true, maxConcurrency }),
    );
    acknowledge(target, {
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason:
        'Failed messages stay in the queue and come again; what cannot be read goes to the dead-letter queue whole.',
    });
  }

  /** Only below `outbound/`: bodies of events are not its business. */
  #grantBlobs(target: GatewayFunction<never>, ...actions: string[]): void {
    const arn = this.#props.data.store.bodies.arnForObjects(BLOBS);
    this.#props.data.store.grantObjects(target, arn, ...actions);
    const exported = this.#props.data.exportValue(this.#props.data.store.bodies.bucketArn);
    const imported = this.resolve(exported) as { 'Fn::ImportValue': string };
    acknowledge(target, {
      id: `AwsSolutions-IAM5[Resource::${imported['Fn::ImportValue']}/${BLOBS}]`,
      reason: 'The wildcard is the object key below outbound/: keys are made of message ids, unknown at deploy.',
    });
  }

  /** What a person or a tool needs to find it; the names are stable. */
  #addOutputs(): void {
    const output = (name: string, value: string, description: string): void => {
      new CfnOutput(this, name, { value, description });
    };
    output('DeliveryApiUrl', this.api.url, 'Origin of the API that publishes to customers (IAM)');
    output('RegistryTable', this.#store.tables.registry.tableName, 'Applications, endpoints and their state');
    output('OutboxTable', this.#store.tables.outbox.tableName, 'Messages and deliveries');
    output('JobsQueueUrl', this.#queues.jobs.queueUrl, 'Messages to fan out');
    output('WakeFastQueueUrl', this.#queues.wakeFast.queueUrl, 'Endpoints to look at');
    output('WakeSlowQueueUrl', this.#queues.wakeSlow.queueUrl, 'Slow endpoints to look at');
    for (const [name, each] of Object.entries(this.functions)) {
      output(`${toConstructId(name)}Function`, each.function.functionName, `Name of the ${name} function`);
    }
  }
}
