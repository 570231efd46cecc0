import { createHash } from 'node:crypto';
import {
  BatchGetSecretValueCommand,
  GetSecretValueCommand,
  type GetSecretValueCommandOutput,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { SourceId } from '#core/glossary.ts';
import { type Place, secretName } from '#core/names.ts';
import { checkAnswers } from '../aws/check-answers.ts';
import { clientSettings, type Environment } from '../aws/client-settings.ts';
import { endCalls } from '../aws/end-calls.ts';
import { keptSigner } from '../aws/kept-signer.ts';
import { ownUserAgent } from '../aws/own-user-agent.ts';
import { toDependencyError } from '../aws/to-dependency-error.ts';
import type { SecretValues } from './cached-secrets.ts';

/** As many as one call takes. */
const BATCH = 20;

/** The Secrets Manager client of a module's scope. */
export function createSecretsClient(env?: Environment): SecretsManagerClient {
  const client = new SecretsManagerClient(keptSigner('secretsmanager', clientSettings('SECRETS_MANAGER', env)));
  return endCalls(checkAnswers(ownUserAgent(client)));
}

/** Stored secrets in Secrets Manager. */
export class SecretsManagerValues implements SecretValues {
  readonly #client: SecretsManagerClient;
  readonly #place: Place;

  constructor(client: SecretsManagerClient, place: Place) {
    this.#client = client;
    this.#place = place;
  }

  async fetch(sourceId: SourceId): Promise<string | undefined> {
    return (await this.#read(sourceId))?.SecretString;
  }

  /** One call for twenty (docs/decisions/the-aws-sdk-is-the-one-client.md). What its answer does not hold is missing: all of them if it is refused. */
  async fetchMany(sourceIds: readonly SourceId[]): Promise<ReadonlyMap<SourceId, string>> {
    const byName = new Map(sourceIds.map(id => [secretName(this.#place, id), id]));
    const names = [...byName.keys()];
    const texts = new Map<SourceId, string>();
    const read = async (SecretIdList: string[]): Promise<void> => {
      const answer = await this.#client.send(new BatchGetSecretValueCommand({ SecretIdList }));
      for (const { Name = '', SecretString } of answer.SecretValues ?? []) {
        const id = byName.get(Name);
        if (id !== undefined && typeof SecretString === 'string') texts.set(id, SecretString);
      }
    };
    const calls: Promise<void>[] = [];
    while (names.length > 0) calls.push(read(names.splice(0, BATCH)));
    await Promise.allSettled(calls);
    return texts;
  }

  /**
   * Secrets Manager has no conditional write, but it refuses a second, different value under one request token: with a
   * token made of the version that is replaced, only one of several writers can follow that version.
   */
  async replace(sourceId: SourceId, expected: string, text: string): Promise<boolean> {
    const found = await this.#read(sourceId);
    if (found?.SecretString !== expected || found.VersionId === undefined) return false;
    const SecretId = secretName(this.#place, sourceId);
    const ClientRequestToken = createHash('sha256').update(`after ${found.VersionId}`).digest('hex');
    try {
      await this.#client.send(new PutSecretValueCommand({ SecretId, SecretString: text, ClientRequestToken }));
      return true;
    } catch (error) {
      if (error instanceof ResourceExistsException) return false;
      throw toDependencyError('secrets', 'PutSecretValue', error);
    }
  }

  async #read(sourceId: SourceId): Promise<GetSecretValueCommandOutput | undefined> {
    const SecretId = secretName(this.#place, sourceId);
    try {
      return await this.#client.send(new GetSecretValueCommand({ SecretId }));
    } catch (error) {
      // No such secret, or one that never had a value.
      if (error instanceof ResourceNotFoundException) return undefined;
      throw toDependencyError('secrets', 'GetSecretValue', error);
    }
  }
}
