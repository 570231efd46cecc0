import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { EnvContract, GatewayFunction } from './gateway-function.ts';

export interface TimetableProps<Contract extends EnvContract> {
  readonly target: GatewayFunction<Contract>;
  /** A run that has waited for longer is dropped: 1 minute to 6 hours. */
  readonly maxEventAge: Duration;
}

interface Entry {
  readonly expression: ScheduleExpression;
  /** What the function is called with. @default nothing of ours */
  readonly input?: Readonly<Record<string, string>>;
}

/** When a function runs by itself. Neither the scheduler nor Lambda repeats a run: the next one makes up for it. */
export class Timetable<Contract extends EnvContract> extends Construct {
  /** Runs the function every minute; a run that waits for longer makes way for the next one. */
  static everyMinute<Contract extends EnvContract>(scope: Construct, id: string, target: GatewayFunction<Contract>) {
    const minute = Duration.minutes(1);
    const schedule = new Timetable(scope, id, { target, maxEventAge: minute });
    schedule.add('Schedule', { expression: ScheduleExpression.rate(minute) });
  }

  readonly #props: TimetableProps<Contract>;
  readonly #role: Role;

  constructor(scope: Construct, id: string, props: TimetableProps<Contract>) {
    super(scope, id);
    this.#props = props;
    const { target, maxEventAge } = props;
    this.#role = new Role(this, 'Role', {
      // Only schedules of this account: else any customer's schedule could be given this role's name.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    this.#role.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.function.functionArn] }),
    );
    // The scheduler hands the run to Lambda's own queue, which would keep it for six hours and try it three times.
    target.function.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
    acknowledge(target, {
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason:
        'A run has nothing of its own to keep: the next one does the same work, and runs that are missing raise an alarm of their own.',
    });
  }

  /** One entry; `id` may be a source's. */
  add(id: string, { expression, input }: Entry): void {
    const { target, maxEventAge } = this.#props;
    new Schedule(this, id, {
      schedule: expression,
      // The L2 target would allow every version of the function as well.
      target: {
        bind: () => ({
          arn: target.function.functionArn,
          role: this.#role,
          ...(input === undefined ? {} : { input: ScheduleTargetInput.fromObject(input) }),
          retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: maxEventAge.toSeconds() },
        }),
      },
    });
  }
}
