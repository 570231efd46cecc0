import { describe, expect, test } from 'vitest';
import { clientSettings } from '#adapters/aws/client-settings.ts';

describe('client settings', () => {
  const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

  test('make two tries with limits that really end them', () => {
    expect(clientSettings('SQS', env)).toMatchObject({
      maxAttempts: 2,
      requestHandler: { connectionTimeout: 300, requestTimeout: 800, throwOnRequestTimeout: true },
    });
  });

  test('take region and credentials from the environment only, a session token included', async () => {
    const settings = clientSettings('DYNAMODB', { ...env, AWS_SESSION_TOKEN: 'token' });
    expect(settings.region).toBe('eu-central-1');
    expect(await settings.credentials()).toEqual({
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      sessionToken: 'token',
    });
    expect(await clientSettings('DYNAMODB', env).credentials()).toEqual({
      accessKeyId: 'key',
      secretAccessKey: 'secret',
    });
    await expect(clientSettings('DYNAMODB', { AWS_REGION: 'x' }).credentials()).rejects.toThrow('AWS_ACCESS_KEY_ID');
    expect(() => clientSettings('DYNAMODB', {})).toThrow('AWS_REGION is not set');
  });

  test('copy no input and no output for a log, and keep the chain of each command', async () => {
    const { logger, cacheMiddleware } = clientSettings('SQS', env);
    expect(Object.keys(logger)).toEqual(['warn']);
    expect(cacheMiddleware).toBe(true);
    const heard = new Promise(resolve => process.once('warning', resolve));
    logger.warn('sockets are at capacity');
    expect(await heard).toMatchObject({ message: 'sockets are at capacity' });
  });

  test('leave nothing that the SDK would look for in files', () => {
    expect(clientSettings('SQS', env)).toMatchObject({
      ignoreConfiguredEndpointUrls: true,
      disableClockSkewCorrection: false,
    });
  });

  test('use an endpoint from the environment, the one of the service before the general one', () => {
    expect(clientSettings('SQS', env)).not.toHaveProperty('endpoint');
    const general = { ...env, AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' };
    expect(clientSettings('SQS', general).endpoint).toBe('http://127.0.0.1:4566');
    const special = { ...general, AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:9324' };
    expect(clientSettings('SQS', special).endpoint).toBe('http://127.0.0.1:9324');
    expect(clientSettings('DYNAMODB', special).endpoint).toBe('http://127.0.0.1:4566');
  });
});
