/** What `npm run deploy` asks CloudFormation before it deploys, asked of one that keeps what it is told. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Deployment } from '#core/config/deployment.ts';
import { movedTables } from '#local/stacks/blocked-changes.ts';
import { keptUnderOtherNames } from '#local/stacks/kept-under-other-names.ts';
import { unprotectFailedStack } from '#local/stacks/unprotect-failed-stack.ts';

const stacks: Record<string, { status: string; isProtected: boolean }> = {
  failed: { status: 'ROLLBACK_COMPLETE', isProtected: true },
  alive: { status: 'UPDATE_ROLLBACK_COMPLETE', isProtected: true },
  open: { status: 'ROLLBACK_COMPLETE', isProtected: false },
};
const told: string[] = [];
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const form = new URLSearchParams(text);
  const stack = stacks[form.get('StackName') ?? ''];
  if (form.get('Action') === 'UpdateTerminationProtection') {
    told.push(`${form.get('StackName')} ${form.get('EnableTerminationProtection')}`);
    response.end('<R><UpdateTerminationProtectionResult/></R>');
  } else if (stack === undefined) {
    response.writeHead(400);
    response.end(
      '<ErrorResponse><Error><Code>ValidationError</Code><Message>no such stack</Message></Error></ErrorResponse>',
    );
  } else
    response.end(
      `<R><DescribeStacksResult><Stacks><member><StackName>x</StackName><CreationTime>2026-11-22T00:00:00Z</CreationTime><StackStatus>${stack.status}</StackStatus><EnableTerminationProtection>${stack.isProtected}</EnableTerminationProtection></member></Stacks></DescribeStacksResult></R>`,
    );
});
let client: CloudFormationClient;
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  client = new CloudFormationClient({
    region: 'eu-central-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  });
});
afterAll(() => {
  client.destroy();
  server.close();
});

it('takes the protection off what is left of it, and off no stack that lives', async () => {
  const asked = ['alive', 'open', 'absent', 'failed'].map(name => unprotectFailedStack(client, name));
  expect(await Promise.all(asked)).toEqual([false, false, false, true]);
  expect(told).toEqual(['failed false']);
});

it('finds the tables that a deploy would make anew in the other stack', () => {
  const [table, globalTable] = [{ Type: 'AWS::DynamoDB::Table' }, { Type: 'AWS::DynamoDB::GlobalTable' }];
  const ingest = { Type: 'AWS::Lambda::Function' };
  const gateway = { Resources: { HandlersPaymentsAAAA: table, HandlersOwnBBBB: globalTable, Ingest: ingest } };
  const data = { Resources: { HandlersPaymentsAAAA: globalTable, StoreEventsCCCC: globalTable, Ingest: ingest } };
  expect(movedTables(gateway, data)).toEqual(['HandlersPaymentsAAAA']);
  expect(movedTables({ Resources: { Ingest: ingest } }, data)).toEqual([]);
  expect(movedTables(undefined, data)).toEqual([]);
});

it('finds data that is kept under other names, where a deploy would begin empty', async () => {
  const asked = async (stacks: Readonly<Record<string, boolean>>, prefix: string | undefined, disposable = false) => {
    const client = new CloudFormationClient({ region: 'eu-central-1' });
    const Stacks = Object.entries(stacks).map(([StackName, EnableTerminationProtection]) => ({
      ...{ StackName, EnableTerminationProtection },
    }));
    client.send = (async () => ({ Stacks })) as never;
    const config = { environment: 'prod', ...(prefix === undefined ? {} : { prefix }) } as Deployment['config'];
    return await keptUnderOtherNames(client, { config, disposable }, ['prod', 'staging']);
  };
  const before = { 'holdfast-prod-data': true, 'holdfast-prod-gateway': false };
  expect(await asked(before, 'payments')).toEqual(['holdfast-prod-data']);
  expect(await asked({ 'payments-holdfast-prod-data': true }, undefined)).toEqual(['payments-holdfast-prod-data']);
  expect(await asked({ 'holdfast-production-data': true }, undefined)).toEqual(['holdfast-production-data']);
  // Its own is there; a preview, which holds nothing; an environment of the same configuration; a stack of others; a preview of ours.
  expect(await asked({ ...before, 'orders-holdfast-prod-data': true }, undefined)).toEqual([]);
  expect(await asked({ 'holdfast-pr-7-data': false }, undefined)).toEqual([]);
  expect(await asked({ 'holdfast-staging-data': true }, undefined)).toEqual([]);
  expect(await asked({ 'acme-prod-data': true }, undefined)).toEqual([]);
  expect(await asked(before, 'payments', true)).toEqual([]);
});
