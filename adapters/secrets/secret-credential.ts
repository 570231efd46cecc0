/** A credential of a provider's API, kept in Secrets Manager and never anywhere else. */
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { DependencyError } from '#core/errors.ts';
import { toDependencyError } from '../aws/to-dependency-error.ts';
import { createSecretsClient } from './secrets-manager-values.ts';

/**
 * A secret text that is read when it is needed and never logged. `secretCredential()` makes one; a test may give its
 * own.
 */
export interface Credential {
  /** Throws DependencyError when it is not set or cannot be read. */
  get(): Promise<string>;
  /** The next `get` reads it anew: it was refused. */
  forget(): void;
}

const FRESH_MS = 5 * 60_000;

/**
 * The text of a secret, read at first use and every five minutes. `name`: e.g. `holdfast/prod/stripe/api`.
 * @example
 * const credential = secretCredential(handlerEnv('API_SECRET_STRIPE'));
 */
export function secretCredential(name: string, client: SecretsManagerClient = createSecretsClient()): Credential {
  let known: { readonly value: Promise<string>; readonly until: number } | undefined;
  return {
    get: async () => {
      if (known && performance.now() < known.until) return known.value;
      const reading = { value: read(name, client), until: performance.now() + FRESH_MS };
      known = reading;
      // A failure is nobody else's answer.
      reading.value.catch(() => {
        if (known === reading) known = undefined;
      });
      return reading.value;
    },
    forget: () => {
      known = undefined;
    },
  };
}

async function read(name: string, client: SecretsManagerClient): Promise<string> {
  const value = await client.send(new GetSecretValueCommand({ SecretId: name })).then(
    found => found.SecretString?.trim(),
    (error: unknown) => {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw toDependencyError('secrets', 'GetSecretValue', error);
    },
  );
  if (value) return value;
  const fix = `aws secretsmanager put-secret-value --secret-id ${name} --secret-string …`;
  throw new DependencyError('secrets', `the secret ${name} has no value; set it: ${fix}`);
}
