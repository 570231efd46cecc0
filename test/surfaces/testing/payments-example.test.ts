import { createTestEvent, runHandler, signWebhook } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { recordPayment } from '#handlers/payments-ledger.ts';

const body = {
  id: 'evt_1',
  type: 'payment_intent.succeeded',
  created: 1_790_000_000,
  data: { object: { id: 'pi_1', amount: 4200, currency: 'eur' } },
};
const options = { env: { PAYMENTS_TABLE: 'payments' }, tables: { payments: { key: 'paymentId' } } };

it('records a payment once, although the first attempt is lost', async () => {
  let calls = 0;
  const run = await runHandler(
    async (event, context) => {
      if (++calls === 1) throw new Error('the connection broke');
      return await recordPayment(event, context);
    },
    createTestEvent({ provider: 'stripe', body }),
    options,
  );
  expect(run.status).toBe('completed');
  expect(run.attempts.map(attempt => attempt.cause)).toEqual(['handler_error', 'ok']);
  expect(run.tables['payments']).toMatchObject([{ paymentId: 'pi_1', timesApplied: 1 }]);
});

it('tells a person about a payment without an amount', async () => {
  const event = createTestEvent({ provider: 'stripe', body: { ...body, data: { object: { id: 'pi_1' } } } });
  const run = await runHandler(recordPayment, event, options);
  expect(run).toMatchObject({ status: 'dead_letter', lastError: expect.stringContaining('no id and amount') });
  expect(run.attempts).toHaveLength(1);
});

it('is signed as Stripe would, for a test against a deployed gateway', () => {
  const signed = signWebhook({ provider: 'stripe', body, secret: 'whsec_throwaway' });
  // await fetch('https://hooks.dev.example.com/webhooks/stripe', signed)
  expect(signed.headers['stripe-signature']).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
});
