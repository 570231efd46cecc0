/** `holdfast/publish`: your backend publishes webhooks to your customers with it. It needs Node and nothing else. */

export type { Message } from './message.ts';
export {
  type FieldProblem,
  type Problem,
  PublishDeniedError,
  PublishError,
  PublishRefusedError,
  PublishUnansweredError,
} from './publish-error.ts';
export {
  createPublisher,
  type Published,
  type Publisher,
  type PublisherOptions,
  type PublishResult,
} from './publisher.ts';
