/** Example: an invoice goes through its states in order, though `invoice.paid` may come before `invoice.created`. */
import { type Handler, handlerEnv, PermanentError, reject, stateMachine } from 'holdfast';

const invoices = stateMachine({
  initial: ['created'],
  moves: { created: ['finalized', 'voided'], finalized: ['paid', 'voided'], paid: [], voided: [] },
});

interface InvoicePayload {
  readonly data?: { readonly object?: { readonly id?: unknown; readonly total?: unknown } };
}

export const trackInvoice: Handler = async (event, context) => {
  const invoice = (event.payload as InvoicePayload | undefined)?.data?.object;
  if (typeof invoice?.id !== 'string') throw new PermanentError('data.object has no id');
  const to = event.type.replace('invoice.', '');
  if (to !== 'created' && to !== 'finalized' && to !== 'paid' && to !== 'voided') return reject(`no use for ${to}`);
  return invoices.move(event, context, {
    entity: { table: handlerEnv('INVOICES_TABLE'), key: { id: invoice.id } },
    to,
    state: { total: invoice.total },
    // Booked in the same transaction as the move to `paid`, so it is booked once.
    effects: to === 'paid' ? [bookRevenue(invoice.id, invoice.total)] : [],
  });
};

function bookRevenue(invoiceId: string, total: unknown) {
  return { kind: 'put', table: handlerEnv('REVENUE_TABLE'), item: { id: invoiceId, total } } as const;
}
