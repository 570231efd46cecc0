/** The SDK's clients and the small signed ones (docs/decisions/0005) over the same deployed environment, to be compared. */
import * as sdkDynamoDb from '@aws-sdk/client-dynamodb';
import * as sdkSecrets from '@aws-sdk/client-secrets-manager';
import * as sdkSqs from '@aws-sdk/client-sqs';
import { clientSettings } from '#adapters/aws/client-settings.ts';
import * as smallDynamoDb from '#adapters/aws/signed/sdk-dynamodb.ts';
import * as smallSecrets from '#adapters/aws/signed/sdk-secrets-manager.ts';
import * as smallSqs from '#adapters/aws/signed/sdk-sqs.ts';
import type { BothClients, ClientOutcome, DeepCall } from '#operator/gateway.ts';

interface Sender {
  send(command: never): Promise<unknown>;
}
/** The commands of a service by their class names. */
type Commands = Readonly<Record<string, unknown>>;
type Kit = Readonly<Record<DeepCall['service'], readonly [Sender, Commands]>>;

export interface BothClientsOptions {
  readonly region: string;
  readonly endpoint: string | undefined;
  readonly credentials: () => Promise<{
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  }>;
  readonly names: BothClients['names'];
}

export function openBothClients({ region, endpoint, credentials, names }: BothClientsOptions): BothClients {
  const env = { AWS_REGION: region, AWS_ENDPOINT_URL: endpoint };
  const settings = (service: 'DYNAMODB' | 'SQS' | 'SECRETS_MANAGER') => {
    const { requestHandler, ...rest } = clientSettings(service, env);
    // From a laptop the way is longer than from a function.
    const patient = { connectionTimeout: 3_000, requestTimeout: 10_000, socketTimeout: 10_000 };
    return { ...rest, credentials, requestHandler: { ...requestHandler, ...patient } };
  };
  const sdk = {
    dynamodb: [
      new sdkDynamoDb.DynamoDBClient({ ...settings('DYNAMODB'), accountIdEndpointMode: 'disabled' }),
      sdkDynamoDb,
    ],
    sqs: [
      new sdkSqs.SQSClient({
        ...settings('SQS'),
        ...(endpoint === undefined ? {} : { useQueueUrlAsEndpoint: false }),
      }),
      sdkSqs,
    ],
    secrets: [new sdkSecrets.SecretsManagerClient(settings('SECRETS_MANAGER')), sdkSecrets],
  } as unknown as Kit;
  const small = {
    dynamodb: [new smallDynamoDb.DynamoDBClient(settings('DYNAMODB') as never), smallDynamoDb],
    sqs: [new smallSqs.SQSClient(settings('SQS') as never), smallSqs],
    secrets: [new smallSecrets.SecretsManagerClient(settings('SECRETS_MANAGER') as never), smallSecrets],
  } as unknown as Kit;
  return {
    names,
    ask: async call => ({ sdk: await ask(sdk, call, 'sdk'), small: await ask(small, call, 'small') }),
  };
}

async function ask(kit: Kit, { service, operation, input }: DeepCall, client: 'sdk' | 'small'): Promise<ClientOutcome> {
  const [sender, commands] = kit[service];
  const Command = commands[`${operation}Command`] as new (input: object) => never;
  try {
    return { answer: await sender.send(new Command(input(client))) };
  } catch (error) {
    const { name, message, Item, CancellationReasons } = error as Error & Readonly<Record<string, unknown>>;
    return { error: name, message, said: { Item, CancellationReasons } };
  }
}
