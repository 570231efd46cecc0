import { Alias, Code, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Duration, Stack, type StackProps, TimeZone } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { alarmServices } from '#core/config/alarm-services.ts';
import { type DeployedSource, type Deployment, edgeSecretName } from '#core/config/deployment.ts';
import { receivedSources } from '#core/config/received-sources.ts';
import { SWEEPER_MEMORY_MB } from '#core/config/sweeper-speed.ts';
import { given } from '#core/given.ts';
import { metricNamespace, nameIn } from '#core/names.ts';
import { methodsOf } from '#core/provider/spec-defaults.ts';
import { apiEnv } from '#lambdas/api/env.ts';
import { auditEnv } from '#lambdas/audit/env.ts';
import { ingestEnv } from '#lambdas/ingest/env.ts';
import { notifyEnv } from '#lambdas/notify/env.ts';
import { probeEnv } from '#lambdas/probe/env.ts';
import { processEnv } from '#lambdas/process/env.ts';
import { sweepEnv } from '#lambdas/sweep/env.ts';
import { acknowledge } from '#lib/constructs/acknowledge.ts';
import type { GatewayFunctions } from '../alarms/alarm-spec.ts';
import type { Bundles, GatewayFunctionName } from '../bundling/function-names.ts';
import { toConstructId } from '../construct-id.ts';
import { AlarmTopics } from '../constructs/alarm-topics.ts';
import { allow, useOfKey } from '../constructs/allow.ts';
import { Canary } from '../constructs/canary.ts';
import { GatewayAlarms } from '../constructs/gateway-alarms.ts';
import { GatewayDashboard } from '../constructs/gateway-dashboard.ts';
import { type EnvContract, type FunctionSettings, GatewayFunction } from '../constructs/gateway-function.ts';
import { IngestApi } from '../constructs/ingest-api.ts';
import { grantOutboundRoutes, grantRoutes } from '../constructs/route-grants.ts';
import {
  grantAlarmSecrets,
  grantAllSourceSecrets,
  grantSecret,
  grantSourceSecret,
} from '../constructs/source-secrets.ts';
import { Timetable } from '../constructs/timetable.ts';
import { type HandlerResources, TABLE_ACTIONS } from '../handler-resources.ts';
import { addOtlp } from './add-otlp.ts';
import { addOutputs } from './add-outputs.ts';
import { addReconciler, grantApiCredentials } from './add-reconciler.ts';
import type { DataStack } from './data-stack.ts';

export interface GatewayStackProps extends StackProps {
  readonly deployment: Deployment;
  readonly data: DataStack;
  readonly bundles: Bundles;
  /** Tables, grants and secrets of the handlers. @default none */
  readonly handlerResources?: HandlerResources;
}

/** Everything that can be deployed again at any time: the API, the functions, their schedules and alarms. */
export class GatewayStack extends Stack {
  readonly api: IngestApi;
  readonly functions: GatewayFunctions;
  readonly alarms: GatewayAlarms | undefined;
  readonly dashboard: GatewayDashboard;
  readonly #props: GatewayStackProps;

  constructor(scope: Construct, id: string, props: GatewayStackProps) {
    super(scope, id, props);
    this.#props = props;
    const { deployment } = props;
    const { store, queue } = props.data;
    const { timings } = deployment.config;

    const tables = { EVENTS_TABLE: store.events.tableName, PAYLOADS_TABLE: store.payloads.tableName };
    const bodies = { BODIES_BUCKET: store.bodies.bucketName };
    const queues = { WORK_QUEUE_URL: queue.main.queueUrl, DEAD_QUEUE_URL: queue.dead.queueUrl };

    const ingest = this.#addFunction('ingest', {
      description: 'Verifies, records and queues each webhook',
      contract: ingestEnv,
      environment: { ...tables, ...bodies, WORK_QUEUE_URL: queue.main.queueUrl },
      timeout: Duration.seconds(10),
      onFailure:
        'API Gateway waits for the answer and gives the provider a 5xx, which its retries and two alarms act on.',
    });
    store.grantEvents(ingest, 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    store.grantControlReads(ingest);
    store.grantPayloads(ingest, 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    store.grantBodies(ingest, 's3:PutObject');
    queue.grantSend(ingest);
    queue.grantPrime(ingest);
    grantAllSourceSecrets(ingest, deployment.config, receivedSources(deployment));
    if (deployment.edge) grantSecret(ingest, edgeSecretName(deployment.config));

    const process = this.#addFunction('process', {
      description: 'Claims each event, runs its handler and records the outcome',
      contract: processEnv,
      environment: { ...tables, ...bodies, ...queues },
      timeout: Duration.millis(timings.processTimeoutMs),
      // Each retry is a new message to its own queue. Lambda would take 16 of them for a loop and drop the message;
      // attempts have a budget of their own.
      sendsToItself: true,
      onFailure: "SQS invokes it and keeps the messages of a failed invocation; the dead-letter queue is the queue's.",
    });
    store.grantEvents(process, 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    store.grantPayloads(process, 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    store.grantBodies(process, 's3:GetObject', 's3:PutObject');
    store.grantListBodies(process);
    queue.grantSend(process);
    queue.grantSendDead(process);
    grantRoutes(process, deployment.config);
    grantOutboundRoutes(process, deployment.config, props.data.outbound);
    const { batchingWindowSeconds: window } = deployment.queue;
    process.function.addEventSource(
      new SqsEventSource(queue.main, {
        batchSize: deployment.queue.batchSize,
        reportBatchItemFailures: true,
        maxConcurrency: deployment.queue.maxConcurrency,
        // Without one the mapping sends what is there.
        ...given({ maxBatchingWindow: window === 0 ? undefined : Duration.seconds(window) }),
      }),
    );

    const sweep = this.#addFunction('sweep', {
      description: 'Sends again what was recorded but not handled, every minute',
      contract: sweepEnv,
      environment: { ...tables, ...queues },
      timeout: Duration.seconds(55),
      memoryMb: SWEEPER_MEMORY_MB,
      onFailure: "The next minute's run does the same work; five minutes without a good run raise sweep-not-running.",
    });
    store.grantEventQueries(sweep);
    store.grantOccupied(sweep);
    store.grantEvents(sweep, 'dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    // No GetItem: it raises lifetimes and keeps replay notes, and reads no customer's body.
    store.grantPayloads(sweep, 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    store.grantRefusedReads(sweep);
    queue.grantSend(sweep);
    queue.grantSendDead(sweep);
    queue.grantReadNumbers(sweep);
    queue.grantDrainDead(sweep);
    Timetable.everyMinute(this, 'SweepSchedule', sweep);

    const audit = this.#addFunction('audit', {
      description: 'Checks every record against the rules, once a night, in runs of 15 minutes',
      contract: auditEnv,
      environment: { ...tables, ...bodies },
      timeout: Duration.minutes(15),
      // One core: a night then suffices for ten million events a day (docs/operate/scale.md).
      memoryMb: 1_769,
      onFailure: "The next day's run does the same work; a missed one raises audit-not-running.",
    });
    // PutItem: the cursor of a scan that did not finish. UpdateItem: the watch of an event nobody watches.
    store.grantEvents(audit, 'dynamodb:Scan', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    store.grantPayloads(audit, 'dynamodb:GetItem', 'dynamodb:UpdateItem');
    // Large bodies of events that wait for months are put anew.
    store.grantBodies(audit, 's3:GetObject', 's3:PutObject');
    store.grantListBodies(audit);
    const atNight = ScheduleExpression.cron({ minute: '17,37,57', hour: '3-6', timeZone: TimeZone.ETC_UTC });
    const nightly = new Timetable(this, 'AuditSchedule', { target: audit, maxEventAge: Duration.hours(1) });
    nightly.add('Schedule', { expression: atNight });

    const api = this.#addFunction('api', {
      description: 'Answers GET /health, and the status API: events, replays, pauses',
      contract: apiEnv,
      environment: {
        ...tables,
        WORK_QUEUE_URL: queue.main.queueUrl,
        SWEEP_FUNCTION: sweep.function.functionName,
      },
      timeout: Duration.seconds(15),
      onFailure: 'API Gateway waits for the answer; the caller sees the failure and asks again.',
    });
    store.grantEventQueries(api);
    store.grantEvents(api, 'dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem');
    store.grantControlWrites(api);
    store.grantPayloads(api, 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    queue.grantSend(api);
    // A replay job begins at once.
    allow(api, ['lambda:InvokeFunction'], [sweep.function.functionArn]);

    const reconcileProviders = addReconciler(this, deployment, props.data, settings =>
      this.#addFunction('reconcile-providers', settings),
    );
    const core = { ...{ ingest, process, sweep, audit, api }, ...given({ 'reconcile-providers': reconcileProviders }) };
    acknowledge(process, {
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason:
        'Failed messages stay in the queue; the function itself writes dead letters, with cause and id, to the dead-letter queue.',
    });
    this.#acknowledgeObjectKeys(ingest, process, audit, ...(reconcileProviders ? [reconcileProviders] : []));
    grantApiCredentials(process, deployment);
    this.#addHandlerResources(process);

    const canary = deployment.canary && new Canary(this, 'Canary', deployment.canary, deployment.config);
    if (canary) Canary.move(process, canary.aliasOf('process', process, 'process-errors'));
    this.api = new IngestApi(this, 'FrontDoor', {
      name: nameIn(deployment.config),
      sources: receivedSources(deployment).flatMap(({ source, throttle }) =>
        source.paths.map(path => ({ path, methods: methodsOf(source.spec), ...given({ throttle }) })),
      ),
      ingest: this.#inService(ingest, canary),
      api: api.function,
      accessLogRetention: deployment.logRetentionDays as RetentionDays,
      edgeNamespace: `${metricNamespace(deployment.config)}/${deployment.config.environment}`,
      ...given({ domain: deployment.domain, ipv6: deployment.ipv6 }),
      disposable: deployment.disposable,
    });
    const probe = deployment.probe && this.#addProbe(deployment.probe);
    const watched = { ...core, ...given({ probe }) };
    if (deployment.alarms === 'none') AlarmTopics.unused(new Construct(this, 'Alarms'), 'Topics');
    else
      this.alarms = new GatewayAlarms(this, 'Alarms', { deployment, store, queue, api: this.api, functions: watched });
    const notify = this.alarms && this.#addNotify(this.alarms.topics);
    const otlp = addOtlp(this, deployment, Object.values(watched), settings => this.#addFunction('otlp', settings));
    this.functions = { ...watched, ...given({ notify, otlp }) };
    this.dashboard = new GatewayDashboard(this, 'Dashboard', {
      deployment,
      queue,
      api: this.api,
      functions: this.functions,
      alarms: this.alarms?.alarms ?? [],
      outbound: deployment.config.outbound && props.data.outbound.queues,
    });
    addOutputs(this, { deployment, store, queue, api: this.api, functions: this.functions, alarms: this.alarms });
  }

  /** Sends a signed event through the public URL every minute. It may look at records, and read its own secret. */
  #addProbe(probe: DeployedSource): GatewayFunction<EnvContract> {
    const { deployment, data } = this.#props;
    const added = this.#addFunction('probe', {
      description: 'Sends a signed event through the public URL and watches it end, every minute',
      contract: probeEnv,
      environment: {
        EVENTS_TABLE: data.store.events.tableName,
        PROBE_URL: probe.source.publicUrl ?? `${this.api.url}${probe.source.paths[0]}`,
      },
      timeout: Duration.seconds(50),
      onFailure: "The next minute's run does the same work; three missed runs raise probe-missing-or-slow.",
    });
    data.store.grantEvents(added, 'dynamodb:GetItem');
    grantSourceSecret(added, deployment.config, probe);
    Timetable.everyMinute(this, 'ProbeSchedule', added);
    return added;
  }

  /**
   * Adds to the alarm of new deaths which events died, and tells Slack and PagerDuty of every alarm. What it cannot pass on,
   * Lambda hands to the pager as it is.
   */
  #addNotify(topics: AlarmTopics): GatewayFunction<EnvContract> {
    const { deployment, data } = this.#props;
    const { store } = data;
    const services = alarmServices(deployment);
    const bySeverity = [...Map.groupBy(services, each => each.severity)];
    const told = bySeverity.map(([severity, each]) => [topics.topics[severity].topicArn, each] as const);
    const notify = this.#addFunction('notify', {
      description: 'Says in the alarm of new dead letters which events died; tells Slack and PagerDuty of alarms',
      contract: notifyEnv,
      environment: {
        EVENTS_TABLE: store.events.tableName,
        PAGE_TOPIC: topics.topics.page.topicArn,
        ALARM_SERVICES: this.toJsonString(Object.fromEntries(told)),
      },
      timeout: Duration.seconds(15),
      onFailure: 'After two more tries Lambda itself publishes the alarm to the topic of pages.',
    });
    store.grantEvents(notify, 'dynamodb:BatchGetItem');
    store.grantEventQueries(notify, 'attention');
    topics.grantPage(notify);
    notify.function.configureAsyncInvoke({
      // The ready-made destination would add a right with a wildcard in its name.
      onFailure: { bind: () => ({ destination: topics.topics.page.topicArn }) },
      retryAttempts: 2,
      maxEventAge: Duration.minutes(15),
    });
    acknowledge(notify, {
      id: 'Serverless-SNSRedrivePolicy',
      reason:
        'SNS tries to reach a function for 23 days, and what the function cannot pass on, Lambda publishes to the topic of pages itself.',
    });
    grantAlarmSecrets(notify, deployment.config, services);
    for (const topic of [topics.deaths, ...bySeverity.map(([severity]) => topics.topics[severity])])
      topic.addSubscription(new LambdaSubscription(notify.function));
    return notify;
  }

  #addFunction<Contract extends EnvContract>(
    name: GatewayFunctionName,
    props: FunctionSettings<Contract>,
  ): GatewayFunction<Contract> {
    const { deployment, bundles, data } = this.#props;
    const reserved = (deployment.reservedConcurrency as Partial<Record<GatewayFunctionName, number>>)[name];
    const added = new GatewayFunction(this, toConstructId(name), {
      ...props,
      code: Code.fromAsset(bundles[name]),
      logRetention: deployment.logRetentionDays as RetentionDays,
      logLevel: deployment.config.logLevel,
      disposable: deployment.disposable,
      ...given({ reservedConcurrency: reserved }),
    });
    for (const statement of data.key ? useOfKey(data.key.keyArn, this.region) : [])
      added.grantPrincipal.addToPrincipalPolicy(statement);
    return added;
  }

  /** cdk-nag wants each wildcard acknowledged under the exact text of the resource, here an import from the data stack. */
  #acknowledgeObjectKeys(...functions: readonly GatewayFunction<EnvContract>[]): void {
    const { data } = this.#props;
    const imported = this.resolve(data.exportValue(data.store.bodies.bucketArn));
    for (const each of functions) {
      acknowledge(each, {
        id: `AwsSolutions-IAM5[Resource::${imported['Fn::ImportValue']}/*]`,
        reason:
          'The wildcard is the object key in the bucket of bodies: keys are made of event ids, unknown at deploy.',
      });
    }
  }

  /** The function itself, or an alias: for a canary, or with environments kept warm where the configuration pays for them. */
  #inService(ingest: GatewayFunction<EnvContract>, canary: Canary | undefined): IFunction {
    const warm = this.#props.deployment.ingestProvisionedConcurrency;
    if (canary) return canary.aliasOf('ingest', ingest, 'ingest-errors', warm) as IFunction;
    if (warm === 0) return ingest.function;
    const alias = new Alias(ingest, 'Warm', {
      aliasName: 'warm',
      version: ingest.function.currentVersion as IVersion,
      provisionedConcurrentExecutions: warm,
    });
    return alias as IFunction;
  }

  #addHandlerResources(process: GatewayFunction<EnvContract>): void {
    const { data, deployment, handlerResources } = this.#props;
    handlerResources?.(data.handlers, {
      environment: deployment.config.environment,
      disposable: deployment.disposable,
      ...given({ encryptionKey: data.key }),
      processFunction: process.function,
      gateway: new Construct(this, 'Handlers'),
      grantTable: (table, ...needs) => {
        table.grant(process.function, ...needs.map(need => TABLE_ACTIONS[need]));
      },
      addEnvironment: (name, value) => {
        if (Object.hasOwn(processEnv, name)) {
          throw new RangeError(
            `handlers/resources.ts: ${name} is a variable of the gateway itself; choose another name`,
          );
        }
        process.function.addEnvironment(name, value);
      },
    });
    data.exportHandlerTables();
  }
}
