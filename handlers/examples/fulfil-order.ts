/** Example: three calls to the outside. An attempt that dies after the second does not repeat the first two. */
import { done, type Handler, PermanentError } from 'holdfast';

/** The services of your own; each takes the key that makes a repeated call harmless. */
export interface Services {
  charge(orderId: string, key: string): Promise<{ readonly chargeId: string }>;
  ship(orderId: string, key: string): Promise<{ readonly parcelId: string }>;
  notify(orderId: string, text: string, key: string): Promise<void>;
}

export function fulfilOrder(services: Services): Handler {
  return async (event, context) => {
    const orderId = event.subject;
    if (orderId === undefined) throw new PermanentError('the event does not say which order it is about');
    const key = context.idempotencyKey;
    const { chargeId } = await context.step('charge', () => services.charge(orderId, `${key}:charge`));
    const { parcelId } = await context.step('ship', () => services.ship(orderId, `${key}:ship`));
    await context.step('notify', () => services.notify(orderId, `parcel ${parcelId} is on its way`, `${key}:notify`));
    return done({ actionTaken: 'fulfilled', data: { chargeId, parcelId } });
  };
}
