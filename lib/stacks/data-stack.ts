import { CfnGlobalTable, CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib/core';
import { Construct, type IConstruct } from 'constructs';
import { alarmSecretName, alarmServices } from '#core/config/alarm-services.ts';
import { BODY_EXTRA_DAYS } from '#core/config/defaults.ts';
import type { Deployment } from '#core/config/deployment.ts';
import { otlpSecretName } from '#core/config/otlp-config.ts';
import { receivedSources } from '#core/config/received-sources.ts';
import { given } from '#core/given.ts';
import { apiSecretName, secretName } from '#core/names.ts';
import { storesSecret } from '#core/provider/source-needs.ts';
import { acknowledge } from '#lib/constructs/acknowledge.ts';
import { DeliveryQueues } from '../constructs/delivery-queues.ts';
import { EventStore } from '../constructs/event-store.ts';
import { OutboundStore } from '../constructs/outbound-store.ts';
import { SECRET_TAGS } from '../constructs/source-secrets.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

export interface DataStackProps extends StackProps {
  readonly deployment: Deployment;
}

/**
 * What must survive a redeploy or a rollback of the code: tables (those of the handlers, too), bodies, secrets, and the
 * queues, because an event accepted while the table was unreachable exists only as a message.
 *
 * What it makes and exports does not depend on settings, but for the secrets: docs/decisions/a-setting-changes-only-its-own-resources.md.
 */
export class DataStack extends Stack {
  readonly store: EventStore;
  readonly queue: WorkQueue;
  /** The key of yours, where the configuration names one. */
  readonly key: IKey | undefined;
  /** Tables, queues and master secret of what is sent to customers: also without `outbound`, whose data they keep. */
  readonly outbound: { readonly store: OutboundStore; readonly queues: DeliveryQueues };
  /** Where handlers/resources.ts makes its tables. */
  readonly handlers: Construct;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props);
    const { config, disposable, probe, queue, encryptionKey } = props.deployment;
    this.key = encryptionKey === undefined ? undefined : Key.fromKeyArn(this, 'Key', encryptionKey);
    const encryption = this.key && { encryptionKey: this.key };
    const kmsKeyId = encryptionKey === undefined ? {} : { kmsKeyId: encryptionKey };
    const warm = given({ warmWriteUnits: props.deployment.warmWriteUnits });
    this.store = new EventStore(this, 'Store', {
      disposable,
      ...warm,
      ...encryption,
      // A payload must outlive its record.
      bodyLifetimeDays:
        Math.max(config.retentionDays, config.deadRetentionDays, config.outbound?.retentionDays ?? 0) + BODY_EXTRA_DAYS,
    });
    this.queue = new WorkQueue(this, 'Work', { settings: queue, disposable, ...encryption });
    this.outbound = {
      store: new OutboundStore(this, 'Outbound', {
        disposable,
        place: config,
        ...encryption,
        ...warm,
      }),
      queues: new DeliveryQueues(this, 'Delivery', { disposable, ...encryption }),
    };
    this.#exportAll(this);
    this.handlers = new Construct(this, 'Handlers');
    const secrets = new Construct(this, 'Secrets');
    // Not what a deploy made that is rolled back: nobody has set it yet, and its name would stop every deploy after it.
    const fate = disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
    acknowledge(secrets, {
      id: 'AwsSolutions-SMG4',
      reason:
        'The provider issues the secret, so AWS cannot rotate it alone. Rotation is manual, with the previous secret valid beside the new one for as long as you say (docs/runbooks/wrong-secret.md).',
    });
    for (const { source, needsSecret } of receivedSources(props.deployment)) {
      if (!needsSecret) continue;
      // Empty at first (but for the probe's own): a generated value would be one that no provider knows. The source answers 503 until it is set.
      const ours = source.id === probe?.source.id;
      // Not `stripe-api` beside the credential of source `stripe`, which has that id below.
      const scope = source.id.endsWith('-api') ? this.#scope(secrets, 'Sources') : secrets;
      const secret = new CfnSecret(scope, source.id, {
        ...kmsKeyId,
        name: secretName(config, source.id),
        description: ours
          ? 'Signing secret of the synthetic probe. Nobody needs to know it.'
          : `Signing secret of ${source.spec.title}, source ${source.id}. ${source.spec.title} shows or takes it when you register the webhook.`,
        ...(ours ? { generateSecretString: { passwordLength: 64, excludePunctuation: true } } : {}),
      });
      secret.applyRemovalPolicy(fate);
      if (storesSecret(source.spec)) Tags.of(secret).add(SECRET_TAGS.writable, 'true');
    }
    for (const { source, apiCredential } of props.deployment.sources) {
      if (!apiCredential && !source.reconcile) continue;
      // A name of its own: who may read the one need not read the other.
      const secret = new CfnSecret(secrets, `${source.id}-api`, {
        ...kmsKeyId,
        name: apiSecretName(config, source.id),
        description: `Credential of ${source.spec.title}'s API, source ${source.id}: docs/receive/missing-events.md says which rights it needs.`,
      });
      secret.applyRemovalPolicy(fate);
      if (apiCredential) Tags.of(secret).add(SECRET_TAGS.handlers, 'true');
      if (source.reconcile) Tags.of(secret).add(SECRET_TAGS.reconcile, 'true');
    }
    const alarms = new Construct(this, 'AlarmSecrets');
    acknowledge(alarms, {
      id: 'AwsSolutions-SMG4',
      reason:
        'Slack, PagerDuty and the receiver of OTLP issue these values; AWS cannot rotate them alone. docs/operate/alarms.md says how.',
    });
    const services = alarmServices(props.deployment);
    for (const name of new Set(services.map(each => alarmSecretName(config, each)))) {
      const id = name.split('/').slice(2).join('-');
      const description = 'URL or key of a service that is told of alarms: docs/operate/alarms.md';
      new CfnSecret(alarms, id, { ...kmsKeyId, name, description }).applyRemovalPolicy(fate);
    }
    if (config.otlp) {
      const name = otlpSecretName(config);
      const description = 'Headers for OpenTelemetry, name=value,name=value: docs/operate/traces.md';
      new CfnSecret(alarms, 'Otlp', { ...kmsKeyId, name, description }).applyRemovalPolicy(fate);
    }
  }

  /** Call it once the tables of the handlers are made. */
  exportHandlerTables(): void {
    this.#exportAll(this.handlers);
  }

  /**
   * Exports name and ARN of each table, queue and bucket, and the master secret, used or not: this stack is deployed first,
   * and CloudFormation refuses to take away an export that a deployed stack still imports. So the last use of a handler's
   * table goes in one deploy, the table in the next.
   */
  #exportAll(below: IConstruct): void {
    for (const each of below.node.findAll()) {
      const isTable = each instanceof CfnGlobalTable || each instanceof CfnTable;
      if (!(isTable || each instanceof CfnBucket || each instanceof CfnQueue || each instanceof CfnSecret)) continue;
      this.exportValue(each.ref);
      if (!(each instanceof CfnSecret)) this.exportValue(each.attrArn);
      if (each instanceof CfnQueue) this.exportValue(each.attrQueueName);
    }
  }

  #scope(parent: Construct, id: string): Construct {
    return (parent.node.tryFindChild(id) as Construct | undefined) ?? new Construct(parent, id);
  }
}
