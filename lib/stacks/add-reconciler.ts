import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Deployment } from '#core/config/deployment.ts';
import { apiSecretName } from '#core/names.ts';
import { reconcileProvidersEnv } from '#lambdas/reconcile-providers/env.ts';
import type { FunctionSettings, GatewayFunction } from '../constructs/gateway-function.ts';
import { grantApiSecrets } from '../constructs/source-secrets.ts';
import { Timetable } from '../constructs/timetable.ts';
import type { DataStack } from './data-stack.ts';

type ReconcilerContract = typeof reconcileProvidersEnv;

/** The function that asks providers what they tried to deliver, with a schedule per source. Undefined: none asks for it. */
export function addReconciler(
  scope: Construct,
  { config, sources }: Deployment,
  { store, queue }: DataStack,
  addFunction: (settings: FunctionSettings<ReconcilerContract>) => GatewayFunction<ReconcilerContract>,
): GatewayFunction<ReconcilerContract> | undefined {
  const reconciled = sources.map(({ source }) => source).filter(source => source.reconcile);
  if (reconciled.length === 0) return undefined;
  const added = addFunction({
    description: 'Asks providers what they tried to deliver, and lets in what never arrived',
    contract: reconcileProvidersEnv,
    environment: {
      EVENTS_TABLE: store.events.tableName,
      PAYLOADS_TABLE: store.payloads.tableName,
      BODIES_BUCKET: store.bodies.bucketName,
      WORK_QUEUE_URL: queue.main.queueUrl,
    },
    timeout: Duration.minutes(15),
    onFailure: 'The next run goes on where it stopped; hours without progress raise reconcile-providers-behind.',
  });
  // GetItem: how far the last run came.
  store.grantEvents(added, 'dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
  store.grantPayloads(added, 'dynamodb:PutItem', 'dynamodb:UpdateItem');
  store.grantBodies(added, 's3:PutObject');
  queue.grantSend(added);
  grantApiSecrets(added, config, 'reconcile');
  const timetable = new Timetable(scope, 'ReconcileProvidersSchedule', {
    target: added,
    maxEventAge: Duration.minutes(15),
  });
  for (const { id, reconcile } of reconciled) {
    const every = Duration.minutes(reconcile?.everyMinutes ?? 60);
    timetable.add(id, { expression: ScheduleExpression.rate(every), input: { source: id } });
  }
  return added;
}

/** Lets handlers read the credentials they may use: `API_SECRET_<SOURCE>` is the secret's name. */
export function grantApiCredentials(process: GatewayFunction<never>, { config, sources }: Deployment): void {
  const readable = sources.filter(each => each.apiCredential).map(({ source }) => source.id);
  if (readable.length > 0) grantApiSecrets(process, config, 'handlers');
  for (const id of readable) {
    const variable = `API_SECRET_${id.toUpperCase().replaceAll('-', '_')}`;
    process.function.addEnvironment(variable, apiSecretName(config, id));
  }
}
