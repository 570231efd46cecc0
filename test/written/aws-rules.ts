/**
 * The ledger of assumptions: what AWS does, as far as a claim of ours rests on it. docs/understand/aws-assumptions.md is written from it.
 * A rule without `shownBy` is one that nothing here shows: it stands at the top of the page.
 */

import { PROBES } from '#local/prove/probes.ts';

/** Who read the source and when. `reported`: people say so, AWS does not. `remembered`: nobody looked it up for this page. */
type Read = `20${number}-${number}-${number}` | 'reported' | 'remembered';

export interface AwsRule {
  readonly service: string;
  readonly rule: string;
  /** Page of AWS, or where it is reported. */
  readonly source: string;
  readonly read: Read;
  /** What imitates it here. Absent: nothing does. */
  readonly imitatedBy?: string;
  /** A test of ours, as a path below test/. Absent: no proof. */
  readonly shownBy?: string;
  /** Words of our code that name it; a file with them is `inCode[0]`. */
  readonly inCode?: readonly [file: string, words: string];
}

const DEV = 'docs.aws.amazon.com';
const DDB = `${DEV}/amazondynamodb/latest/developerguide`;
const SQS = `${DEV}/AWSSimpleQueueService/latest/SQSDeveloperGuide`;
const CW = `${DEV}/AmazonCloudWatch/latest/monitoring`;
const LAMBDA = `${DEV}/lambda/latest/dg`;
const APIGW = `${DEV}/apigateway/latest/developerguide`;
const CFN = `${DEV}/AWSCloudFormation/latest/UserGuide`;
const IAM = `${DEV}/IAM/latest/UserGuide`;
const LOCAL_TABLES = 'DynamoDB Local, memory';
const LOCAL_QUEUES = 'ElasticMQ, memory';
const GROWTH = 'growth model';
const EVALUATOR = 'local alarms';
const QUOTAS = 'bench/growth/quotas.ts';

const of = (
  service: string,
  rule: string,
  [source, read]: readonly [string, Read],
  [imitatedBy, shownBy]: readonly [(string | undefined)?, string?] = [],
  inCode?: readonly [string, string],
): AwsRule => ({
  ...{ service, rule, source, read },
  ...(imitatedBy === undefined ? {} : { imitatedBy }),
  ...(shownBy === undefined ? {} : { shownBy }),
  ...(inCode === undefined ? {} : { inCode }),
});

const TABLES: readonly AwsRule[] = [
  of(
    'DynamoDB',
    'A key that a table cannot have is a `ValidationException` that names it.',
    [`${DEV}/amazondynamodb/latest/APIReference/CommonErrors.html`, 'remembered'],
    [LOCAL_TABLES, 'adapters/aws/to-dependency-error.test.ts'],
    ['adapters/aws/to-dependency-error.ts', 'DynamoDB refuses a missing, empty, long or wrong key in words only'],
  ),
  of(
    'DynamoDB',
    'A conditional write is decided on the item at that moment; of two that exclude each other one wins.',
    [`${DDB}/WorkingWithItems.html`, 'remembered'],
    [LOCAL_TABLES, 'adapters/contracts/java-services.test.ts'],
  ),
  of(
    'DynamoDB',
    'A transaction is written whole or not at all; with its token, a repeat within ten minutes is the same write.',
    [`${DDB}/transaction-apis.html`, 'remembered'],
    [LOCAL_TABLES, 'adapters/dynamodb/transact.test.ts'],
  ),
  of(
    'DynamoDB',
    'A transaction takes at most 100 items and 4 MB.',
    [`${DDB}/Constraints.html`, 'remembered'],
    [LOCAL_TABLES, 'core/handler/handler-contract.test.ts'],
    ['core/handler/handler-contract.ts', 'Adds DynamoDB writes, up to 99 in all'],
  ),
  of(
    'DynamoDB',
    'An item is at most 400 KB, names of attributes included.',
    [`${DDB}/Constraints.html`, 'remembered'],
    [LOCAL_TABLES, 'adapters/memory/memory-table.test.ts'],
  ),
  of(
    'DynamoDB',
    'A page of Query or Scan ends at 1 MB.',
    [`${DDB}/Query.Pagination.html`, 'remembered'],
    [LOCAL_TABLES, 'adapters/contracts/java-services.test.ts'],
  ),
  of(
    'DynamoDB',
    'BatchWriteItem takes 25 items, BatchGetItem 100; what was not done comes back.',
    [`${DDB}/Constraints.html`, 'remembered'],
    [LOCAL_TABLES, 'adapters/dynamodb/batches.test.ts'],
  ),
  of(
    'DynamoDB',
    'A global secondary index is eventually consistent, without a bound; usually less than a second behind.',
    [`${DDB}/GSI.html`, 'remembered'],
    ['memory, models', 'proof/model/arrivals-model.test.ts'],
  ),
  of(
    'DynamoDB',
    'TTL deletes up to days late; until then an item can be read.',
    [`${DDB}/TTL.html`, 'remembered'],
    ['memory', 'proof/model/ttl-model.test.ts'],
  ),
  of(
    'DynamoDB',
    'A number has up to 38 significant digits.',
    [`${DDB}/HowItWorks.NamingRulesDataTypes.html`, 'remembered'],
    [LOCAL_TABLES, 'adapters/dynamodb/marshal.test.ts'],
    ['core/handler/handler-contract.ts', 'DynamoDB takes'],
  ),
  of(
    'DynamoDB',
    'Redundant parentheses in a condition are refused.',
    [`${DDB}/Expressions.OperatorsAndFunctions.html`, 'remembered'],
    [LOCAL_TABLES, 'core/condition.test.ts'],
    ['adapters/dynamodb/compile-condition.ts', 'DynamoDB refuses redundant parentheses'],
  ),
  of(
    'DynamoDB',
    'A BETWEEN whose bounds are the wrong way round is refused.',
    [`${DDB}/Expressions.OperatorsAndFunctions.html`, 'remembered'],
    [LOCAL_TABLES, 'adapters/contracts/java-services.test.ts'],
    ['adapters/dynamodb/dynamodb-event-store.ts', 'DynamoDB refuses a BETWEEN'],
  ),
  of(
    'DynamoDB',
    'A write is billed by each started KB of the larger item, before or after; an index by itself; a transaction twice; a refused condition too.',
    [`${DDB}/read-write-operations.html`, 'remembered'],
    ['counting database', 'bench/dynamodb-units.test.ts'],
  ),
  of(
    'DynamoDB',
    'A new table on demand takes 4,000 write units a second, and doubles its highest within half an hour.',
    [`${DDB}/on-demand-capacity-mode.html`, '2026-11-22'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'tableFirst'],
  ),
  of(
    'DynamoDB',
    'A table on demand takes up to 40,000 write units a second unless AWS raises it.',
    [`${DDB}/ServiceQuotas.html`, '2026-11-22'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'tableMost'],
  ),
  of(
    'DynamoDB',
    'Each index has its own warm throughput, which the table’s does not raise. An index without capacity throttles its table.',
    [`${DDB}/warm-throughput.html`, '2026-11-24'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'otherFirst'],
  ),
  of(
    'DynamoDB',
    'One partition takes 1,000 write units and 3,000 read units a second.',
    [`${DDB}/bp-partition-key-design.html`, '2026-11-22'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'indexKeyUnits'],
  ),
  of('DynamoDB', 'A table that is restored begins with the throughput of a new one.', [
    `${DDB}/warm-throughput.html`,
    'remembered',
  ]),
  of(
    'DynamoDB',
    'ForAllValues with LeadingKeys holds each key of a call against the role’s list.',
    [`${DDB}/specifying-conditions.html`, 'remembered'],
    ['evaluator in tests', 'lib/synth/rights-of-calls.test.ts'],
  ),
  of(
    'DynamoDB',
    'A table under a customer’s key needs Encrypt, Decrypt, ReEncrypt, GenerateDataKey, DescribeKey and CreateGrant on it, through DynamoDB.',
    [`${DEV}/kms/latest/developerguide/services-dynamodb.html`, 'remembered'],
  ),
];

const QUEUES: readonly AwsRule[] = [
  of(
    'SQS',
    'A standard queue delivers at least once, in any order.',
    [`${SQS}/standard-queues.html`, 'remembered'],
    [LOCAL_QUEUES, 'proof/simulation/simulation.test.ts'],
  ),
  of(
    'SQS',
    'A message is hidden for the visibility timeout, and comes again if not deleted by then.',
    [`${SQS}/sqs-visibility-timeout.html`, 'remembered'],
    [LOCAL_QUEUES, 'adapters/contracts/java-services.test.ts'],
  ),
  of(
    'SQS',
    'A message is at most 1 MiB, of characters that XML 1.0 allows.',
    [`${SQS}/quotas-messages.html`, 'remembered'],
    ['memory', 'adapters/memory/queue/memory-queue.test.ts'],
    ['core/inbound/ingest/record-and-send.ts', 'SQS takes 1 MiB'],
  ),
  of(
    'SQS',
    'A call takes ten messages.',
    [`${SQS}/quotas-messages.html`, 'remembered'],
    [LOCAL_QUEUES, 'adapters/contracts/java-services.test.ts'],
    ['adapters/sqs/send-batch.ts', 'SQS takes ten messages a call'],
  ),
  of(
    'SQS',
    'A delay is at most 15 minutes.',
    [`${SQS}/sqs-delay-queues.html`, 'remembered'],
    ['memory', 'adapters/memory/queue/memory-queue.test.ts'],
  ),
  of(
    'SQS',
    'A message is kept for at most 14 days from its first send, also in a dead-letter queue.',
    [`${SQS}/sqs-dead-letter-queues.html`, 'remembered'],
    ['configuration check', 'core/config/resolve-config.test.ts'],
  ),
  of(
    'SQS',
    'About 120,000 messages may be in flight.',
    [`${SQS}/quotas-queues.html`, '2026-11-22'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'inFlight'],
  ),
  of('SQS', 'A standard queue hands messages out fairly among group ids.', [
    `${SQS}/sqs-fair-queues.html`,
    'remembered',
  ]),
  of(
    'SQS',
    'A FIFO queue (a route’s target) takes 300 calls of each kind a second without batching.',
    [`${SQS}/quotas-fifo.html`, 'remembered'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'fifoSendsPerSecond'],
  ),
  of(
    'SQS',
    'Each started 64 KB is a request on the bill.',
    ['aws.amazon.com/sqs/pricing', '2026-11-21'],
    ['counting queue', 'bench/billed-units.test.ts'],
  ),
];

const FUNCTIONS: readonly AwsRule[] = [
  of(
    'Lambda',
    'An account runs 1,000 environments at once; a new one may run ten.',
    [`${LAMBDA}/gettingstarted-limits.html`, '2026-11-22'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'concurrency'],
  ),
  of(
    'Lambda',
    'A function gets 1,000 more environments in each ten seconds.',
    [`${LAMBDA}/lambda-concurrency.html`, '2026-11-22'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'newEnvironmentsPer10s'],
  ),
  of(
    'Lambda',
    'A mapping of a queue starts with five runs and adds 300 a minute, up to maximumConcurrency.',
    [`${LAMBDA}/services-sqs-scaling.html`, '2026-11-22'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'mappingGrowthPerMinute'],
  ),
  of(
    'Lambda',
    'With ReportBatchItemFailures only named messages come again; an unreadable answer fails the batch.',
    [`${LAMBDA}/services-sqs-errorhandling.html`, 'remembered'],
    ['form of the answer', 'surfaces/lambdas/exported-handlers.test.ts'],
  ),
  of(
    'Lambda',
    'A request or an answer is at most 6 MB, base64 included.',
    [`${LAMBDA}/gettingstarted-limits.html`, 'remembered'],
    ['own limit', 'proof/journeys/bad-input.test.ts'],
    ['core/config/defaults.ts', "Lambda's 6 MB"],
  ),
  of(
    'Lambda',
    'A function that calls itself by a queue is stopped after 16, unless it allows recursion.',
    [`${LAMBDA}/invocation-recursion.html`, 'remembered'],
    [undefined, 'lib/synth/functions.test.ts'],
    ['lib/constructs/gateway-function.ts', 'Lambda stops such a chain after 16'],
  ),
  of(
    'Lambda',
    'A function’s resource policy holds 20 KB.',
    [`${LAMBDA}/gettingstarted-limits.html`, 'remembered'],
    ['template', 'lib/synth/front-door.test.ts'],
  ),
  of(
    'Lambda',
    'An environment freezes after its answer; later work may never happen.',
    [`${LAMBDA}/lambda-runtime-environment.html`, 'remembered'],
    ['bundles in processes', 'adapters/lifetime.test.ts'],
  ),
  of(
    'Lambda',
    'Code in a template is at most 4,096 characters.',
    [`${DEV}/AWSCloudFormation/latest/UserGuide/aws-properties-lambda-function-code.html`, 'remembered'],
    ['template', 'lib/set-throttles.test.ts'],
    ['lib/constructs/route-throttles.ts', 'which takes 4,096 characters'],
  ),
];

const DOORS: readonly AwsRule[] = [
  of(
    'API Gateway',
    'An account takes 10,000 requests a second in a region.',
    [`${APIGW}/limits.html`, '2026-11-22'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'apiPerSecond'],
  ),
  of(
    'API Gateway',
    'The burst of an account is 5,000.',
    [`${APIGW}/limits.html`, '2026-11-22'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'apiBurst'],
  ),
  of(
    'API Gateway',
    'Beyond a route’s rate and burst it answers 429; no function runs.',
    [`${APIGW}/http-api-throttling.html`, 'remembered'],
    [GROWTH, 'bench/growth.test.ts'],
    ['core/config/gateway-config.ts', 'More get 429'],
  ),
  of(
    'API Gateway',
    'A change of an API during another gets 409 ConflictException.',
    ['github.com/hashicorp/terraform-provider-aws/pull/29735', 'reported'],
    ['control plane of tests', 'lib/set-throttles.test.ts'],
    ['lib/constructs/set-throttles.ts', 'it answers 409 to a change of an API'],
  ),
  of(
    'API Gateway',
    'The control plane takes ten calls a second, in bursts of 40.',
    [`${APIGW}/limits.html`, 'remembered'],
    ['control plane of tests', 'lib/set-throttles.test.ts'],
  ),
  of(
    'API Gateway',
    'UpdateStage adds settings of routes and removes none; one of a missing route is refused.',
    ['github.com/serverless/serverless/issues/12776', 'reported'],
    ['control plane of tests', 'lib/set-throttles.test.ts'],
    ['lib/constructs/ingest-api.ts', 'API Gateway refuses settings of a route that does not exist yet'],
  ),
  of(
    'API Gateway',
    'An integration waits at most 30 seconds.',
    [`${APIGW}/http-api-quotas.html`, 'remembered'],
    ['template', 'lib/synth/functions.test.ts'],
    ['lib/constructs/ingest-api.ts', 'As long as API Gateway waits at most'],
  ),
  of('API Gateway', 'An HTTP API has 300 routes unless AWS raises it.', [
    `${APIGW}/http-api-quotas.html`,
    'remembered',
  ]),
  of(
    'API Gateway',
    'Header names come in lower case, their values joined by commas; a body that is no text as base64.',
    [`${APIGW}/http-api-develop-integrations-lambda.html`, 'remembered'],
    ['local AWS', 'surfaces/lambdas/real-rules.test.ts'],
  ),
  of(
    'API Gateway',
    'The access log does not escape variables: a quote in an error’s text breaks the JSON.',
    [`${APIGW}/http-api-logging-variables.html`, '2026-11-24'],
    ['format check', 'lib/synth/front-door.test.ts'],
  ),
  of(
    'API Gateway',
    'Each started 512 KB is a request on the bill of the API.',
    ['aws.amazon.com/api-gateway/pricing', '2026-11-21'],
    ['counting gateway', 'bench/cost.test.ts'],
  ),
  of(
    'CloudFront',
    'Web ACLs and certificates come from us-east-1.',
    [`${DEV}/AmazonCloudFront/latest/DeveloperGuide/cnames-and-https-requirements.html`, 'remembered'],
    ['configuration check', 'core/config/edge-config.test.ts'],
    ['core/config/edge-config.ts', 'CloudFront takes'],
  ),
];

const WATCHING: readonly AwsRule[] = [
  of(
    'CloudWatch',
    'An alarm looks at more periods than it evaluates (the evaluation range); while enough have data, missing data does not count.',
    [`${CW}/alarms-and-missing-data.html`, '2026-11-24'],
    [EVALUATOR, 'e2e/local-alarms.test.ts'],
  ),
  of(
    'CloudWatch',
    'The evaluation range has no documented length; people saw three periods.',
    ['coderapp.vercel.app/answer/72093282', 'reported'],
    [EVALUATOR, 'e2e/local-alarms.test.ts'],
  ),
  of(
    'CloudWatch',
    'An alarm over a sparse metric stays in ALARM until its last breaching datapoint leaves the evaluation range: a second death until then notifies nobody. (Locally it ends at once.)',
    [`${CW}/alarms-and-missing-data.html`, '2026-11-24'],
  ),
  of(
    'CloudWatch',
    'An alarm over a metric of AWS/DynamoDB keeps its state while data is missing, whatever it says (API reference; the user guide calls this a default).',
    [`${DEV}/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html`, '2026-11-23'],
    [EVALUATOR, 'e2e/local-alarms.test.ts'],
    ['lib/alarms/make-alarm.ts', 'AWS/DynamoDB keeps its state'],
  ),
  of(
    'CloudWatch',
    'An expression has no value in a period where one of its metrics has none, unless FILL gives one.',
    [`${CW}/using-metric-math.html`, 'remembered'],
    [EVALUATOR, 'e2e/local-alarms.test.ts'],
  ),
  of('CloudWatch', 'A composite alarm notifies only when its rule becomes true or false.', [
    `${CW}/Create_Composite_Alarm.html`,
    'remembered',
  ]),
  of(
    'CloudWatch',
    'An alarm with a warm-up stays in INSUFFICIENT_DATA for 1 to 2,880 minutes after it is made or changed; data that fills its window ends that sooner, unless it must wait the whole time.',
    [`${CW}/alarm-warm-up.html`, '2026-11-27'],
    ['local alarms', 'lib/synth/alarms.test.ts'],
    ['lib/alarms/make-alarm.ts', 'CloudWatch takes no longer one'],
  ),
  of(
    'CloudWatch',
    'A mute rule names up to 100 alarms, also composite ones, lasts a minute to 15 days, and mutes the actions of each state; those still due at its end run then. (Whether it may begin in the past is not said: ours begin at the next minute.)',
    [`${CW}/alarm-mute-rules.html`, '2026-11-27'],
    ['local AWS', 'e2e/alarm-mutes.test.ts'],
  ),
  of(
    'CloudWatch',
    'A graph takes 500 metrics, a dashboard 2,500, a widget of alarms 100; a dashboard with more is refused.',
    [`${CW}/cloudwatch_limits.html`, 'remembered'],
    ['template', 'lib/synth/many-sources.test.ts'],
    ['lib/constructs/gateway-dashboard.ts', 'An alarm widget takes 1 to 100 alarms'],
  ),
  of(
    'CloudWatch',
    'A metric in a log (EMF) is there within minutes, and billed by the hours in which it comes.',
    [`${CW}/CloudWatch_Embedded_Metric_Format.html`, 'remembered'],
    [EVALUATOR, 'bench/metric-streams.test.ts'],
  ),
  of(
    'CloudWatch',
    'Periods below a minute are 10, 20 and 30 seconds.',
    [`${DEV}/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html`, 'remembered'],
    [undefined, 'lib/synth/alarm-numbers.test.ts'],
    ['lib/alarms/make-alarm.ts', 'what CloudWatch takes as a period'],
  ),
  of(
    'CloudWatch',
    'It publishes to an encrypted topic if the key’s policy lets it.',
    [`${CW}/AlarmThatSendsEmail.html`, 'remembered'],
    [undefined, 'lib/synth/alarms.test.ts'],
    ['lib/constructs/alarm-topics.ts', 'AWS documents none for CloudWatch on a key'],
  ),
  of(
    'SNS',
    'It subscribes nothing but mail addresses by mail.',
    [`${DEV}/sns/latest/api/API_Subscribe.html`, 'remembered'],
    ['refused at synth', 'core/config/resolve-config.test.ts'],
    ['core/config/validate-config.ts', 'SNS refuses any other in the middle of a deploy'],
  ),
  of(
    'SNS',
    'It tries to reach a function for 23 days.',
    [`${DEV}/sns/latest/dg/sns-message-delivery-retries.html`, 'remembered'],
    [],
    ['lib/stacks/gateway-stack.ts', 'SNS tries to reach a function for 23 days'],
  ),
];

const REST: readonly AwsRule[] = [
  of(
    'CloudFormation',
    'A stack has 500 resources and 200 outputs, a template a megabyte.',
    [`${CFN}/cloudformation-limits.html`, 'remembered'],
    ['template', 'lib/synth/many-sources.test.ts'],
    ['lib/stacks/add-outputs.ts', 'CloudFormation takes 200 outputs'],
  ),
  of(
    'CloudFormation',
    'An export that a stack imports can be neither changed nor removed.',
    [`${CFN}/using-cfn-stack-exports.html`, 'remembered'],
    ['ninety configuration changes', 'lib/synth/transitions.test.ts'],
    ['lib/stacks/data-stack.ts', 'CloudFormation refuses to take'],
  ),
  of(
    'CloudFormation',
    'What left the template is deleted after all updates.',
    [`${CFN}/using-cfn-updating-stacks.html`, 'remembered'],
    [],
    ['lib/constructs/route-throttles.ts', 'CloudFormation updates this resource before it deletes a route'],
  ),
  of(
    'CloudFormation',
    'What has the policy Retain outlives its template, and its name stays taken.',
    [`${CFN}/aws-attribute-deletionpolicy.html`, 'remembered'],
    ['ninety configuration changes', 'lib/synth/transitions.test.ts'],
  ),
  of('CloudFormation', 'A custom resource may take an hour to answer.', [
    `${CFN}/aws-resource-cloudformation-customresource.html`,
    'remembered',
  ]),
  of(
    'Secrets Manager',
    'BatchGetSecretValue: 100 calls a second of an account and region, not adjustable; GetSecretValue: 10,000.',
    [`${DEV}/secretsmanager/latest/userguide/reference_limits.html`, '2026-11-23'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'secretBatchesPerSecond'],
  ),
  of(
    'Secrets Manager',
    'A second, different value under one request token is refused.',
    [`${DEV}/secretsmanager/latest/apireference/API_PutSecretValue.html`, 'remembered'],
    ['local AWS', 'adapters/secrets/secrets-manager-values.test.ts'],
    ['adapters/secrets/secrets-manager-values.ts', 'it refuses a second, different value'],
  ),
  of(
    'IAM',
    'A Deny wins over every Allow; a wildcard in an ARN matches any characters.',
    [`${IAM}/reference_policies_evaluation-logic.html`, 'remembered'],
    ['evaluator in tests', 'lib/synth/secrets-by-role.test.ts'],
  ),
  of(
    'IAM',
    'The inline policies of a role hold 10,240 characters.',
    [`${IAM}/reference_iam-quotas.html`, 'remembered'],
    ['template', 'lib/synth/many-sources.test.ts'],
  ),
  of(
    'S3',
    'A key with more `..` between slashes than names before them gets 400.',
    [`${DEV}/AmazonS3/latest/userguide/object-keys.html`, 'remembered'],
    ['memory', 'proof/journeys/bytes.test.ts'],
    ['core/inbound/protocol/event-item.ts', 'S3 answers 400 to keys with more'],
  ),
  of(
    'S3',
    'A missing key is 404 for those who may list the bucket, else 403.',
    [`${DEV}/AmazonS3/latest/API/API_GetObject.html`, 'remembered'],
    [undefined, 'lib/synth/permissions.test.ts'],
    ['lib/constructs/event-store.ts', 'S3 answers 403 instead of 404'],
  ),
  of('S3', 'A lifecycle deletes an object within days of its time.', [
    `${DEV}/AmazonS3/latest/userguide/lifecycle-expire-general-considerations.html`,
    'remembered',
  ]),
  of(
    'Step Functions',
    'StartExecution (a route’s target) is refilled by 150 to 300 a second.',
    [`${DEV}/step-functions/latest/dg/service-quotas.html`, 'remembered'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'startExecutionPerSecond'],
  ),
  of(
    'Step Functions',
    'Beside its rate StartExecution has a bucket of 800 to 1,300.',
    [`${DEV}/step-functions/latest/dg/service-quotas.html`, 'remembered'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'startExecutionBurst'],
  ),
  of(
    'EventBridge',
    'PutEvents (a route’s target): 400 to 10,000 entries a second, by region.',
    [`${DEV}/eventbridge/latest/userguide/eb-quota.html`, 'remembered'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'putEventsPerSecond'],
  ),
  of(
    'EventBridge',
    'A target takes 1 MB; SNS takes 256 KiB.',
    [
      'aws.amazon.com/blogs/compute/more-room-to-build-serverless-services-now-support-payloads-up-to-1-mb',
      'remembered',
    ],
    ['own limit', 'core/inbound/routing/envelope.test.ts'],
    ['core/inbound/routing/envelope.ts', 'Bytes of UTF-8 an AWS target takes'],
  ),
  of(
    'EventBridge',
    'A schedule may start its target more than once.',
    [`${DEV}/scheduler/latest/UserGuide/what-is-scheduler.html`, 'remembered'],
    ['sweepers side by side', 'surfaces/operator/sweeper.test.ts'],
  ),
  of(
    'AWS',
    'A tag has letters, digits, spaces and `+-=._:/@`: 128 of key, 256 of value; no `aws:` in front.',
    [`${DEV}/tag-editor/latest/userguide/best-practices-and-strats.html`, 'remembered'],
    ['refused at synth', 'core/config/resolve-config.test.ts'],
    ['core/config/validate-config.ts', 'AWS refuses any other in the middle of a deploy'],
  ),
  of(
    'AWS',
    'A signed call is refused when its time is five minutes off.',
    [`${IAM}/reference_sigv.html`, 'remembered'],
    ['clocks of their own', 'adapters/aws/clock-difference.test.ts'],
    ['lib/alarms/sweep-alarms.ts', 'AWS refuses a call that is signed five minutes off'],
  ),
  of(
    'AWS',
    'Prices are those of the lists (operator/cost/prices.ts).',
    ['aws.amazon.com/pricing', '2026-11-21'],
    [undefined, 'bench/cost.test.ts'],
  ),
];

export const AWS_RULES: readonly AwsRule[] = [...TABLES, ...QUEUES, ...FUNCTIONS, ...DOORS, ...WATCHING, ...REST];

/** One line a rule: what AWS does, when the source was read, what imitates it, what shows it. */
function lineOf({ rule, source, read, imitatedBy, shownBy }: AwsRule): string {
  const proofs = [
    ...(shownBy === undefined ? [] : [`[${imitatedBy ?? 'a test'}](../../test/${shownBy})`]),
    ...(PROBES.some(each => each.rule === rule) ? ['`prove`'] : []),
  ];
  return `- ${rule} [${read}](https://${source})${proofs.map(it => `; ${it}`).join('')}`;
}

/** docs/understand/aws-assumptions.md. */
export function renderAwsPage(): string {
  const open = AWS_RULES.filter(({ shownBy }) => shownBy === undefined);
  const shown = AWS_RULES.filter(({ shownBy }) => shownBy !== undefined);
  const remembered = AWS_RULES.filter(({ read }) => read === 'remembered').length;
  const sections = [...new Set(shown.map(({ service }) => service))].map(service =>
    [`### ${service}`, ...shown.filter(each => each.service === service).map(lineOf)].join('\n'),
  );
  return `# What we assume of AWS

Made by \`npm run write\` from \`test/written/aws-rules.ts\`. Nothing of this project has run on AWS: each claim rests on documentation, on reports, or on a stand-in. These are the ${AWS_RULES.length} rules that matter.

Behind each rule: when somebody read the source (\`reported\`: people say so, AWS does not; \`remembered\`: from memory, ${remembered} rules); what imitates AWS here, with the test that fails when our code or the stand-in breaks the rule. \`prove\`: [AWS is asked](../operate/prove.md).

## Nothing here shows these (${open.length})

${open.map(each => lineOf({ ...each, rule: `${each.service}: ${each.rule}` })).join('\n')}

## The others (${shown.length})

${sections.join('\n\n')}
`;
}
