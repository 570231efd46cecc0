import * as library from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Says why a construct may break a rule of cdk-nag. A CDK that has no place for it (2.250, say) is told nothing. */
export function acknowledge(
  construct: IConstruct,
  ...reasons: readonly { readonly id: string; readonly reason: string }[]
): void {
  const validations: typeof library.Validations | undefined = library.Validations;
  validations?.of(construct).acknowledge(...reasons);
}
