/** Example: the current state of each subscription. `cancelled` may come before a late `updated`; the newest state stays. */
import { eventTime, type Handler, handlerEnv, latestWins, PermanentError } from 'holdfast';

interface SubscriptionPayload {
  readonly data?: { readonly object?: { readonly id?: unknown; readonly status?: unknown; readonly plan?: unknown } };
}

export const keepSubscription: Handler = async (event, context) => {
  const subscription = (event.payload as SubscriptionPayload | undefined)?.data?.object;
  if (typeof subscription?.id !== 'string') throw new PermanentError('data.object has no id');
  return latestWins(event, context, {
    entity: { table: handlerEnv('SUBSCRIPTIONS_TABLE'), key: { id: subscription.id } },
    version: eventTime(event),
    // Every attribute, every time: one that the event lacks is removed.
    state: { status: subscription.status, plan: subscription.plan },
  });
};
