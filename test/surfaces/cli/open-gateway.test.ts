/** Where the CLI looks for an environment, asked of a CloudFormation that notes how it was asked. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { openGateway } from '#operator/aws/open-gateway.ts';
import { PROVIDERS } from '#providers/index.ts';

const ACCOUNT = '123456789012';
const OUTPUTS = ['EventsTable', 'PayloadsTable', 'BodiesBucket', 'WorkQueueUrl', 'DeadQueueUrl', 'ProcessFunction'];
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.headers.authorization ?? '');
  const outputs = ['ApiUrl', ...OUTPUTS].map(
    name => `<member><OutputKey>${name}</OutputKey><OutputValue>https://x</OutputValue></member>`,
  );
  response.end(
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>s</StackName><StackStatus>CREATE_COMPLETE</StackStatus><CreationTime>2026-11-22T00:00:00Z</CreationTime><StackId>arn:aws:cloudformation:eu-central-1:${ACCOUNT}:stack/s/1</StackId><Outputs>${outputs.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  );
});
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});
beforeEach(() => void asked.splice(0));

const open = (place: { region?: string; account?: string }) => {
  const config = defineGateway({ sources: { shop: { provider: 'generic' } }, environments: { prod: place } });
  return openGateway(resolveDeployment(config, 'prod', PROVIDERS), { ...process.env, AWS_REGION: 'us-east-1' });
};

it('goes to the region of the configuration, whatever the shell says', async () => {
  await open({ region: 'eu-central-1' });
  await open({});
  expect(asked.map(it => it.split('/')[2])).toEqual(['eu-central-1', 'us-east-1']);
});

it('works on no environment of another account', async () => {
  await expect(open({ account: '210987654321' })).rejects.toThrow(/210987654321.*123456789012.*AWS_PROFILE/);
  await expect(open({ account: '210987654321' })).rejects.toMatchObject({ kind: 'credentials' });
  await expect(open({ account: ACCOUNT })).resolves.toMatchObject({ apiUrl: 'https://x' });
});
