import type { Deployment } from '#core/config/deployment.ts';

/**
 * What `npm run deploy` and `npm run destroy` ask of the CDK CLI. A protected data stack is not asked to go: CloudFormation
 * refuses, and kept whole it takes the next deploy. `assembly` is a synthesis to deploy instead of making one.
 */
export function cdkArguments(
  { config, disposable }: Pick<Deployment, 'config' | 'disposable'>,
  { destroy, yes, assembly }: { readonly destroy: boolean; readonly yes: boolean; readonly assembly?: string },
): readonly string[] {
  const { environment } = config;
  const one = assembly === undefined ? ['-c', `environment=${environment}`] : ['--app', assembly];
  if (destroy) return ['destroy', disposable ? `${environment}/*` : `${environment}/Gateway`, ...one, '--force'];
  return ['deploy', `${environment}/*`, ...one, ...(yes ? ['--require-approval', 'never'] : [])];
}
