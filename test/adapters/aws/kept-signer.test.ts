import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { KeptKeySha256 } from '#adapters/aws/kept-signer.ts';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { createSecretsClient, SecretsManagerValues } from '#adapters/secrets/secrets-manager-values.ts';
import { createSqsClient } from '#adapters/sqs/create-sqs-client.ts';
import { sqsWorkQueue } from '#adapters/sqs/sqs-work-queue.ts';
import { toSourceId } from '#core/glossary.ts';
import { environmentFor } from '#test/adapters/contracts/dynamodb-tables.ts';
import { anyCharacter } from '#test/kit/samples/any-character.ts';

const anyKey = fc.oneof(
  fc.constant(undefined),
  fc.string({ minLength: 1, unit: anyCharacter }),
  fc.uint8Array({ minLength: 1, maxLength: 80 }),
);

test("is the SDK's own hash, of whatever bytes under whatever key", async () => {
  await fc.assert(
    fc.asyncProperty(anyKey, fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 3 }), async (key, parts) => {
      const [ours, theirs] = [new KeptKeySha256(key), new Sha256(key)];
      for (const part of parts) {
        ours.update(part);
        theirs.update(part);
      }
      expect(Buffer.from(await ours.digest())).toEqual(Buffer.from(await theirs.digest()));
    }),
  );
});

test('a hash of bytes in a buffer, too, and one that is used once', async () => {
  const key = Uint8Array.of(1, 2, 3);
  const ours = new KeptKeySha256(key.buffer);
  expect(Buffer.from(await ours.digest())).toEqual(Buffer.from(await new Sha256(key).digest()));
  expect(() => ours.reset()).toThrow('used once');
});

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What reaches a service, and the signature that AWS's signer makes of it with its own hash and a name of the service. */
async function listening(): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      seen.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"x#ValidationException","message":"no"}');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function signatureOf({ method, path, headers, body }: Seen, service: string): Promise<string | undefined> {
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const kept = Object.fromEntries(signed.map(name => [name, String(headers[name])]));
  const signer = new SignatureV4({
    ...{ service, region: 'eu-central-1', sha256: Sha256 },
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const date = String(headers['x-amz-date']).replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5');
  const request = { method, path, protocol: 'http:', hostname: '127.0.0.1', query: {}, headers: kept, body };
  return (await signer.sign(request, { signingDate: new Date(date) })).headers['authorization'];
}

const CALLS = {
  dynamodb: (env: object) =>
    createDynamoDbClient(env as Record<string, string>).send(
      new GetItemCommand({ TableName: 'events', Key: { pk: { S: 'a' } } }),
    ),
  sqs: (env: object) =>
    sqsWorkQueue(createSqsClient(env as Record<string, string>), 'http://127.0.0.1/1/work').send('body', {
      groupId: 'g',
    }),
  secretsmanager: (env: object) =>
    new SecretsManagerValues(createSecretsClient(env as Record<string, string>), { environment: 'test' }).fetch(
      toSourceId('stripe'),
    ),
};

test.each(Object.entries(CALLS))(
  'a call of %s has the signature of its service, and says once who calls',
  async (service, call) => {
    const { url, seen } = await listening();
    await expect(call(environmentFor(url))).rejects.toThrow();
    expect(seen).toHaveLength(1);
    const [request] = seen as [Seen];
    expect(request.headers.authorization).toBe(await signatureOf(request, service));
    expect(request.headers['user-agent']).toMatch(/^app\/holdfast lang\/js md\/nodejs#\d+\./);
    expect(request.headers).not.toHaveProperty('x-amz-user-agent');
  },
);
