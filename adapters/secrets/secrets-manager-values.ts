import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { secretName } from '#core/config/deployment.ts';
import type { SourceId } from '#core/glossary.ts';
import { clientSettings, type Environment } from '../aws/client-settings.ts';
import { toDependencyError } from '../aws/to-dependency-error.ts';
import type { SecretValues } from './cached-secrets.ts';

/** The Secrets Manager client of a module's scope. */
export function createSecretsClient(env?: Environment): SecretsManagerClient {
  return new SecretsManagerClient(clientSettings('SECRETS_MANAGER', env));
}

/** Stored secrets in Secrets Manager. */
export class SecretsManagerValues implements SecretValues {
  readonly #client: SecretsManagerClient;
  readonly #environment: string;

  constructor(client: SecretsManagerClient, environment: string) {
    this.#client = client;
    this.#environment = environment;
  }

  async fetch(sourceId: SourceId): Promise<string | undefined> {
    const SecretId = secretName(this.#environment, sourceId);
    try {
      const { SecretString } = await this.#client.send(new GetSecretValueCommand({ SecretId }));
      return SecretString;
    } catch (error) {
      // No such secret, or one that never had a value.
      if (error instanceof ResourceNotFoundException) return undefined;
      throw toDependencyError('secrets', 'GetSecretValue', error);
    }
  }
}
