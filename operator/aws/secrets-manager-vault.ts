import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { given } from '#core/given.ts';
import type { SecretVault, StoredSecret } from '#operator/gateway.ts';
import { found } from './found.ts';

/** Secrets Manager. */
export function secretsManagerVault(client: SecretsManagerClient): SecretVault {
  return {
    async read(SecretId): Promise<StoredSecret> {
      const described = await found(client.send(new DescribeSecretCommand({ SecretId })));
      if (described === undefined) return { kind: 'absent' };
      // A secret without any version has no value to get: the same error again.
      const value = await found(client.send(new GetSecretValueCommand({ SecretId })));
      const text = value?.SecretString;
      if (text === undefined || text.trim() === '') return { kind: 'empty' };
      const changedAt = (value?.CreatedDate ?? described.LastChangedDate)?.getTime();
      return { kind: 'set', text, ...given({ changedAt }) };
    },
    async write(SecretId, SecretString) {
      await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
    },
  };
}
