/** A credential of a provider's API, kept in Secrets Manager and never anywhere else. */
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { DependencyError } from '#core/errors.ts';
import { MINUTE_MS } from '#core/time.ts';
import { toDependencyError } from '../aws/to-dependency-error.ts';
import { createSecretsClient } from './secrets-manager-values.ts';

/**
 * A secret text that is read when it is needed, and never logged. `secretCredential()` makes one. A test may use its
 * own.
 */
export interface Credential {
  /** Throws DependencyError when it is not set or cannot be read. */
  get(): Promise<string>;
  /** Call it when the provider refused the text: the next `get` reads it again. */
  forget(): void;
}

/** The secret is there or not, but nobody has set it. */
export class NoSecretValue extends DependencyError {}

const FRESH_MS = 5 * MINUTE_MS;

/**
 * Makes a credential from a secret in Secrets Manager. It is read at first use and then every five minutes. `name` is the
 * secret's, e.g. `holdfast/prod/stripe/api`.
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
  throw new NoSecretValue('secrets', `the secret ${name} has no value; set it: ${fix}`);
}
