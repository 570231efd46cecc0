import type { DeliveryApi } from '#core/inbound/reconcile/delivery-api.ts';
import { githubDeliveries } from './github-api.ts';
import type { ProviderApiOptions } from './provider-api.ts';
import { stripeDeliveries } from './stripe-api.ts';

/** The list of deliveries of a provider. Throws RangeError for one that has none; the configuration refuses it before. */
export function deliveryApiOf(provider: string, list: string, options: ProviderApiOptions): DeliveryApi {
  if (provider === 'stripe') return stripeDeliveries(options);
  if (provider === 'github') return githubDeliveries(list, options);
  throw new RangeError(`${provider} has no API that lists its deliveries: remove \`reconcile\` from the source`);
}
