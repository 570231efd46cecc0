import { type IGrantable, type IPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { given } from '#core/given.ts';
import { acknowledge } from './acknowledge.ts';
import { keptLogs } from './kept-logs.ts';

/** The variables a function declares in its `env.ts`: name to parser. */
export type EnvContract = Readonly<Record<string, (text: string) => unknown>>;

export interface GatewayFunctionProps<Contract extends EnvContract> {
  readonly description: string;
  /** A bundle made by `bundleFunctions`, with `index.mjs` in it. */
  readonly code: Code;
  /** The function's own `env.ts`. */
  readonly contract: Contract;
  /** A value for every variable of the contract: one that is missing or misspelt does not compile. */
  readonly environment: { readonly [Name in keyof Contract]: string };
  readonly timeout: Duration;
  /** What becomes of an invocation that fails, since the function has no dead-letter target of its own. */
  readonly onFailure: string;
  readonly logRetention: RetentionDays;
  /** @default 512: init runs at full CPU anyway, and the next step costs twice as much per millisecond */
  readonly memoryMb?: number;
  /** @default 'info' */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
  /** Runs kept free for it, which are also its most. @default none */
  readonly reservedConcurrency?: number;
  /** Its messages may come back to it through the queue. @default false: Lambda stops such a chain after 16 */
  readonly sendsToItself?: boolean;
  /** Delete the log group with the stack. @default false */
  readonly disposable?: boolean;
}

/** What a stack says of one of its functions; the rest is the same for all. */
export type FunctionSettings<Contract extends EnvContract> = Omit<
  GatewayFunctionProps<Contract>,
  'code' | 'logRetention' | 'logLevel' | 'disposable' | 'reservedConcurrency'
>;

/** A function of the gateway: Node 24 on arm64, one JSON log group with a retention, a typed environment. */
export class GatewayFunction<Contract extends EnvContract> extends Construct implements IGrantable {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;
  readonly grantPrincipal: IPrincipal;

  constructor(scope: Construct, id: string, props: GatewayFunctionProps<Contract>) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', keptLogs(props.logRetention, props.disposable));
    // Lambda's managed policy would let the function write to every log group of the account.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(role);
    this.function = new LambdaFunction(this, 'Function', {
      description: props.description,
      role,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMb ?? 512,
      timeout: props.timeout,
      code: props.code,
      handler: 'index.handler',
      environment: { ...props.environment },
      logGroup: this.logGroup,
      ...given({ reservedConcurrentExecutions: props.reservedConcurrency }),
      ...(props.sendsToItself ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      loggingFormat: LoggingFormat.JSON,
      // The code filters by itself; metric lines carry no level, which Lambda reads as INFO.
      applicationLogLevelV2: props.logLevel === 'debug' ? ApplicationLogLevel.DEBUG : ApplicationLogLevel.INFO,
      // START and REPORT lines of every invocation would cost more than the table.
      systemLogLevelV2: SystemLogLevel.WARN,
    });
    acknowledge(
      this.function,
      { id: 'Serverless-LambdaDLQ', reason: props.onFailure },
      {
        id: 'Serverless-LambdaTracing',
        reason:
          'X-Ray costs $5 per million traces that it keeps and makes no promise to keep any one of them. The trace id of each request travels through the queue into the log line of every attempt instead.',
      },
    );
    this.grantPrincipal = this.function.grantPrincipal;
  }
}
