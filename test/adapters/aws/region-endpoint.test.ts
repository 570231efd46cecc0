import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { resolveEndpointOf } from '#adapters/aws/region-endpoint.ts';

/** Every region the SDK knows, read from the table our bundles leave out. */
function knownRegions(): string[] {
  const core = join(import.meta.dirname, '../../../node_modules/@aws-sdk/core/dist-es');
  const table = readFileSync(join(core, 'submodules/client/util-endpoints/lib/aws/partitions.js'), 'utf8');
  return [...table.matchAll(/"((?:[a-z]+-)+\d)": \{/g)].map(match => match[1] ?? '');
}

// biome-ignore lint/suspicious/noExplicitAny: the clients' own resolvers have three types
type Resolver = (params: any) => { url: URL };
const resolverOf = (client: { config: object }): Resolver =>
  (client.config as { endpointProvider: Resolver }).endpointProvider;
const settings = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };
const services: readonly [name: string, theirs: Resolver][] = [
  ['dynamodb', resolverOf(new DynamoDBClient(settings))],
  ['sqs', resolverOf(new SQSClient(settings))],
  ['secretsmanager', resolverOf(new SecretsManagerClient(settings))],
];

describe('the endpoint of a service in a region', () => {
  it('is compared over all partitions', () => {
    expect(knownRegions().length).toBeGreaterThan(40);
    expect(knownRegions()).toEqual(
      expect.arrayContaining(['cn-north-1', 'us-gov-west-1', 'eusc-de-east-1', 'us-iso-east-1']),
    );
  });

  it.each(services)('of %s is the one the SDK gives, in every region', (service, theirs) => {
    const ours = resolveEndpointOf(service);
    const plain = { UseDualStack: false, UseFIPS: false };
    for (const Region of knownRegions()) {
      expect(ours({ Region }).url.href, Region).toBe(theirs({ Region, ...plain }).url.href);
    }
  });

  it.each(services)('of %s is the configured one where there is one', (service, theirs) => {
    const question = { Region: 'eu-central-1', Endpoint: 'http://127.0.0.1:4566' };
    expect(resolveEndpointOf(service)(question).url.href).toBe(
      theirs({ ...question, UseDualStack: false, UseFIPS: false }).url.href,
    );
  });

  it('is refused for a text that could lead to another host', () => {
    for (const Region of [undefined, '', 'eu-central-1.evil.example/', 'EU', 'x@y']) {
      expect(() => resolveEndpointOf('sqs')({ Region })).toThrow(/not a region/);
    }
  });
});
