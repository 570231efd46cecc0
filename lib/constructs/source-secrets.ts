import { ArnFormat, Stack } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { apiSecretName, type DeployedSource, secretName } from '#core/config/deployment.ts';

/**
 * Allows reading the secrets of these sources, and writing those that a provider hands over in its handshake. By name, so
 * that the code needs no export of the data stack; the six characters Secrets Manager appends are the wildcard.
 */
export function grantSourceSecrets(
  grantee: IGrantable & IConstruct,
  environment: string,
  sources: readonly DeployedSource[],
): void {
  const arnOf = (sourceId: string): string =>
    Stack.of(grantee).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName: `${secretName(environment, sourceId)}-??????`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const allow = (action: string, sourceIds: readonly string[]): void => {
    if (sourceIds.length === 0) return;
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({ actions: [action], resources: sourceIds.map(arnOf) }),
    );
  };
  const secrets = sources.filter(each => each.needsSecret).map(each => each.source);
  const paired = secrets.filter(source => source.spec.handshakes.some(handshake => handshake.store));
  allow(
    'secretsmanager:GetSecretValue',
    secrets.map(source => source.id),
  );
  allow(
    'secretsmanager:PutSecretValue',
    paired.map(source => source.id),
  );
}

/** Allows reading the credentials of the providers' APIs of these sources, by name. */
export function grantApiSecrets(
  grantee: IGrantable & IConstruct,
  environment: string,
  sourceIds: readonly string[],
): void {
  if (sourceIds.length === 0) return;
  const resources = sourceIds.map(sourceId =>
    Stack.of(grantee).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName: `${apiSecretName(environment, sourceId)}-??????`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    }),
  );
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources }),
  );
}
