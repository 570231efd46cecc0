/** Example: whatever the event says, the shop is asked what the order looks like now. */
import { type Fetcher, fetchLatest, type Handler, handlerEnv, PermanentError, timeVersion } from 'holdfast';

export interface Order {
  readonly status: string;
  readonly total: string;
  readonly updated_at: string;
}

/** The fetcher is given, so that a test gives one of its own. */
export function refreshOrder(fetcher: Fetcher<Order>): Handler {
  return async (event, context) => {
    if (event.subject === undefined) throw new PermanentError('the event does not say which order it is about');
    return fetchLatest(event, context, {
      entity: { table: handlerEnv('ORDERS_TABLE'), key: { id: event.subject } },
      id: event.subject,
      fetcher,
      toState: order => ({ status: order.status, total: order.total }),
      toVersion: order => timeVersion(order.updated_at),
    });
  };
}
