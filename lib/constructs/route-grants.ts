import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ResolvedConfig } from '#core/config/resolved-config.ts';
import type { TargetKind } from '#core/inbound/routing/target.ts';
import type { EnvContract, GatewayFunction } from './gateway-function.ts';

/** What a function must be allowed to do to reach a target. */
const ACTIONS: Readonly<Record<Exclude<TargetKind, 'http'>, string>> = {
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
    if (arns.length === 0) continue;
    target.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: [action], resources: arns }));
  }
}
