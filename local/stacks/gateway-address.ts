import type { LocalAws } from '#local/emulator/emulator.ts';
import type { DeployedStack } from './deployed-stack.ts';

export interface GatewayAddress {
  readonly apiId: string;
  /** Works with every program: by IP address, with the API's id in the path. Without a final slash. */
  readonly url: string;
}

/**
 * Where the deployed HTTP API answers on this machine. The API's own URL (`<id>.execute-api.localhost`) is not found by
 * every resolver (Node's for one), so requests go by IP address.
 */
export function findGateway(aws: LocalAws, stacks: readonly DeployedStack[]): GatewayAddress {
  const apiId = outputOf(stacks, 'ApiId');
  return { apiId, url: `${aws.endpoint}/_aws/execute-api/${apiId}` };
}

/** An output of the deployed stacks by name. Throws, naming it, when no stack has it. */
export function outputOf(stacks: readonly DeployedStack[], name: string): string {
  const value = stacks.map(stack => stack.outputs[name]).find(it => it !== undefined);
  if (value === undefined)
    throw new Error(`None of ${stacks.map(it => it.stackName).join(', ')} has the output ${name}.`);
  return value;
}
