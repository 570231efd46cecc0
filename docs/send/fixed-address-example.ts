import { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { HoldfastStage } from 'holdfast/cdk';

/** All that calls addresses of customers: those that send, and those that send tests. */
const SENDERS = ['drain-fast', 'drain-slow', 'delivery-api', 'portal', 'contacts'] as const;

export function sendFrom(stage: HoldfastStage, subnetIds: string[], securityGroupIds: string[]): void {
  for (const name of SENDERS) {
    const sender = stage.delivery?.functions[name]?.function;
    if (sender === undefined) continue;
    (sender.node.defaultChild as CfnFunction).vpcConfig = { subnetIds, securityGroupIds };
    const policy = 'service-role/AWSLambdaVPCAccessExecutionRole';
    sender.role?.addManagedPolicy(ManagedPolicy.fromAwsManagedPolicyName(policy));
  }
}
