/** What functions on this machine call instead of AWS: DynamoDB Local, ElasticMQ, and Secrets Manager with one secret. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { defineGateway, type EnvironmentConfig } from '#core/config/gateway-config.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { type BundleOptions, bundleFunctions } from '#lib/bundling/bundle-functions.ts';
import type { FunctionName } from '#lib/bundling/function-names.ts';
import { PROVIDERS } from '#providers/index.ts';
import { createTables, environmentFor } from '#test/adapters/contracts/dynamodb-tables.ts';
import { startDynamoDbLocal, startElasticMq } from '#test/adapters/contracts/java-services.ts';

/** How a client of this machine's stores is made. */
export const localSettings = (endpoint: string) => ({
  region: 'eu-central-1',
  endpoint,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

/** Starts them, with the product's tables. `places`: folders of their files; without them they are in memory. */
export async function startLocalStores(
  secret: string,
  places: { readonly tables?: string; readonly queues?: string } = {},
) {
  const [tables, queues] = await Promise.all([startDynamoDbLocal(places.tables), startElasticMq(places.queues)]);
  const secrets = await serveSecret(secret);
  await createTables(tables.url);
  const sqs = new SQSClient(localSettings(queues.url));
  return {
    ...{ tables, queues, sqs },
    /** Of the functions. */
    env: {
      ...environmentFor(tables.url),
      AWS_ENDPOINT_URL_SQS: queues.url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    },
    /** Makes a queue. Answers its URL. */
    async queue(QueueName: string, visibilitySeconds: number): Promise<string> {
      const Attributes = { VisibilityTimeout: String(visibilitySeconds) };
      return (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';
    },
    async stop(): Promise<void> {
      sqs.destroy();
      await Promise.all([tables.stop(), queues.stop()]);
      secrets.close();
    },
  };
}

/** Bundles functions of a gateway with one generic source, which log errors alone. Answers where each one's file is. */
export async function bundleLocally(
  local: EnvironmentConfig,
  given: Pick<BundleOptions, 'project' | 'functions' | 'outputFolder'>,
): Promise<(name: FunctionName) => string> {
  const gateway = defineGateway({ sources: { default: { provider: 'generic' } }, environments: { local } });
  const config = { ...resolveConfig(gateway, 'local', PROVIDERS), logLevel: 'error' as const };
  const bundles = (await bundleFunctions({ configs: [config], ...given })).get('local');
  if (!bundles) throw new Error('nothing was bundled');
  return name => join(bundles[name], 'index.mjs');
}

/** Secrets Manager with the one secret, as far as `GetSecretValue` goes. */
async function serveSecret(SecretString: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ SecretString, VersionId: 'one' }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
