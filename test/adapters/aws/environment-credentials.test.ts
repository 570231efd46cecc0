import { expect, it, vi } from 'vitest';
import { defaultProvider } from '#adapters/aws/environment-credentials.ts';

it('gives a client that was made without credentials those of the function, and says which are missing', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'token');
  expect(await defaultProvider()()).toEqual({
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    sessionToken: 'token',
  });
  vi.stubEnv('AWS_ACCESS_KEY_ID', '');
  await expect(defaultProvider()()).rejects.toThrow(/AWS_ACCESS_KEY_ID/);
  vi.unstubAllEnvs();
});
