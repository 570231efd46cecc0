import { HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { acknowledge } from './constructs/acknowledge.ts';
import { GatewayFunction } from './constructs/gateway-function.ts';
import type { HandlerResources, HandlerResourcesContext } from './handler-resources.ts';

/** What the environment `drill` has beside the project's own resources: a table in which drills count effects. */
export function withDrills(own: HandlerResources): HandlerResources {
  return (scope, context) => {
    own(scope, context);
    makeTable(scope, context);
  };
}

function makeTable(scope: Construct, context: HandlerResourcesContext): TableV2 {
  const drills = new TableV2(scope, 'Drills', {
    partitionKey: { name: 'id', type: AttributeType.STRING },
    removalPolicy: RemovalPolicy.DESTROY,
  });
  context.grantTable(drills, 'update');
  context.addEnvironment('DRILLS_TABLE', drills.tableName);
  return drills;
}

const GOES_WITH_IT =
  'It is deleted within the hour, with all that it held: a run of `holdfast prove` made it for itself.';

/** What an environment of `holdfast prove` has in place of the project's own: the table, and the function in `bundle`. */
export function proveResources(bundle: string): HandlerResources {
  return (scope, context) => {
    const table = makeTable(scope, context);
    const { gateway: place } = context;
    const prove = new GatewayFunction(place, 'Prove', {
      description: 'Sends the events of `holdfast prove`, and is the endpoints of its customers',
      code: Code.fromAsset(bundle),
      contract: { PROVE_TABLE: String },
      environment: { PROVE_TABLE: table.tableName },
      timeout: Duration.minutes(5),
      memoryMb: 1_024,
      onFailure: `The program that called it calls again. ${GOES_WITH_IT}`,
      logRetention: RetentionDays.ONE_DAY,
      disposable: true,
    });
    table.grant(prove, 'dynamodb:GetItem', 'dynamodb:UpdateItem');
    const api = new HttpApi(place, 'ProveApi');
    const integration = new HttpLambdaIntegration('Endpoints', prove.function);
    api.addRoutes({ path: '/{app}/{kind}', methods: [HttpMethod.POST], integration });
    acknowledge(
      api,
      { id: 'AwsSolutions-APIG1', reason: `No log of its requests is read. ${GOES_WITH_IT}` },
      { id: 'Serverless-APIGWAccessLogging', reason: `No log of its requests is read. ${GOES_WITH_IT}` },
      {
        id: 'Serverless-APIGWDefaultThrottling',
        reason: `The concurrency that is kept for its function is its limit. ${GOES_WITH_IT}`,
      },
      {
        id: 'AwsSolutions-APIG4',
        reason: `It stands for endpoints of customers, which anybody may call; it checks signatures itself. ${GOES_WITH_IT}`,
      },
    );
    const output = (name: string, value: string): CfnOutput => new CfnOutput(Stack.of(place), name, { value });
    output('ProveFunction', prove.function.functionName);
    output('ProveApiId', api.apiId);
    output('ProveApiUrl', api.apiEndpoint);
    output('ProveTable', table.tableName);
  };
}
