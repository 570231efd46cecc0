/**
 * Makes what was deleted outside of the stacks: an update with the same template leaves it away, and what is made by hand
 * stands in the way of the next change. https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/drift-aware-change-sets.html
 */
export const deployAgain = (environment: string): string =>
  `npx cdk deploy '${environment}/*' -c environment=${environment} --revert-drift`;
