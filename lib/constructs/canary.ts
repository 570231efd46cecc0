import { type Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
  TrafficRouting,
} from 'aws-cdk-lib/aws-codedeploy';
import { Alias, type CfnEventSourceMapping, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { CanaryConfig } from '#core/config/gateway-config.ts';
import { LIVE_ALIAS, type Place } from '#core/names.ts';
import { makeAlarm } from '../alarms/make-alarm.ts';
import { acknowledge } from './acknowledge.ts';
import type { EnvContract, GatewayFunction } from './gateway-function.ts';

/**
 * New versions of functions get a part of the calls for some minutes, and then all of them. One that crashes or times out
 * meanwhile is taken back by CodeDeploy, and CloudFormation undoes the deploy.
 */
export class Canary extends Construct {
  readonly #place: Place;
  readonly #application: LambdaApplication;
  readonly #config: LambdaDeploymentConfig;

  constructor(scope: Construct, id: string, { percent, minutes }: CanaryConfig, place: Place) {
    super(scope, id);
    this.#place = place;
    this.#application = new LambdaApplication(this, 'Application');
    const trafficRouting = TrafficRouting.timeBasedCanary({ interval: Duration.minutes(minutes), percentage: percent });
    this.#config = new LambdaDeploymentConfig(this, 'Config', { trafficRouting });
  }

  /** What its callers name. `page`: id of the alarm whose runbook is followed. `warm`: environments that are kept so. */
  aliasOf(name: string, target: GatewayFunction<EnvContract>, page: string, warm = 0): Alias {
    const alarm = this.#addAlarm(name, target, page);
    const alias = new Alias(target, 'Live', {
      aliasName: LIVE_ALIAS,
      version: target.function.currentVersion as IVersion,
      ...(warm > 0 ? { provisionedConcurrentExecutions: warm } : {}),
    });
    const group = new LambdaDeploymentGroup(this, name, {
      application: this.#application,
      deploymentConfig: this.#config,
      alias,
      alarms: [alarm],
    });
    // The alarm watches the new version before that one gets its first call.
    alias.node.addDependency(group.node.defaultChild ?? group);
    acknowledge(group, {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason:
        'The policy that AWS made for this: aliases of functions and the state of alarms, nothing else that we have.',
    });
    return alias;
  }

  /**
   * What calls the function by itself calls the alias. The mapping stays the one it is, under its own logical name: a second
   * one of the queue would be refused, and this one may have been stopped by a person.
   */
  static move(target: GatewayFunction<EnvContract>, alias: Alias): void {
    for (const each of target.function.node.findAll()) {
      const mapping = each as CfnEventSourceMapping;
      if (mapping.cfnResourceType === 'AWS::Lambda::EventSourceMapping') mapping.functionName = alias.functionArn;
    }
  }

  /** Counts errors of the new version only: those of the version before must not stop the deploy that repairs it. */
  #addAlarm(name: string, target: GatewayFunction<EnvContract>, page: string): Alarm {
    const { functionName, currentVersion } = target.function;
    return makeAlarm(
      this,
      {
        id: `${page}-canary-${name}`,
        severity: 'notice',
        metric: new Metric({
          namespace: 'AWS/Lambda',
          metricName: 'Errors',
          dimensionsMap: {
            FunctionName: functionName,
            Resource: `${functionName}:${LIVE_ALIAS}`,
            ExecutedVersion: currentVersion.version,
          },
          statistic: 'Sum',
          period: Duration.minutes(1),
        }),
        threshold: 1,
        meaning: `A new version of ${name} crashed or timed out, and was taken back.`,
        firstCommand: `npm run holdfast -- logs --of ${name} --errors --env ${this.#place.environment}`,
      },
      this.#place,
    );
  }
}
