import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { HoldfastStage } from 'holdfast/cdk';

/** All that calls addresses of customers: the two that send, and the two that send tests. */
const SENDERS = ['drain-fast', 'drain-slow', 'delivery-api', 'portal'] as const;

export function sendFrom(stage: HoldfastStage, subnetIds: string[], securityGroupIds: string[]): void {
  for (const name of SENDERS) {
    const sender = stage.delivery?.functions[name]?.function;
    if (sender === undefined) continue;
    (sender.node.defaultChild as CfnFunction).vpcConfig = { subnetIds, securityGroupIds };
    const policy = 'service-role/AWSLambdaVPCAccessExecutionRole';
    sender.role?.addManagedPolicy(ManagedPolicy.fromAwsManagedPolicyName(policy));
  }
}
