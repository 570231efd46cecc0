/** Compiled, never run, by test/lib/synth/env-contract.test.ts, which expects an error on every marked line and no other. */
import { Code } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { ingestEnv } from '#lambdas/ingest/env.ts';
import { GatewayFunction } from '#lib/constructs/gateway-function.ts';

declare const scope: Construct;
const shared = {
  description: 'A function',
  code: Code.fromInline(''),
  contract: ingestEnv,
  timeout: Duration.seconds(1),
  logRetention: RetentionDays.ONE_DAY,
  onFailure: 'Nothing',
};
const complete = { EVENTS_TABLE: 'e', PAYLOADS_TABLE: 'p', BODIES_BUCKET: 'b', WORK_QUEUE_URL: 'q' };

new GatewayFunction(scope, 'Complete', { ...shared, environment: complete });
const { WORK_QUEUE_URL: _left, ...incomplete } = complete;
new GatewayFunction(scope, 'Missing', { ...shared, environment: incomplete }); // error TS2741
new GatewayFunction(scope, 'Misspelt', { ...shared, environment: { ...incomplete, WORK_QUEUE_URI: 'q' } }); // error TS2561
new GatewayFunction(scope, 'Unknown', { ...shared, environment: { ...incomplete, WORK_QUEUE_URL: 'q', MORE: 'x' } }); // error TS2353
new GatewayFunction(scope, 'NotText', { ...shared, environment: { ...incomplete, WORK_QUEUE_URL: 1 } }); // error TS2322
