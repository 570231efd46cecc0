import { describe, expect, test } from 'vitest';
import { clientSettings } from '#adapters/aws/client-settings.ts';
import { toDependencyError } from '#adapters/aws/to-dependency-error.ts';
import { systemAddresses, systemIds, systemRandom, systemTimer } from '#adapters/system.ts';
import { DependencyError } from '#core/errors.ts';

describe('the timer', () => {
  test('gives up on work after the limit, aborts it, and drops its late failure', async () => {
    let aborted = false;
    const result = await systemTimer.limit(20, async signal => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      await systemTimer.sleep(60);
      throw new Error('too late to matter');
    });
    expect(result).toEqual({ kind: 'timed_out' });
    expect(aborted).toBe(true);
    await systemTimer.sleep(80);
  });

  test('passes on what finishes or fails in time', async () => {
    expect(await systemTimer.limit(1_000, async () => 7)).toEqual({ kind: 'finished', value: 7 });
    await expect(systemTimer.limit(1_000, () => Promise.reject(new Error('in time')))).rejects.toThrow('in time');
  });
});

test('addresses are matched against ranges and single addresses of both families', () => {
  const ranges = ['192.0.2.0/24', '198.51.100.7', '2001:db8::/32'];
  for (const inside of ['192.0.2.255', '198.51.100.7', '2001:db8:1::1']) {
    expect(systemAddresses.contains(ranges, inside)).toBe(true);
  }
  for (const outside of ['192.0.3.0', '198.51.100.8', '2001:db9::1', '', 'not an address', '192.0.2.1, 8.8.8.8']) {
    expect(systemAddresses.contains(ranges, outside)).toBe(false);
  }
  expect(systemAddresses.contains([], '192.0.2.1')).toBe(false);
});

test('ids are UUIDs and random numbers are below 1', () => {
  expect(systemIds.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(systemRandom.next()).toBeLessThan(1);
});

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

  test('use an endpoint from the environment, the one of the service before the general one', () => {
    expect(clientSettings('SQS', env)).not.toHaveProperty('endpoint');
    const general = { ...env, AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' };
    expect(clientSettings('SQS', general).endpoint).toBe('http://127.0.0.1:4566');
    const special = { ...general, AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:9324' };
    expect(clientSettings('SQS', special).endpoint).toBe('http://127.0.0.1:9324');
    expect(clientSettings('DYNAMODB', special).endpoint).toBe('http://127.0.0.1:4566');
  });
});

describe('an SDK error', () => {
  const outcomeOf = (fields: Record<string, unknown>): string =>
    toDependencyError('dynamodb', 'PutItem', Object.assign(new Error('message'), fields)).outcome;

  test.each([
    ['a refusal of a first try', { $fault: 'client', $metadata: { attempts: 1 } }, 'not_applied'],
    [
      'a throttle of a first try',
      { name: 'ThrottlingException', $fault: 'client', $metadata: { attempts: 1 } },
      'not_applied',
    ],
    ['a refusal of a second try', { $fault: 'client', $metadata: { attempts: 2 } }, 'unknown'],
    [
      'a malformed request, tried twice',
      { name: 'ValidationException', $fault: 'client', $metadata: { attempts: 2 } },
      'not_applied',
    ],
    ['a failure of the server', { $fault: 'server', $metadata: { attempts: 1 } }, 'unknown'],
    ['a timeout', { name: 'TimeoutError' }, 'unknown'],
    [
      'an answer with status 400 that was cut off',
      { name: 'TimeoutError', $metadata: { httpStatusCode: 400 } },
      'unknown',
    ],
    ['a reset', { code: 'ECONNRESET' }, 'unknown'],
  ])('that is %s', (_name, fields, outcome) => {
    expect(outcomeOf(fields)).toBe(outcome);
  });

  test('keeps its cause and never grows long', () => {
    const cause = new Error('x'.repeat(10_000));
    const error = toDependencyError('sqs', 'SendMessage', cause);
    expect(error.cause).toBe(cause);
    expect(error.message.length).toBeLessThan(600);
    expect(toDependencyError('sqs', 'SendMessage', error)).toBe(error);
    expect(error).toBeInstanceOf(DependencyError);
  });
});
