/** Loaded with the first event for a state machine (see outside-targets.ts). */
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { given } from '#core/given.ts';
import type { Environment } from '../aws/client-settings.ts';
import type { endCalls } from '../aws/end-calls.ts';
import { type AwsTarget, targetSettings } from './aws-target.ts';
import { judgeAwsError } from './judge-aws-error.ts';

export function createStateMachineTarget(end: typeof endCalls, env?: Environment): AwsTarget {
  const client = end(new SFNClient(targetSettings('SFN', env)));
  return {
    async send(address, { text, keyHash }, abortSignal) {
      try {
        const command = new StartExecutionCommand({ stateMachineArn: address, name: keyHash, input: text });
        const { executionArn: receipt } = await client.send(command, { abortSignal });
        return { kind: 'accepted', ...given({ receipt }) };
      } catch (error) {
        // The name is the run's own key: this run of the event was started before.
        if (error instanceof Error && error.name === 'ExecutionAlreadyExists') {
          return { kind: 'accepted', receipt: 'started before' };
        }
        return judgeAwsError(error);
      }
    },
  };
}
