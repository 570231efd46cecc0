/** Replaces `@aws-sdk/client-secrets-manager` in the bundles of `ingest` and `process`. */
import { command, ServiceError, SignedClient } from './signed-client.ts';

export class ResourceExistsException extends ServiceError {}
export class ResourceNotFoundException extends ServiceError {}

const SERVICE = {
  name: 'secretsmanager',
  target: 'secretsmanager',
  jsonVersion: '1.1',
  errors: { ResourceExistsException, ResourceNotFoundException },
} as const;

export class SecretsManagerClient extends SignedClient {
  constructor(settings: ConstructorParameters<typeof SignedClient>[1]) {
    super(SERVICE, settings);
  }
}
export const BatchGetSecretValueCommand = command('BatchGetSecretValue');
export const GetSecretValueCommand = command('GetSecretValue');
export const PutSecretValueCommand = command('PutSecretValue');
