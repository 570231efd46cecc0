/** Whether an endpoint wants a message, and why not. */
import { matches } from '#core/event-type.ts';
import type { ApplicationItem, EndpointItem, MessageItem } from '#core/outbound/protocol/items.ts';
import { MINUTE_MS } from '#core/time.ts';
import { passesFilter } from './content-filter.ts';
import type { EndpointsOf } from './endpoints-of.ts';

/** A new endpoint may have been made by a host whose clock is behind the publisher's. */
const CLOCK_SLACK_MS = MINUTE_MS;

export type Mismatch = 'deleted' | 'not_for_it' | 'newer' | 'mode' | 'type' | 'channel' | 'api_version' | 'filter';
type Wanted = Pick<MessageItem, 'type' | 'channels' | 'mode' | 'apiVersion' | 'createdAt' | 'only'>;

/** Undefined: it gets the message. `data` is asked for only where there is a filter. */
export function mismatchOf(endpoint: EndpointItem, message: Wanted, data: () => Uint8Array): Mismatch | undefined {
  const { types, channels, mode, apiVersion, filter } = endpoint;
  if (endpoint.deletedAt !== undefined) return 'deleted';
  if (message.only !== undefined && message.only !== endpoint.id) return 'not_for_it';
  if (endpoint.createdAt > message.createdAt + CLOCK_SLACK_MS) return 'newer';
  if (mode !== message.mode) return 'mode';
  if (types.length > 0 && !types.some(pattern => matches(pattern, message.type))) return 'type';
  if (channels.length > 0 && !channels.some(channel => message.channels?.includes(channel))) return 'channel';
  if (apiVersion !== undefined && message.apiVersion !== undefined && apiVersion !== message.apiVersion)
    return 'api_version';
  return filter === undefined || passesFilter(filter, data()) ? undefined : 'filter';
}

/** True where it has wanted what it wants now since the message was published: a repeated publish goes to nobody new. */
export const wantedThen = ({ subscribedAt }: EndpointItem, { createdAt }: Pick<MessageItem, 'createdAt'>): boolean =>
  subscribedAt <= createdAt + CLOCK_SLACK_MS;

/** How many endpoints of an application get a message that is not stored yet. */
export const countMatches =
  (endpoints: EndpointsOf) =>
  async (application: ApplicationItem, message: Wanted, data: Uint8Array): Promise<number> => {
    const known = await endpoints(application.id, application);
    return known.filter(endpoint => mismatchOf(endpoint, message, () => data) === undefined).length;
  };
