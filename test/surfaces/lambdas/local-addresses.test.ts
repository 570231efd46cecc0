/** The way to 127.0.0.1 that `npm start` needs is shut on AWS by construction: by configuration, and by the function itself. */
import { expect, it } from 'vitest';
import { localAddresses } from '#lambdas/shared/local-addresses.ts';

const CONFIGURED = ['127.0.0.1'];

it.each([
  ['http://127.0.0.1:4566', CONFIGURED],
  ['http://localhost:4566', CONFIGURED],
  ['http://[::1]:4566', CONFIGURED],
  [undefined, []],
  ['', []],
  ['https://dynamodb.eu-central-1.amazonaws.com', []],
  ['http://127.0.0.1.example.com', []],
  ['http://localhost.example.com', []],
  ['http://10.0.0.7:4566', []],
  ['127.0.0.1:4566', []],
] as const)('with AWS at %s a function may call %j', (endpoint, allowed) => {
  const environment = endpoint === undefined ? {} : { AWS_ENDPOINT_URL: endpoint };
  expect(localAddresses(CONFIGURED, environment)).toEqual(allowed);
});

it('never allows more than was configured', () => {
  expect(localAddresses([], { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' })).toEqual([]);
});
