import { type LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { LIVE_ALIAS } from '#core/names.ts';
import { deployAgain } from '#operator/deploy-again.ts';
import type { ProcessorSwitch } from '#operator/gateway.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { mappingsOf } from './stopped-functions.ts';

/** The event source mapping of the process function. */
export function lambdaProcessor(client: LambdaClient, functionName: string): ProcessorSwitch {
  const mapping = async () => {
    // With a canary the queue calls its alias.
    for (const each of [functionName, `${functionName}:${LIVE_ALIAS}`]) {
      const [found] = await mappingsOf(client, each);
      if (found?.UUID !== undefined) return found;
    }
    throw new OperatorError(
      `${functionName} has no event source mapping, so somebody deleted it. A deploy alone does not bring it back: ${deployAgain('<environment>')}`,
    );
  };
  return {
    state: async () => (await mapping()).State ?? 'unknown',
    async set(Enabled) {
      const { UUID } = await mapping();
      await client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
    },
  };
}
