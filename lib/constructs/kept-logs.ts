import type { LogGroupProps, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy } from 'aws-cdk-lib/core';

/** Logs outlive their stack and nobody deletes them by mistake, unless the environment is disposable. */
export function keptLogs(retention: RetentionDays, disposable = false): LogGroupProps {
  return disposable
    ? { retention, removalPolicy: RemovalPolicy.DESTROY }
    : { retention, removalPolicy: RemovalPolicy.RETAIN, deletionProtectionEnabled: true };
}
