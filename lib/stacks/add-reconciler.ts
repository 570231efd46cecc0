import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { apiSecretName, type Deployment } from '#core/config/deployment.ts';
import { reconcileProvidersEnv } from '#lambdas/reconcile-providers/env.ts';
import { toConstructId } from '../construct-id.ts';
import type { GatewayFunction } from '../constructs/gateway-function.ts';
import { grantApiSecrets } from '../constructs/source-secrets.ts';
import type { DataStack } from './data-stack.ts';

type ReconcilerContract = typeof reconcileProvidersEnv;

/** How the stack makes functions and schedules. */
interface StackParts {
  addFunction(
    name: 'reconcile-providers',
    props: {
      readonly description: string;
      readonly contract: ReconcilerContract;
      readonly environment: { readonly [Name in keyof ReconcilerContract]: string };
      readonly timeout: Duration;
      readonly onFailure: string;
    },
  ): GatewayFunction<ReconcilerContract>;
  addSchedule(
    id: string,
    target: IFunction,
    schedule: ScheduleExpression,
    maxEventAge: Duration,
    input: Readonly<Record<string, string>>,
  ): void;
}

/** The function that asks providers what they tried to deliver, with a schedule per source. Undefined: none asks for it. */
export function addReconciler(
  { config, sources }: Deployment,
  { store, queue }: DataStack,
  parts: StackParts,
): GatewayFunction<ReconcilerContract> | undefined {
  const reconciled = sources.map(({ source }) => source).filter(source => source.reconcile);
  if (reconciled.length === 0) return undefined;
  const added = parts.addFunction('reconcile-providers', {
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
  grantApiSecrets(
    added,
    config.environment,
    reconciled.map(source => source.id),
  );
  for (const { id, reconcile } of reconciled) {
    const every = Duration.minutes(reconcile?.everyMinutes ?? 60);
    const name = `ReconcileProviders${toConstructId(id)}`;
    parts.addSchedule(name, added.function, ScheduleExpression.rate(every), every, { source: id });
  }
  return added;
}

/** Lets handlers read the credentials they may use: `API_SECRET_<SOURCE>` is the secret's name. */
export function grantApiCredentials(process: GatewayFunction<never>, { config, sources }: Deployment): void {
  const readable = sources.filter(each => each.apiCredential).map(({ source }) => source.id);
  grantApiSecrets(process, config.environment, readable);
  for (const id of readable) {
    const variable = `API_SECRET_${id.toUpperCase().replaceAll('-', '_')}`;
    process.function.addEnvironment(variable, apiSecretName(config.environment, id));
  }
}
