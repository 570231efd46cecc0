import type { LogGroupProps } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy } from 'aws-cdk-lib/core';

/** Logs outlive their stack and nobody deletes them by mistake, unless the environment is disposable. */
export function keptLogs(disposable = false): Pick<LogGroupProps, 'removalPolicy' | 'deletionProtectionEnabled'> {
  return disposable
    ? { removalPolicy: RemovalPolicy.DESTROY }
    : { removalPolicy: RemovalPolicy.RETAIN, deletionProtectionEnabled: true };
}
