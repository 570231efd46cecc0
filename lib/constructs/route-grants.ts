import type { ResolvedConfig } from '#core/config/resolved-config.ts';
import type { TargetKind } from '#core/inbound/routing/target.ts';
import { toCustomers } from '#core/inbound/routing/target.ts';
import type { outboundRouteEnv } from '#lambdas/process/env.ts';
import { allow } from './allow.ts';
import type { DeliveryQueues } from './delivery-queues.ts';
import type { EnvContract, GatewayFunction } from './gateway-function.ts';
import type { OutboundStore } from './outbound-store.ts';

/** What a function must be allowed to do to reach a target. */
const ACTIONS: Readonly<Record<Exclude<TargetKind, 'http' | 'outbound'>, string>> = {
  event_bus: 'events:PutEvents',
  queue: 'sqs:SendMessage',
  topic: 'sns:Publish',
  function: 'lambda:InvokeFunction',
  state_machine: 'states:StartExecution',
};

/** Lets a function send to exactly the targets of the configured routes. */
export function grantRoutes(target: GatewayFunction<EnvContract>, { sources }: Pick<ResolvedConfig, 'sources'>): void {
  const targets = sources.flatMap(source => (source.routes ?? []).flatMap(route => route.targets));
  for (const [kind, action] of Object.entries(ACTIONS)) {
    const arns = [...new Set(targets.filter(it => it.kind === kind).map(it => it.address))].sort();
    if (arns.length > 0) allow(target, [action], arns);
  }
}

/** Lets a function publish to customers, where a route leads to them: reads applications, puts a message, sends its job. */
export function grantOutboundRoutes(
  target: GatewayFunction<EnvContract>,
  { sources }: Pick<ResolvedConfig, 'sources'>,
  { store, queues }: { readonly store: OutboundStore; readonly queues: DeliveryQueues },
): void {
  if (!sources.some(toCustomers)) return;
  store.grant(target, 'registry', { actions: ['GetItem'], leading: ['A#*', 'U#*'] });
  store.grant(target, 'outbox', { actions: ['PutItem'], leading: ['M#*'] });
  queues.grantSend(target, queues.jobs);
  const variables: { readonly [Name in keyof typeof outboundRouteEnv]: string } = {
    REGISTRY_TABLE: store.tables.registry.tableName,
    OUTBOX_TABLE: store.tables.outbox.tableName,
    JOBS_QUEUE_URL: queues.jobs.queueUrl,
  };
  for (const [name, value] of Object.entries(variables)) target.function.addEnvironment(name, value);
}
