import * as library from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Says why a construct may break a rule of cdk-nag. A CDK that is too old for that (before 2.262) is told nothing. */
export function acknowledge(
  construct: IConstruct,
  ...reasons: readonly { readonly id: string; readonly reason: string }[]
): void {
  const validations: typeof library.Validations | undefined = library.Validations;
  validations?.of(construct).acknowledge(...reasons);
}
