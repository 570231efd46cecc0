import { randomBytes } from 'node:crypto';
import { PutSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import type { AlarmService } from '#core/alarm-service.ts';
import { alarmSecretName, alarmServices } from '#core/config/alarm-services.ts';
import type { DeployedSource, Deployment } from '#core/config/deployment.ts';
import { type Place, secretName } from '#core/names.ts';
import { secretsManagerVault } from '#operator/aws/secrets-manager-vault.ts';
import { makeSecret } from '#operator/sources/make-secret.ts';
import { readSavedSecrets, type SavedSecret, saveSecrets, secretsFile } from './saved-secrets.ts';

/** `absent`: not deployed yet. `empty`: deployed, and nobody has set a value. */
type StoredSecret = { readonly kind: 'absent' | 'empty' } | { readonly kind: 'set'; readonly current: string };

/** What is stored for a source. Throws when it cannot be read or is malformed. */
async function readStoredSecret(client: SecretsManagerClient, SecretId: string): Promise<StoredSecret> {
  const stored = await secretsManagerVault(client).read(SecretId);
  if (stored.kind !== 'set') return { kind: stored.kind };
  const parsed = parseSecret(stored.text);
  return parsed.kind === 'secret' ? { kind: 'set', current: parsed.secret.current } : { kind: 'empty' };
}

/** Deployed sources that cannot verify anything yet, because nobody has set their secret. */
export async function sourcesWithoutSecret(
  client: SecretsManagerClient,
  deployment: Deployment,
): Promise<readonly DeployedSource[]> {
  const needing = deployment.sources.filter(each => each.needsSecret);
  const stored = await Promise.all(
    needing.map(({ source }) => readStoredSecret(client, secretName(deployment.config, source.id))),
  );
  return needing.filter((_, index) => stored[index]?.kind === 'empty');
}

/** Services that are to be told of alarms and are not, because nobody has set their URL or key. */
export async function alarmServicesWithoutSecret(
  client: SecretsManagerClient,
  deployment: Deployment,
): Promise<readonly AlarmService[]> {
  const byName = [...new Map(alarmServices(deployment).map(each => [alarmSecretName(deployment.config, each), each]))];
  const stored = await Promise.all(byName.map(([name]) => readStoredSecret(client, name)));
  return byName.flatMap(([, service], index) => (stored[index]?.kind === 'set' ? [] : [service]));
}

/**
 * Gives every source of the local environment a secret: the one that is there, else the one of the last run, else a new one.
 * Answers them by source id, and saves them for the next run.
 */
export async function fillLocalSecrets(
  client: SecretsManagerClient,
  deployment: Deployment,
): Promise<ReadonlyMap<string, string>> {
  const { environment } = deployment.config;
  const file = secretsFile(environment);
  const saved = await readSavedSecrets(file);
  const secrets = new Map<string, string>();
  const kept: Record<string, SavedSecret> = {};
  await Promise.all(
    deployment.sources.map(async ({ source, needsSecret }) => {
      if (!needsSecret) return;
      const SecretId = secretName(deployment.config, source.id);
      const stored = await readStoredSecret(client, SecretId);
      const provider = source.spec.id;
      const before = saved[source.id]?.provider === provider ? saved[source.id]?.secret : undefined;
      const secret = stored.kind === 'set' ? stored.current : (before ?? makeSecret(source.spec, randomBytes(32)));
      if (stored.kind !== 'set') await client.send(new PutSecretValueCommand({ SecretId, SecretString: secret }));
      secrets.set(source.id, secret);
      kept[source.id] = { provider, secret };
    }),
  );
  await saveSecrets(file, kept);
  return secrets;
}

/** Saves what was set meanwhile (`holdfast sources set-secret`) for the next run. Never throws: the next look saves it. */
export async function keepLocalSecrets(client: SecretsManagerClient, named: Place): Promise<void> {
  const file = secretsFile(named.environment);
  try {
    const kept: Record<string, SavedSecret> = {};
    for (const [id, { provider }] of Object.entries(await readSavedSecrets(file))) {
      const stored = await readStoredSecret(client, secretName(named, id));
      if (stored.kind === 'set') kept[id] = { provider, secret: stored.current };
    }
    await saveSecrets(file, kept);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}
