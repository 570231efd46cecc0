import { type LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { LIVE_ALIAS } from '#core/names.ts';
import type { ProcessorSwitch } from '#operator/gateway.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { mappingsOf } from './stopped-functions.ts';

/** `ProcessorSwitch` on the event source mapping of the process function. */
export class LambdaProcessor implements ProcessorSwitch {
  readonly #client: LambdaClient;
  readonly #functionName: string;

  constructor(client: LambdaClient, functionName: string) {
    this.#client = client;
    this.#functionName = functionName;
  }

  async state(): Promise<string> {
    return (await this.#mapping()).State ?? 'unknown';
  }

  async set(running: boolean): Promise<void> {
    const { UUID } = await this.#mapping();
    await this.#client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: running }));
  }

  async #mapping() {
    // With a canary the queue calls its alias.
    for (const FunctionName of [this.#functionName, `${this.#functionName}:${LIVE_ALIAS}`]) {
      const [mapping] = await mappingsOf(this.#client, FunctionName);
      if (mapping?.UUID !== undefined) return mapping;
    }
    throw new OperatorError(
      `${this.#functionName} has no event source mapping, so somebody deleted it. Deploy the environment again`,
    );
  }
}
