/** Example: Stripe is asked what an invoice looks like now. The source has `apiCredential: true`. */
import {
  type Fetcher,
  fetchLatest,
  type Handler,
  handlerEnv,
  PermanentError,
  secretCredential,
  stripeFetcher,
} from 'holdfast';

interface Invoice {
  readonly status: string | null;
  readonly amount_due: number;
}

/** Made once, so that its pace and its credential are shared by all events. */
export function stripeInvoices(): Fetcher<Invoice> {
  return stripeFetcher('invoices', { credential: secretCredential(handlerEnv('API_SECRET_STRIPE')) });
}

export function refreshInvoice(invoices: Fetcher<Invoice>): Handler {
  return async (event, context) => {
    if (event.subject === undefined) throw new PermanentError('the event does not say which invoice it is about');
    return fetchLatest(event, context, {
      entity: { table: handlerEnv('INVOICES_TABLE'), key: { id: event.subject } },
      id: event.subject,
      fetcher: invoices,
      toState: invoice => ({ status: invoice.status, amountDue: invoice.amount_due }),
    });
  };
}
