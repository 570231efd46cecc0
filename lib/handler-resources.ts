import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/** What `handlers/resources.ts` gets to create tables, grants and secrets for handlers. */
interface HandlerResourcesContext {
  /** Name of the environment, e.g. `prod`. */
  readonly environment: string;
  /** True where stored data may be deleted with the stacks (`local`, `dev`). */
  readonly disposable: boolean;
  /** Runs the handlers: grant it what they need. */
  readonly processFunction: IFunction;
  /** Gives the handlers a variable, e.g. a table's name. Throws on a name the gateway itself uses. */
  addEnvironment(name: string, value: string): void;
}

/** Creates what the handlers need, below `scope`. */
export type HandlerResources = (scope: Construct, context: HandlerResourcesContext) => void;
