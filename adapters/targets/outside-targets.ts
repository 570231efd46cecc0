import type { SQSClient } from '@aws-sdk/client-sqs';
import type { RouteTarget, TargetKind } from '#core/inbound/routing/target.ts';
import { type Delivered, deliveredBy, type TargetMessage, type Targets } from '#core/inbound/routing/targets.ts';
import type { CustomerMessage, Publisher } from '#core/publisher.ts';
import type { Environment } from '../aws/client-settings.ts';
import { endCalls } from '../aws/end-calls.ts';
import { once } from '../once.ts';
import type { AwsTarget } from './aws-target.ts';
import type { OutboundPlace } from './outbound-target.ts';
import { postToUrl } from './post-to-url.ts';
import { createQueueTarget } from './queue-target.ts';

type AwsKind = Exclude<TargetKind, 'http' | 'outbound'>;

/**
 * `Targets` on AWS and the network. Each client is imported with the first event for its kind; a bundle has only those
 * its configuration routes to (lib/bundling/unused-files.ts). Each is built apart and gets `endCalls` of this file: a copy of it
 * would not know when the work is over.
 */
export class OutsideTargets implements Targets {
  readonly #open: Readonly<Record<AwsKind, () => Promise<AwsTarget>>>;
  readonly #publisher: (() => Promise<Publisher>) | undefined;

  /** `outbound`: where messages to customers go, if a route leads there. */
  constructor(sqs: SQSClient, { env, outbound }: { env?: Environment; outbound?: OutboundPlace | undefined } = {}) {
    this.#publisher =
      outbound && once(async () => (await import('./outbound-target.ts')).createOutboundPublisher(outbound, env));
    this.#open = {
      event_bus: once(async () => (await import('./event-bus-target.ts')).createEventBusTarget(endCalls, env)),
      queue: once(async () => createQueueTarget(sqs)),
      topic: once(async () => (await import('./topic-target.ts')).createTopicTarget(endCalls, env)),
      function: once(async () => (await import('./function-target.ts')).createFunctionTarget(endCalls, env)),
      state_machine: once(async () =>
        (await import('./state-machine-target.ts')).createStateMachineTarget(endCalls, env),
      ),
    };
  }

  async send(target: RouteTarget, message: TargetMessage, signal: AbortSignal): Promise<Delivered> {
    const { kind, address } = target;
    if (kind === 'http' || kind === 'outbound') throw new RangeError(`nothing is sent to ${kind}`);
    return (await this.#open[kind]()).send(address, message, signal);
  }

  post(...call: Parameters<Targets['post']>): Promise<Delivered> {
    return postToUrl(...call);
  }

  async publish(message: CustomerMessage): Promise<Delivered> {
    if (this.#publisher === undefined)
      throw new RangeError(
        'this function was deployed without `outbound`: add it to the environment, and deploy again',
      );
    return deliveredBy(await (await this.#publisher()).publish(message));
  }
}
