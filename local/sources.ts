import { randomBytes } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { gateway } from '#config';
import { type DeployedSource, type Deployment, secretName } from '#core/config/deployment.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { PROVIDERS } from '#providers/index.ts';
import { makeSecret } from './sign-request.ts';

/** One environment of gateway.config.ts, checked. Throws ConfigError with every problem, also for an unknown name. */
export function readDeployment(environment: string): Deployment {
  return resolveDeployment(gateway, environment, PROVIDERS);
}

/** The value stored for a source, or undefined while nobody has set one. */
export async function readSecret(client: SecretsManagerClient, secretId: string): Promise<string | undefined> {
  try {
    const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    return text ? text : undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/** Sources that cannot verify anything yet, because their secret has no value. */
export async function sourcesWithoutSecret(
  client: SecretsManagerClient,
  deployment: Deployment,
): Promise<readonly DeployedSource[]> {
  const environment = deployment.config.environment;
  const checked = await Promise.all(
    deployment.sources.map(async each => {
      const name = secretName(environment, each.source.id);
      return each.needsSecret && (await readSecret(client, name)) === undefined ? each : undefined;
    }),
  );
  return checked.filter(each => each !== undefined);
}

/** Gives every source of the local environment a secret; what is there already is kept. Answers them by source id. */
export async function fillLocalSecrets(
  client: SecretsManagerClient,
  deployment: Deployment,
): Promise<ReadonlyMap<string, string>> {
  const secrets = new Map<string, string>();
  await Promise.all(
    deployment.sources.map(async ({ source, needsSecret }) => {
      if (!needsSecret) return;
      const SecretId = secretName(deployment.config.environment, source.id);
      const present = await readSecret(client, SecretId);
      const current = present === undefined ? makeSecret(source.spec, randomBytes(32)) : currentOf(present);
      if (present === undefined) {
        await client.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify({ current }) }));
      }
      secrets.set(source.id, current);
    }),
  );
  return secrets;
}

/** A stored value is `{"current": …}`, or the bare secret. */
function currentOf(text: string): string {
  try {
    const value = JSON.parse(text) as { current?: unknown };
    if (typeof value.current === 'string') return value.current;
  } catch {
    // Not JSON: the bare secret.
  }
  return text;
}
