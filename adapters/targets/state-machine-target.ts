/** Loaded with the first event for a state machine (see outside-targets.ts). */
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Environment } from '../aws/client-settings.ts';
import type { endCalls } from '../aws/end-calls.ts';
import { type AwsTarget, awsTarget, targetSettings } from './aws-target.ts';

export function createStateMachineTarget(end: typeof endCalls, env?: Environment): AwsTarget {
  const client = end(new SFNClient(targetSettings('SFN', env)));
  return awsTarget(async (address, { text, keyHash }, options) => {
    const command = new StartExecutionCommand({ stateMachineArn: address, name: keyHash, input: text });
    const started = await client.send(command, options).catch((error: Error) => {
      // The name is the run's own key: this run of the event was started before.
      if (error.name === 'ExecutionAlreadyExists') return { executionArn: 'started before' };
      throw error;
    });
    return started.executionArn;
  });
}
