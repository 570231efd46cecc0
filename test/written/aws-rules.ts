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
const LOCAL_TABLES = 'DynamoDB Local, the store in memory';
const LOCAL_QUEUES = 'ElasticMQ, the queue in memory';
const GROWTH = 'the growth model (bench/growth)';
const EVALUATOR = 'the local evaluator of alarms';
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
    'A conditional write is decided on the item as it is at that moment, and one of two that exclude each other wins.',
    [`${DDB}/WorkingWithItems.html`, 'remembered'],
    [LOCAL_TABLES, 'adapters/contracts/java-services.test.ts'],
  ),
  of(
    'DynamoDB',
    'A transaction is written whole or not at all, and its token makes a repeat within ten minutes the same write.',
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
    'BatchWriteItem takes 25 items, BatchGetItem 100; what was not done comes back and is to be sent again.',
    [`${DDB}/Constraints.html`, 'remembered'],
    [LOCAL_TABLES, 'adapters/dynamodb/batches.test.ts'],
  ),
  of(
    'DynamoDB',
    'A global secondary index is eventually consistent; usually it is behind by less than a second, and no bound is given.',
    [`${DDB}/GSI.html`, 'remembered'],
    ['the store in memory, the models', 'proof/model/arrivals-model.test.ts'],
  ),
  of(
    'DynamoDB',
    'TTL deletes an item up to days late; until then it can still be read.',
    [`${DDB}/TTL.html`, 'remembered'],
    ['the store in memory', 'proof/model/ttl-model.test.ts'],
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
    'A write is billed by each started KB of the larger of the item before and after; a write to an index by itself; a transaction twice; a refused condition too.',
    [`${DDB}/read-write-operations.html`, 'remembered'],
    ['the counting database (bench/billing)', 'bench/dynamodb-units.test.ts'],
  ),
  of(
    'DynamoDB',
    'A new table on demand takes 4,000 write units a second at once, and doubles its highest so far within half an hour.',
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
    'Each index has a warm throughput of its own; raising the table’s raises none of them. An index without capacity throttles writes of its table.',
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
    ['an evaluator in tests', 'lib/synth/rights-of-calls.test.ts'],
  ),
  of(
    'DynamoDB',
    'Who uses a table under a customer’s key needs Encrypt, Decrypt, ReEncrypt, GenerateDataKey, DescribeKey and CreateGrant on it, through DynamoDB.',
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
    'A message is hidden for the visibility timeout, and comes again if it is not deleted by then.',
    [`${SQS}/sqs-visibility-timeout.html`, 'remembered'],
    [LOCAL_QUEUES, 'adapters/contracts/java-services.test.ts'],
  ),
  of(
    'SQS',
    'A message is at most 1 MiB, of characters that XML 1.0 allows.',
    [`${SQS}/quotas-messages.html`, 'remembered'],
    ['the queue in memory', 'adapters/memory/queue/memory-queue.test.ts'],
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
    ['the queue in memory', 'adapters/memory/queue/memory-queue.test.ts'],
  ),
  of(
    'SQS',
    'A queue keeps a message for at most 14 days, counted from the first send, also in a dead-letter queue.',
    [`${SQS}/sqs-dead-letter-queues.html`, 'remembered'],
    ['a check of the configuration', 'core/config/resolve-config.test.ts'],
  ),
  of(
    'SQS',
    'About 120,000 messages of a standard queue may be in flight.',
    [`${SQS}/quotas-queues.html`, '2026-11-22'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'inFlight'],
  ),
  of('SQS', 'Messages with a group id in a standard queue are handed out fairly among groups.', [
    `${SQS}/sqs-fair-queues.html`,
    'remembered',
  ]),
  of(
    'SQS',
    'A FIFO queue takes 300 calls a second of each kind without batching (as a route’s target).',
    [`${SQS}/quotas-fifo.html`, 'remembered'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'fifoSendsPerSecond'],
  ),
  of(
    'SQS',
    'Billed are requests of each started 64 KB.',
    ['aws.amazon.com/sqs/pricing', '2026-11-21'],
    ['the counting queue (bench/billing)', 'bench/billed-units.test.ts'],
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
    'With ReportBatchItemFailures only the named messages come again; an answer it cannot read fails the whole batch.',
    [`${LAMBDA}/services-sqs-errorhandling.html`, 'remembered'],
    ['tests of the answer’s form', 'surfaces/lambdas/exported-handlers.test.ts'],
  ),
  of(
    'Lambda',
    'A request or an answer is at most 6 MB, base64 included.',
    [`${LAMBDA}/gettingstarted-limits.html`, 'remembered'],
    ['our own limit below it', 'proof/journeys/bad-input.test.ts'],
    ['core/config/defaults.ts', "Lambda's 6 MB"],
  ),
  of(
    'Lambda',
    'A chain of a function to itself by a queue is stopped after 16, unless the function allows it.',
    [`${LAMBDA}/invocation-recursion.html`, 'remembered'],
    [undefined, 'lib/synth/functions.test.ts'],
    ['lib/constructs/gateway-function.ts', 'Lambda stops such a chain after 16'],
  ),
  of(
    'Lambda',
    'A function’s resource policy holds 20 KB.',
    [`${LAMBDA}/gettingstarted-limits.html`, 'remembered'],
    ['a count in the template', 'lib/synth/front-door.test.ts'],
  ),
  of(
    'Lambda',
    'An environment is frozen after its answer; what it still does then may never happen.',
    [`${LAMBDA}/lambda-runtime-environment.html`, 'remembered'],
    ['bundles in processes of their own', 'adapters/lifetime.test.ts'],
  ),
  of(
    'Lambda',
    'Code in a template is at most 4,096 characters.',
    [`${DEV}/AWSCloudFormation/latest/UserGuide/aws-properties-lambda-function-code.html`, 'remembered'],
    ['a count in the template', 'lib/set-throttles.test.ts'],
    ['lib/constructs/route-throttles.ts', 'which takes 4,096 characters'],
  ),
];

const DOORS: readonly AwsRule[] = [
  of(
    'API Gateway',
    'An account takes 10,000 requests a second in a region, in bursts of 5,000.',
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
    'Beyond a route’s rate and burst the answer is 429, before any function runs.',
    [`${APIGW}/http-api-throttling.html`, 'remembered'],
    [GROWTH, 'bench/growth.test.ts'],
    ['core/config/gateway-config.ts', 'More get 429'],
  ),
  of(
    'API Gateway',
    'A change of an API while another goes on gets 409 ConflictException.',
    ['github.com/hashicorp/terraform-provider-aws/pull/29735', 'reported'],
    ['the control plane of tests', 'lib/set-throttles.test.ts'],
    ['lib/constructs/set-throttles.ts', 'it answers 409 to a change of an API'],
  ),
  of(
    'API Gateway',
    'The control plane takes ten calls a second of an account, in bursts of 40.',
    [`${APIGW}/limits.html`, 'remembered'],
    ['the control plane of tests', 'lib/set-throttles.test.ts'],
  ),
  of(
    'API Gateway',
    'UpdateStage adds settings of routes and removes none; a setting of a route that is not there is refused.',
    ['github.com/serverless/serverless/issues/12776', 'reported'],
    ['the control plane of tests', 'lib/set-throttles.test.ts'],
    ['lib/constructs/ingest-api.ts', 'API Gateway refuses settings of a route that does not exist yet'],
  ),
  of(
    'API Gateway',
    'An integration waits at most 30 seconds.',
    [`${APIGW}/http-api-quotas.html`, 'remembered'],
    ['timeouts in the template', 'lib/synth/functions.test.ts'],
    ['lib/constructs/ingest-api.ts', 'As long as API Gateway waits at most'],
  ),
  of('API Gateway', 'An HTTP API has 300 routes unless AWS raises it.', [
    `${APIGW}/http-api-quotas.html`,
    'remembered',
  ]),
  of(
    'API Gateway',
    'Names of headers come in lower case, values of one name joined by commas; a body that is no text comes as base64.',
    [`${APIGW}/http-api-develop-integrations-lambda.html`, 'remembered'],
    ['the local AWS', 'surfaces/lambdas/real-rules.test.ts'],
  ),
  of(
    'API Gateway',
    'A variable is put into a line of the access log as it is: a quote in an error’s text breaks the JSON.',
    [`${APIGW}/http-api-logging-variables.html`, '2026-11-24'],
    ['a check of the format', 'lib/synth/front-door.test.ts'],
  ),
  of(
    'API Gateway',
    'A request of each started 512 KB is billed.',
    ['aws.amazon.com/api-gateway/pricing', '2026-11-21'],
    ['the counting gateway (bench/billing)', 'bench/cost.test.ts'],
  ),
  of(
    'CloudFront',
    'Web ACLs and certificates come from us-east-1.',
    [`${DEV}/AmazonCloudFront/latest/DeveloperGuide/cnames-and-https-requirements.html`, 'remembered'],
    ['a check of the configuration', 'core/config/edge-config.test.ts'],
    ['core/config/edge-config.ts', 'CloudFront takes'],
  ),
];

const WATCHING: readonly AwsRule[] = [
  of(
    'CloudWatch',
    'An alarm looks at more periods than it evaluates (the evaluation range); while enough of them have data, missing data is not looked at.',
    [`${CW}/alarms-and-missing-data.html`, '2026-11-24'],
    [EVALUATOR, 'e2e/local-alarms.test.ts'],
  ),
  of(
    'CloudWatch',
    'How long the evaluation range is: AWS gives no number; people saw three periods.',
    ['coderapp.vercel.app/answer/72093282', 'reported'],
    [EVALUATOR, 'e2e/local-alarms.test.ts'],
  ),
  of(
    'CloudWatch',
    'An alarm over a sparse metric stays in ALARM until its last breaching datapoint has left the evaluation range: a second death in that time notifies nobody. (The local evaluator ends it at once.)',
    [`${CW}/alarms-and-missing-data.html`, '2026-11-24'],
  ),
  of(
    'CloudWatch',
    'An alarm over a metric of AWS/DynamoDB keeps its state while data is missing, whatever it says. (The API reference says so; the user guide says that it is a default.)',
    [`${DEV}/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html`, '2026-11-23'],
    [EVALUATOR, 'e2e/local-alarms.test.ts'],
    ['lib/alarms/make-alarm.ts', 'AWS/DynamoDB keeps its state'],
  ),
  of(
    'CloudWatch',
    'An expression has no value in a period in which one of its metrics has none, unless FILL gives one.',
    [`${CW}/using-metric-math.html`, 'remembered'],
    [EVALUATOR, 'e2e/local-alarms.test.ts'],
  ),
  of('CloudWatch', 'A composite alarm is in ALARM as long as its rule is true, and notifies when that changes only.', [
    `${CW}/Create_Composite_Alarm.html`,
    'remembered',
  ]),
  of(
    'CloudWatch',
    'An alarm with a warm-up stays in INSUFFICIENT_DATA and tells nobody for 1 to 2,880 minutes after it is made or changed; data that fills its window ends that sooner, unless it is to wait the whole time.',
    [`${CW}/alarm-warm-up.html`, '2026-11-27'],
    ['the local evaluator of alarms, from its own start', 'lib/synth/alarms.test.ts'],
    ['lib/alarms/make-alarm.ts', 'CloudWatch takes no longer one'],
  ),
  of(
    'CloudWatch',
    'A mute rule names up to 100 alarms, composite ones too, lasts a minute to 15 days, and mutes the actions of each state; what was muted and is still so at its end runs then. (Whether a window may begin in the past it does not say: ours begin at the next minute.)',
    [`${CW}/alarm-mute-rules.html`, '2026-11-27'],
    ['the local AWS (local/emulator/mute_rules.py)', 'e2e/alarm-mutes.test.ts'],
  ),
  of(
    'CloudWatch',
    'A graph takes 500 metrics, a dashboard 2,500, a widget of alarms 100; with more the dashboard is refused.',
    [`${CW}/cloudwatch_limits.html`, 'remembered'],
    ['a count in the template', 'lib/synth/many-sources.test.ts'],
    ['lib/constructs/gateway-dashboard.ts', 'An alarm widget takes 1 to 100 alarms'],
  ),
  of(
    'CloudWatch',
    'A metric in the log of a function (EMF) is a metric within minutes, and is billed by the hours in which it comes.',
    [`${CW}/CloudWatch_Embedded_Metric_Format.html`, 'remembered'],
    [EVALUATOR, 'bench/metric-streams.test.ts'],
  ),
  of(
    'CloudWatch',
    'A period below a minute is 10, 20 or 30 seconds.',
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
    ['a count in the template', 'lib/synth/many-sources.test.ts'],
    ['lib/stacks/add-outputs.ts', 'CloudFormation takes 200 outputs'],
  ),
  of(
    'CloudFormation',
    'An export that a deployed stack imports can neither be changed nor taken away.',
    [`${CFN}/using-cfn-stack-exports.html`, 'remembered'],
    ['ninety changes of configurations', 'lib/synth/transitions.test.ts'],
    ['lib/stacks/data-stack.ts', 'CloudFormation refuses to take'],
  ),
  of(
    'CloudFormation',
    'Resources that left the template are deleted after all others are updated.',
    [`${CFN}/using-cfn-updating-stacks.html`, 'remembered'],
    [],
    ['lib/constructs/route-throttles.ts', 'CloudFormation updates this resource before it deletes a route'],
  ),
  of(
    'CloudFormation',
    'What has the policy Retain is kept when it leaves the template, and its fixed name stays taken.',
    [`${CFN}/aws-attribute-deletionpolicy.html`, 'remembered'],
    ['ninety changes of configurations', 'lib/synth/transitions.test.ts'],
  ),
  of('CloudFormation', 'A custom resource may take an hour to answer.', [
    `${CFN}/aws-resource-cloudformation-customresource.html`,
    'remembered',
  ]),
  of(
    'Secrets Manager',
    'BatchGetSecretValue: 100 calls a second of an account in a region, not adjustable; GetSecretValue: 10,000.',
    [`${DEV}/secretsmanager/latest/userguide/reference_limits.html`, '2026-11-23'],
    [GROWTH, 'bench/growth.test.ts'],
    [QUOTAS, 'secretBatchesPerSecond'],
  ),
  of(
    'Secrets Manager',
    'A second, different value under one request token is refused.',
    [`${DEV}/secretsmanager/latest/apireference/API_PutSecretValue.html`, 'remembered'],
    ['the local AWS', 'adapters/secrets/secrets-manager-values.test.ts'],
    ['adapters/secrets/secrets-manager-values.ts', 'it refuses a second, different value'],
  ),
  of(
    'IAM',
    'A Deny wins over every Allow; a wildcard in an ARN matches any characters.',
    [`${IAM}/reference_policies_evaluation-logic.html`, 'remembered'],
    ['an evaluator in tests', 'lib/synth/secrets-by-role.test.ts'],
  ),
  of(
    'IAM',
    'The inline policies of a role hold 10,240 characters.',
    [`${IAM}/reference_iam-quotas.html`, 'remembered'],
    ['a count in the template', 'lib/synth/many-sources.test.ts'],
  ),
  of(
    'S3',
    'A key with more `..` between slashes than names before them is refused with 400.',
    [`${DEV}/AmazonS3/latest/userguide/object-keys.html`, 'remembered'],
    ['the blobs in memory', 'proof/journeys/bytes.test.ts'],
    ['core/inbound/protocol/event-item.ts', 'S3 answers 400 to keys with more'],
  ),
  of(
    'S3',
    'A missing key is 404 for who may list the bucket, and 403 for others.',
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
    'StartExecution is refilled by 150 to 300 a second (as a route’s target).',
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
    'PutEvents: 400 to 10,000 entries a second by region (as a route’s target).',
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
    ['our own limit', 'core/inbound/routing/envelope.test.ts'],
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
    'A signed call is refused when its time is five minutes off.',
    [`${IAM}/reference_sigv.html`, 'remembered'],
    ['stand-ins with clocks of their own', 'adapters/aws/clock-difference.test.ts'],
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

const cell = (text: string): string => text.replaceAll('|', '\\|');

function tableOf(rules: readonly AwsRule[]): string {
  const rows = rules.map(({ service, rule, source, read, imitatedBy, shownBy }) => {
    const asked = PROBES.some(each => each.rule === rule) ? '; `prove`' : '';
    const shown = `${shownBy === undefined ? 'nothing' : `\`test/${shownBy}\``}${asked}`;
    return `| ${service} | ${cell(rule)} | [page](https://${source}), ${read} | ${imitatedBy ?? 'nothing'} | ${shown} |`;
  });
  return ['| | what AWS does | source, read | imitated by | shown by |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** docs/understand/aws-assumptions.md. */
export function renderAwsPage(): string {
  const [open, shown] = [true, false].map(isOpen =>
    AWS_RULES.filter(each => (each.shownBy === undefined) === isOpen),
  ) as [AwsRule[], AwsRule[]];
  const remembered = AWS_RULES.filter(({ read }) => read === 'remembered').length;
  return `# What we assume of AWS

Written from \`test/written/aws-rules.ts\` by \`npm run write\`. Nothing of this project has run on AWS: each claim rests on AWS's documentation, on reports, or on a stand-in. These are the ${AWS_RULES.length} rules that matter; those with \`prove\` [are asked of AWS](../operate/prove.md).

"Shown by" is a test of ours that fails when our code breaks the rule, or the stand-in does. The date is when somebody read the source. \`reported\`: people say so, AWS does not. \`remembered\`: from memory, the page is where to look (${remembered} rules).

A comment of our code that names a limit of AWS must be in the list: \`test/bench/aws-rules.test.ts\`.

## Nothing here shows these (${open.length})

${tableOf(open)}

## The others (${shown.length})

${tableOf(shown)}
`;
}
