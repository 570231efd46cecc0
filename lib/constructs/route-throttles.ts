import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { CfnRoute, HttpApi, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { AwsCustomResource, PhysicalResourceId } from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import type { Throttle } from '#core/config/gateway-config.ts';
import { acknowledge } from './acknowledge.ts';
import { acknowledgeWildcard } from './acknowledge-wildcard.ts';

export interface RouteThrottlesProps {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  readonly logRetention: RetentionDays;
  /** By route key, e.g. `POST /webhooks/stripe`. */
  readonly throttles: ReadonlyMap<string, { readonly route: CfnRoute; readonly throttle: Throttle }>;
}

/** Where AwsCustomResource puts its one function of a stack. */
const CALLER = 'AWS679f53fac002430cb0da5b7982bd2287';

/**
 * Throttles of single routes, each a resource of its own. Written into the stage they would stay there when their route
 * goes (`UpdateStage` adds settings and takes none away), and the next change of the stage would fail with "Unable to find
 * Route by key". Each is deleted before its route: docs/decisions/0013.
 */
export class RouteThrottles extends Construct {
  constructor(scope: Construct, id: string, props: RouteThrottlesProps) {
    super(scope, id);
    const { api, stage, throttles } = props;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    const stages = ['', '/routesettings/*'].map(below =>
      Stack.of(this).formatArn({
        service: 'apigateway',
        account: '',
        resource: `/apis/${api.apiId}/stages/*${below}`,
        arnFormat: ArnFormat.NO_RESOURCE_NAME,
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['apigateway:PATCH', 'apigateway:DELETE'], resources: stages }));
    for (const arn of stages) {
      acknowledgeWildcard(
        role,
        arn,
        'The wildcards are the only stage of this one API, whose name begins with a dollar sign, and the keys of its routes.',
      );
    }
    const ofStage = { ApiId: api.apiId, StageName: stage.stageName };
    for (const [key, { route, throttle }] of throttles) {
      const set = {
        service: 'ApiGatewayV2',
        action: 'UpdateStage',
        parameters: {
          ...ofStage,
          RouteSettings: {
            [key]: { ThrottlingRateLimit: throttle.rate, ThrottlingBurstLimit: throttle.burst },
          },
        },
        physicalResourceId: PhysicalResourceId.of(key),
        outputPaths: ['StageName'],
      };
      const setting = new AwsCustomResource(this, key.replaceAll('/', ':'), {
        resourceType: 'Custom::RouteThrottle',
        installLatestAwsSdk: false,
        onCreate: set,
        onUpdate: set,
        onDelete: {
          service: 'ApiGatewayV2',
          action: 'DeleteRouteSettings',
          parameters: { ...ofStage, RouteKey: key },
          ignoreErrorCodesMatching: 'NotFoundException',
        },
        role,
        logGroup,
      });
      setting.node.addDependency(route);
      setting.node.addDependency(stage);
    }
    this.#acknowledgeFunction();
  }

  /** The function that makes the calls is the CDK's own. */
  #acknowledgeFunction(): void {
    const caller = Stack.of(this).node.tryFindChild(CALLER);
    if (caller === undefined) throw new Error(`the CDK has renamed ${CALLER}: give its findings to the new one`);
    const reason =
      'It runs only inside a deployment that changes the throttle of a route; CloudFormation waits for its answer, shows its failure and rolls back.';
    const ids = ['Serverless-LambdaDefaultMemorySize', 'Serverless-LambdaDLQ', 'Serverless-LambdaTracing'];
    acknowledge(caller, ...ids.map(id => ({ id, reason })));
  }
}
