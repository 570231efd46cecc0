/**
 * Runs in the tree of the version before the packages (upgrade.test.ts puts it there): deploys that version to a local AWS,
 * leaves events in every state, says what it left, and stays until its standard input ends.
 */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { LambdaClient, ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { runOnAws } from '#test/e2e/cli-on-aws.ts';
import { GatewayUnderTest, genericEvent, pkOf } from '#test/e2e/gateway-under-test.ts';

const gateway = await GatewayUnderTest.start();
const { aws } = gateway;
const MINUTE = 60_000;

async function send(type: string, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => genericEvent(type));
  for (const event of events) {
    const { status } = await gateway.sendUntilAcknowledged('default', event);
    if (status !== 200) throw new Error(`${type} was answered ${status}`);
  }
  return events.map(event => event.pk);
}

async function until(pks: readonly string[], statuses: readonly string[]): Promise<void> {
  for (const pk of pks) await gateway.waitFor(pk as never, item => statuses.includes(item.status), 2 * MINUTE);
}

async function cli(...args: string[]): Promise<void> {
  const { code, stderr } = await runOnAws(gateway, args);
  if (code !== 0) throw new Error(`holdfast ${args.join(' ')} ended with ${code}: ${stderr}`);
}

const left: Record<string, string[]> = {
  completed: await send('test.effect', 3),
  dead: await send('test.schema', 3),
  replayed: await send('test.schema.replayed', 3),
  waiting: await send('test.throws', 2),
};
await until(left['completed'] ?? [], ['completed']);
await until([...(left['dead'] ?? []), ...(left['replayed'] ?? [])], ['dead_letter']);
await until(left['waiting'] ?? [], ['failed', 'deferred']);

await cli('pause', 'stripe', '--why', 'upgrade', '--yes');
// Functions look at pauses anew every few seconds.
await wait(15_000);
const payments = ['1', '2'].map(nr => ({
  id: `evt_parked${nr}_${Date.now()}`,
  payment: `pi_parked${nr}_${Date.now()}`,
}));
for (const { id, payment } of payments) {
  const created = Math.floor(Date.now() / 1000);
  const object = { id: payment, object: 'payment_intent', amount: 100, amount_received: 100, currency: 'eur' };
  const body = JSON.stringify({ id, object: 'event', type: 'payment_intent.succeeded', created, data: { object } });
  await gateway.sendUntilAcknowledged('stripe', { body, headers: { 'content-type': 'application/json' } });
}
left['parked'] = payments.map(({ id }) => pkOf('stripe', id));
await until(left['parked'], ['deferred']);

// From here on nothing is processed until the new version does it.
const { endpoint, region, credentials } = aws;
const lambda = new LambdaClient({ endpoint, region, credentials });
const { EventSourceMappings: mappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
for (const { UUID } of mappings) await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
await wait(3_000);
left['pending'] = await send('test.effect', 3);
// Fixed: the handler goes by this row.
const documents = DynamoDBDocumentClient.from(gateway.clients.dynamo);
const TableName = gateway.physicalId(/^HandlersPayments/);
await documents.send(new PutCommand({ TableName, Item: { paymentId: 'schema mended' } }));
await cli(
  'replay',
  '--type',
  'test.schema.replayed',
  '--since',
  '1h',
  '--why',
  'fixed',
  '--rate',
  '1',
  '--detach',
  '--yes',
);

process.stdout.write(`READY ${JSON.stringify({ endpoint, left })}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
await gateway.stop();
process.exit(0);
