import type { SQSClient } from '@aws-sdk/client-sqs';
import type { RouteTarget, TargetKind } from '#core/inbound/routing/target.ts';
import { type Delivered, deliveredBy, type TargetMessage, type Targets } from '#core/inbound/routing/targets.ts';
import type { CustomerMessage, Publisher } from '#core/publisher.ts';
import type { Environment } from '../aws/client-settings.ts';
import { endCalls } from '../aws/end-calls.ts';
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
  readonly #opened = new Map<AwsKind, Promise<AwsTarget>>();
  readonly #outbound: OutboundPlace | undefined;
  readonly #env: Environment | undefined;
  #publisher: Promise<Publisher> | undefined;

  /** `outbound`: where messages to customers go, if a route leads there. */
  constructor(sqs: SQSClient, { env, outbound }: { env?: Environment; outbound?: OutboundPlace | undefined } = {}) {
    this.#outbound = outbound;
    this.#env = env;
    this.#open = {
      event_bus: async () => (await import('./event-bus-target.ts')).createEventBusTarget(endCalls, env),
      queue: async () => createQueueTarget(sqs),
      topic: async () => (await import('./topic-target.ts')).createTopicTarget(endCalls, env),
      function: async () => (await import('./function-target.ts')).createFunctionTarget(endCalls, env),
      state_machine: async () => (await import('./state-machine-target.ts')).createStateMachineTarget(endCalls, env),
    };
  }

  async send(target: RouteTarget, message: TargetMessage, signal: AbortSignal): Promise<Delivered> {
    const { kind, address } = target;
    if (kind === 'http' || kind === 'outbound') throw new RangeError(`nothing is sent to ${kind}`);
    return (await this.#client(kind)).send(address, message, signal);
  }

  post(...call: Parameters<Targets['post']>): Promise<Delivered> {
    return postToUrl(...call);
  }

  async publish(message: CustomerMessage): Promise<Delivered> {
    const place = this.#outbound;
    if (place === undefined)
      throw new RangeError(
        'this function was deployed without `outbound`: add it to the environment, and deploy again',
      );
    this.#publisher ??= import('./outbound-target.ts').then(it => it.createOutboundPublisher(place, this.#env));
    // A file that could not be read now may be readable at the next event.
    this.#publisher.catch(() => {
      this.#publisher = undefined;
    });
    return deliveredBy(await (await this.#publisher).publish(message));
  }

  #client(kind: AwsKind): Promise<AwsTarget> {
    const known = this.#opened.get(kind);
    if (known) return known;
    const opening = this.#open[kind]();
    this.#opened.set(kind, opening);
    // A file that could not be read now may be readable at the next event.
    opening.catch(() => this.#opened.delete(kind));
    return opening;
  }
}
