/**
 * Example: a ledger of succeeded payments. The row is written in one transaction with the event's completion, so each
 * event counts once, whatever crashes or repeats.
 */
import { done, type Handler, handlerEnv, PermanentError } from 'holdfast';

interface PaymentPayload {
  readonly data?: {
    readonly object?: { readonly id?: unknown; readonly amount?: unknown; readonly currency?: unknown };
  };
}

export const recordPayment: Handler = async (event, context) => {
  const payment = (event.payload as PaymentPayload | undefined)?.data?.object;
  if (typeof payment?.id !== 'string' || typeof payment.amount !== 'number') {
    throw new PermanentError('data.object has no id and amount');
  }
  context.transact([
    {
      kind: 'update',
      table: handlerEnv('PAYMENTS_TABLE'),
      key: { paymentId: payment.id },
      set: { amount: payment.amount, currency: String(payment.currency ?? ''), lastEventId: event.id },
      add: { timesApplied: 1 },
    },
  ]);
  return done({ actionTaken: 'recorded_payment', data: { paymentId: payment.id, amount: payment.amount } });
};
