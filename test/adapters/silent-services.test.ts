import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endCalls } from '#adapters/aws/end-calls.ts';
import { createS3Calls } from '#adapters/s3/s3-client.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { createSecretsClient, SecretsManagerValues } from '#adapters/secrets/secrets-manager-values.ts';
import { systemClock } from '#adapters/system.ts';
import { toSourceId } from '#core/glossary.ts';
import { environmentFor } from '#test/adapters/contracts/dynamodb-tables.ts';
import { livedTime } from '#test/kit/lived-time.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';

describe('a service that never answers', () => {
  let silence: FaultProxy;

  beforeAll(async () => {
    silence = await startFaultProxy('http://127.0.0.1:9');
    silence.always('hang');
  });
  afterAll(() => silence.stop());

  test('makes a secret unreadable within 2 s: the source fails closed', async () => {
    const client = createSecretsClient(environmentFor(silence.url));
    const failures: unknown[] = [];
    const values = new SecretsManagerValues(client, { environment: 'test' });
    const secrets = new CachedSecrets(values, systemClock, (_source, error) => failures.push(error));
    const lived = livedTime();
    expect(await secrets.get(toSourceId('stripe'))).toEqual({ kind: 'unreadable' });
    expect(lived()).toBeLessThan(2_000);
    expect(failures).toMatchObject([{ name: 'DependencyError', dependency: 'secrets', outcome: 'unknown' }]);
  });

  test('ends the put of a large body within 4 s', async () => {
    const calls = createS3Calls(endCalls, environmentFor(silence.url));
    const lived = livedTime();
    await expect(calls.put('bodies', 'key', new Uint8Array(300_000))).rejects.toThrow();
    expect(lived()).toBeLessThan(4_000);
  });
});
