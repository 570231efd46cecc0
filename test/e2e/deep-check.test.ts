/** The comparison of `holdfast doctor --deep` on the local AWS: both clients are answered the same, and a difference is seen. */
import { rm } from 'node:fs/promises';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '#adapters/system.ts';
import { createAwsClients } from '#local/emulator/aws-clients.ts';
import { type LocalAws, openLocalAws } from '#local/emulator/emulator.ts';
import { findPython } from '#local/emulator/python.ts';
import { openBothClients } from '#operator/aws/both-clients.ts';
import type { BothClients } from '#operator/gateway.ts';
import { compareClients } from '#operator/health/deep-check.ts';
import type { Check } from '#operator/health/doctor.ts';
import type { Operator } from '#operator/operator.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';
import { freePort } from '#test/kit/free-port.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { reportMissingPython } from './needs-python.ts';

const python = await findPython();
reportMissingPython(python);
const SECRET = 'the-secret-of-the-probe';

describe.skipIf(!python || !isLongRun())('both clients on the local AWS', () => {
  let aws: LocalAws;
  let both: BothClients;
  beforeAll(async () => {
    aws = await openLocalAws(await freePort(), {});
    const { dynamo, sqs, secrets } = createAwsClients(aws);
    await dynamo.send(
      new CreateTableCommand({
        TableName: 'payloads',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['pk', 'sk'].map(AttributeName => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      }),
    );
    const { QueueUrl: workQueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'work' }));
    const Name = 'holdfast/local/holdfast-probe';
    await secrets.send(new CreateSecretCommand({ Name, SecretString: JSON.stringify({ current: SECRET }) }));
    both = openBothClients({
      region: aws.region,
      endpoint: aws.endpoint,
      credentials: async () => aws.credentials,
      names: { payloadsTable: 'payloads', workQueueUrl },
    });
  }, 120_000);
  afterAll(async () => {
    await aws?.stop();
    if (aws) await rm(aws.directory, { recursive: true, force: true });
  });

  async function compare(clients: BothClients): Promise<readonly Check[]> {
    const found: Check[] = [];
    const operator = {
      environment: 'local',
      deployment: { probe: { source: { id: 'holdfast-probe' } } },
      gateway: async () => ({ bothClients: async () => clients, clock: systemClock }),
    } as unknown as Operator;
    await compareClients(operator, makeEventItem('holdfast-probe', 'evt-1'), check => void found.push(check));
    return found;
  }

  it('are answered the same to every call', async () => {
    const [only, ...others] = await compare(both);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ name: 'clients', result: 'ok', text: expect.stringContaining('TransactWriteItems') });
  });

  it('are told apart by a single byte of one answer, and the secret is not printed', async () => {
    const ask: BothClients['ask'] = async call => {
      const { sdk, small } = await both.ask(call);
      const changed = JSON.parse(JSON.stringify(small).replaceAll(SECRET, `${SECRET}x`));
      return { sdk, small: call.service === 'secrets' ? changed : small };
    };
    const found = await compare({ ...both, ask });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ result: 'wrong', text: expect.stringMatching(/^GetSecretValue: SDK answers/) });
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });
});
