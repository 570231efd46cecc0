/** Loaded with the first event for a function (see outside-targets.ts). */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { given } from '#core/given.ts';
import type { Delivered } from '#core/inbound/routing/targets.ts';
import type { Environment } from '../aws/client-settings.ts';
import type { endCalls } from '../aws/end-calls.ts';
import { targetSettings } from './aws-target.ts';
import { judgeAwsError } from './judge-aws-error.ts';

/** Asynchronous: the function's own retries and failure destination apply once Lambda has taken the event. */
export function createFunctionTarget(end: typeof endCalls, env?: Environment) {
  const client = end(new LambdaClient(targetSettings('LAMBDA', env)));
  return {
    async send(address: string, { text }: { readonly text: string }, abortSignal: AbortSignal): Promise<Delivered> {
      const Payload = new TextEncoder().encode(text);
      try {
        const command = new InvokeCommand({ FunctionName: address, InvocationType: 'Event', Payload });
        const { $metadata } = await client.send(command, { abortSignal });
        return { kind: 'accepted', ...given({ receipt: $metadata.requestId }) };
      } catch (error) {
        return judgeAwsError(error);
      }
    },
  };
}
