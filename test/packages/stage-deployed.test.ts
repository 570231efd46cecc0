/**
 * Claim: the gateway as a stage of somebody else's CDK app deploys beside the app's own stack. A handler writes to their
 * table, a route reaches their bus, and every role carries their permissions boundary.
 */

import { randomUUID } from 'node:crypto';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, vi } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { createAwsClients } from '#local/emulator/aws-clients.ts';
import { openLocalAws } from '#local/emulator/emulator.ts';
import { fillLocalSecrets } from '#local/project/stored-secrets.ts';
import { prepareAssembly } from '#local/stacks/assembly.ts';
import { runLocalCdk } from '#local/stacks/cdk-cli.ts';
import { readDeployedStack } from '#local/stacks/deployed-stack.ts';
import { applyFixUps } from '#local/stacks/fix-ups.ts';
import { findGateway } from '#local/stacks/gateway-address.ts';
import { sendHttp } from '#operator/aws/send-http.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/their-app/app.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { REPOSITORY } from './packed-project.ts';

it.skipIf(!isLongRun())(
  'the stage in another app, with its table, bus and boundary, deploys to the local AWS and works',
  async () => {
    const folder = join(REPOSITORY, `.holdfast/their-app-${process.pid}`);
    await mkdir(folder, { recursive: true });
    await cp(join(REPOSITORY, 'test/fixtures/their-app'), folder, { recursive: true });
    const aws = await openLocalAws(await freePort(), {});
    try {
      const clients = createAwsClients(aws);
      const assembly = join(folder, 'cdk.out');
      const cdk = (...args: readonly string[]) => runLocalCdk(aws, args, { cwd: folder });
      await cdk('bootstrap', '--app', '', 'aws://000000000000/us-east-1');
      await cdk('synth', '--app', `${process.execPath} app.ts`, '--quiet', '--output', assembly);
      const { stacks: made } = await prepareAssembly(assembly, 'Webhooks', aws.endpoint);
      const quiet = ['--require-approval', 'never', '--progress', 'events', '--method=direct'];
      await cdk('deploy', '--app', assembly, 'Company', 'Webhooks/*', ...quiet);
      const stacks = await Promise.all(made.map(stack => readDeployedStack(clients.cloudFormation, stack)));
      await applyFixUps(clients, stacks);

      const roles = stacks.flatMap(({ template }) =>
        Object.values(template.Resources ?? {}).filter(({ Type }) => Type === 'AWS::IAM::Role'),
      );
      expect(roles.length).toBeGreaterThan(4);
      for (const { Properties } of roles) expect(JSON.stringify(Properties)).toContain('policy/company-boundary');

      const deployment = resolveDeployment(gateway, 'theirs', PROVIDERS);
      const secrets = await fillLocalSecrets(clients.secrets, deployment);
      const { url } = findGateway(aws, stacks);
      const send = async (id: string, body: object, headers: Readonly<Record<string, string>>) => {
        const source = deployment.sources.find(each => each.source.id === id)?.source;
        if (!source) throw new Error(`no source ${id}`);
        const bytes = Buffer.from(JSON.stringify(body));
        const secret = secrets.get(id) ?? '';
        const signed = signRequest(source.spec, {
          body: bytes,
          headers: { 'content-type': 'application/json', ...headers },
          secret,
          nowMs: Date.now(),
          crypto: nodeCrypto,
        });
        const answer = await sendHttp(`${url}/webhooks/${id}`, {
          method: 'POST',
          headers: signed.headers,
          body: bytes,
        });
        expect(answer.status).toBe(200);
      };

      const order = randomUUID();
      await send('shop', { event_id: order, event_type: 'order.paid', created_at: new Date().toISOString() }, {});
      await send('github', { ref: 'refs/heads/main' }, { 'x-github-event': 'push', 'x-github-delivery': randomUUID() });

      const documents = DynamoDBDocumentClient.from(clients.dynamo);
      const Key = { orderId: `evt_shop.${order}` };
      const row = () => documents.send(new GetCommand({ TableName: 'orders', Key, ConsistentRead: true }));
      await vi.waitFor(async () => expect((await row()).Item).toMatchObject({ timesApplied: 1 }), 60_000);

      const described = await clients.cloudFormation.send(new DescribeStacksCommand({ StackName: 'company' }));
      const QueueUrl = described.Stacks?.[0]?.Outputs?.find(it => it.OutputKey === 'SeenUrl')?.OutputValue ?? '';
      const seen: string[] = [];
      await vi.waitFor(async () => {
        const { Messages = [] } = await clients.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
        seen.push(...Messages.map(({ Body = '' }) => Body));
        expect(seen.join()).toContain('refs/heads/main');
      }, 60_000);
    } finally {
      await aws.stop();
      await Promise.all([folder, aws.directory].map(each => rm(each, { recursive: true, force: true })));
    }
  },
  600_000,
);
