/** Loaded with the first event for a bus (see outside-targets.ts). */
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Environment } from '../aws/client-settings.ts';
import type { endCalls } from '../aws/end-calls.ts';
import { type AwsTarget, awsTarget, targetSettings } from './aws-target.ts';
import { judgeAwsError } from './judge-aws-error.ts';

/** Longest `detail-type` (docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsRequestEntry.html). */
const DETAIL_TYPE = 128;

export function createEventBusTarget(end: typeof endCalls, env?: Environment): AwsTarget {
  const client = end(new EventBridgeClient(targetSettings('EVENTBRIDGE', env)));
  return awsTarget(async (address, { text, source, eventType }, options) => {
    const entry = {
      EventBusName: address,
      Source: `holdfast.${source}`,
      DetailType: eventType.slice(0, DETAIL_TYPE),
      Detail: text,
    };
    const { Entries: entries } = await client.send(new PutEventsCommand({ Entries: [entry] }), options);
    const { EventId: receipt, ErrorCode: name, ErrorMessage: message } = entries?.[0] ?? {};
    if (receipt !== undefined) return receipt;
    // The answer is a 200 with the refusal of this one entry in it.
    const httpStatusCode = /Internal|Unavailable/.test(name ?? 'Internal') ? 500 : 400;
    return judgeAwsError({ name, message, $metadata: { httpStatusCode } });
  });
}
