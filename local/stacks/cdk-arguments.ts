import type { Deployment } from '#core/config/deployment.ts';

/**
 * What `npm run deploy` and `npm run destroy` ask of the CDK CLI. A protected data stack is not asked to go: CloudFormation
 * refuses, and kept whole it takes the next deploy. All others go: nothing depends on the edge stack, so it is named itself.
 * `assembly` is a synthesis to deploy instead of making one.
 */
export function cdkArguments(
  { config, disposable, edge }: Pick<Deployment, 'config' | 'disposable' | 'edge'>,
  { destroy, yes, assembly }: { readonly destroy: boolean; readonly yes: boolean; readonly assembly?: string },
): readonly string[] {
  const { environment } = config;
  const one = assembly === undefined ? ['-c', `environment=${environment}`] : ['--app', assembly];
  if (destroy) {
    const others = ['Gateway', ...(config.outbound ? ['Delivery'] : []), ...(edge ? ['Edge'] : [])];
    const stacks = disposable ? ['*'] : others;
    return ['destroy', ...stacks.map(each => `${environment}/${each}`), ...one, '--force'];
  }
  return ['deploy', `${environment}/*`, ...one, ...(yes ? ['--require-approval', 'never'] : [])];
}
