/** Loaded with the first event for a function (see outside-targets.ts). */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Environment } from '../aws/client-settings.ts';
import type { endCalls } from '../aws/end-calls.ts';
import { awsTarget, targetSettings } from './aws-target.ts';

/** Asynchronous: the function's own retries and failure destination apply once Lambda has taken the event. */
export function createFunctionTarget(end: typeof endCalls, env?: Environment) {
  const client = end(new LambdaClient(targetSettings('LAMBDA', env)));
  return awsTarget<{ readonly text: string }>(async (address, { text }, options) => {
    const Payload = new TextEncoder().encode(text);
    const command = new InvokeCommand({ FunctionName: address, InvocationType: 'Event', Payload });
    return (await client.send(command, options)).$metadata.requestId;
  });
}
