import { given } from '#core/given.ts';
import type { Delivered, TargetMessage } from '#core/inbound/routing/targets.ts';
import { clientSettings, type Environment, type ServiceName } from '../aws/client-settings.ts';
import { judgeAwsError } from './judge-aws-error.ts';

/** One kind of AWS target; `address` is the ARN. */
export interface AwsTarget {
  send(address: string, message: TargetMessage, signal: AbortSignal): Promise<Delivered>;
}

/** A target that sends by a client; what the service throws is judged. Answers the receipt. */
export function awsTarget<Message = TargetMessage>(
  send: (
    address: string,
    message: Message,
    options: { abortSignal: AbortSignal },
  ) => Promise<string | undefined | Delivered>,
) {
  return {
    async send(address: string, message: Message, abortSignal: AbortSignal): Promise<Delivered> {
      try {
        const receipt = await send(address, message, { abortSignal });
        return typeof receipt === 'object' ? receipt : { kind: 'accepted', ...given({ receipt }) };
      } catch (error) {
        return judgeAwsError(error);
      }
    },
  };
}

/**
 * Settings of a target's client: bodies of up to 1 MB take longer than an item. One try, because the gateway tries again
 * by itself, and the SDK would sit out a `Retry-After` inside the attempt.
 */
export function targetSettings(service: ServiceName, env?: Environment) {
  const longer = { connectionTimeout: 1_000, requestTimeout: 5_000, socketTimeout: 5_000 };
  const settings = clientSettings(service, env);
  return { ...settings, maxAttempts: 1, requestHandler: { ...settings.requestHandler, ...longer } };
}
