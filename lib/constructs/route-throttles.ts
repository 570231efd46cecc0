import { join } from 'node:path';
import type { CfnRoute, HttpApi, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { ArnFormat, CustomResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { buildSync } from 'esbuild';
import type { Throttle } from '#core/config/throttle.ts';
import { acknowledge, acknowledgeWildcard } from './acknowledge.ts';

export interface RouteThrottlesProps {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  readonly logRetention: RetentionDays;
  /** By route key, e.g. `POST /webhooks/stripe`. */
  readonly throttles: ReadonlyMap<string, { readonly route: CfnRoute; readonly throttle: Throttle }>;
}

/**
 * Throttles of single routes, all of them one custom resource. Written into the stage they would stay there when their route
 * goes (`UpdateStage` adds settings and takes none away), and the next change of the stage would fail with "Unable to find
 * Route by key". CloudFormation updates this resource before it deletes a route: docs/decisions/a-setting-changes-only-its-own-resources.md.
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
    const setter = new LambdaFunction(this, 'Setter', {
      description: 'Sets the throttles of routes during a deploy, one call after another',
      ...{ role, logGroup },
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromInline(setterCode()),
      timeout: Duration.minutes(10),
    });
    this.#acknowledge(setter);
    const entries = [...throttles].map(([key, { throttle }]) => [
      key,
      { rate: String(throttle.rate), burst: String(throttle.burst) },
    ]);
    const settings = new CustomResource(this, 'Settings', {
      resourceType: 'Custom::RouteThrottles',
      serviceToken: setter.functionArn,
      properties: { ApiId: api.apiId, StageName: stage.stageName, Throttles: Object.fromEntries(entries) },
    });
    settings.node.addDependency(stage, role, ...[...throttles.values()].map(({ route }) => route));
  }

  #acknowledge(setter: LambdaFunction): void {
    const reason =
      'It runs only inside a deployment that changes the throttle of a route; CloudFormation waits for its answer, shows its failure and rolls back.';
    const ids = ['Serverless-LambdaDefaultMemorySize', 'Serverless-LambdaDLQ', 'Serverless-LambdaTracing'];
    acknowledge(setter, ...ids.map(id => ({ id, reason })));
  }
}

/** In the template itself, which takes 4,096 characters: no bundle, no asset. */
function setterCode(): string {
  const entry = join(import.meta.dirname, `set-throttles${import.meta.filename.endsWith('.ts') ? '.ts' : '.js'}`);
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    ...{ bundle: true, minify: true, write: false, format: 'cjs', platform: 'node', target: 'node24' },
    external: ['@aws-sdk/*'],
  });
  return outputFiles[0]?.text ?? '';
}
