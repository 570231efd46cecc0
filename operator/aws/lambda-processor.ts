import {
  type LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import type { ProcessorSwitch } from '#operator/gateway.ts';
import { OperatorError } from '#operator/operator-error.ts';

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
    const list = new ListEventSourceMappingsCommand({ FunctionName: this.#functionName });
    const { EventSourceMappings: [mapping] = [] } = await this.#client.send(list);
    if (mapping?.UUID === undefined) {
      throw new OperatorError(
        `${this.#functionName} has no event source mapping, so somebody deleted it. Deploy the environment again`,
      );
    }
    return mapping;
  }
}
