import * as library from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** Says why a construct may break a rule of cdk-nag. A CDK that has no place for it (2.250, say) is told nothing. */
export function acknowledge(
  construct: IConstruct,
  ...reasons: readonly { readonly id: string; readonly reason: string }[]
): void {
  const validations: typeof library.Validations | undefined = library.Validations;
  validations?.of(construct).acknowledge(...reasons);
}

/** Says why a policy of a construct may name a resource with a wildcard. cdk-nag wants the resource's exact text. */
export function acknowledgeWildcard(construct: IConstruct, arn: string, reason: string): void {
  const resource = textOf(library.Stack.of(construct).resolve(arn));
  acknowledge(construct, { id: `AwsSolutions-IAM5[Resource::${resource}]`, reason });
}

/** As cdk-nag writes it: a reference is its id in angle brackets. */
function textOf(resolved: unknown): string {
  if (typeof resolved === 'string') return resolved;
  const { Ref, 'Fn::Join': join } = resolved as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
  return join ? join[1].map(textOf).join(join[0]) : `<${Ref}>`;
}
