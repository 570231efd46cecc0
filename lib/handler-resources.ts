import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/**
 * What handlers do with an item: `read` is for `context.read()` and the ordering strategies, the others are for the
 * writes of that kind in `context.transact()`.
 */
export type TableNeed = 'read' | 'put' | 'update' | 'delete' | 'check';

/** What `handlers/resources.ts` gets besides the place for its tables. */
export interface HandlerResourcesContext {
  /** Name of the environment, e.g. `prod`. */
  readonly environment: string;
  /** True if stored data may be deleted together with the stacks (`local`, `dev`). */
  readonly disposable: boolean;
  /** The function that runs the handlers. Grant it what they need. */
  readonly processFunction: IFunction;
  /** The environment's `encryptionKey`, for tables of yours. The functions may use it. @default none: keys that AWS owns */
  readonly encryptionKey?: IKey;
  /**
   * A place in the stack `gateway`, for things that can be made again at any time and may refer to the function: alarms,
   * rules. They are deleted with that stack.
   */
  readonly gateway: Construct;
  /** Lets the handlers do these things with the items of a table, and nothing else. */
  grantTable(table: Pick<ITableV2, 'grant'>, ...needs: readonly [TableNeed, ...TableNeed[]]): void;
  /** Gives the handlers a variable, e.g. a table's name. Throws RangeError for a name that the gateway itself uses. */
  addEnvironment(name: string, value: string): void;
}

/**
 * Creates what the handlers need. `scope` is in the stack `data`: tables, queues and secrets made there stay when the stack
 * `gateway` is destroyed, and are there when it is deployed again.
 */
export type HandlerResources = (scope: Construct, context: HandlerResourcesContext) => void;

export const TABLE_ACTIONS: Readonly<Record<TableNeed, string>> = {
  read: 'dynamodb:GetItem',
  put: 'dynamodb:PutItem',
  update: 'dynamodb:UpdateItem',
  delete: 'dynamodb:DeleteItem',
  check: 'dynamodb:ConditionCheckItem',
};
