import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Allows exactly these actions on these resources, where a table's, queue's or topic's own grant would allow more. */
export function allow(
  grantee: IGrantable,
  actions: readonly string[],
  resources: readonly string[],
  conditions: Readonly<Record<string, unknown>> = {},
): void {
  const statement = new PolicyStatement({ actions: [...actions], resources: [...resources], conditions });
  grantee.grantPrincipal.addToPrincipalPolicy(statement);
}
