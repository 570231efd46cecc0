/** The examples of the guides on reconciliation and on changed payloads, run. */
import { expect, it } from 'vitest';
import { defineHandlers } from '#core/handler/handler-contract.ts';
import { refreshInvoice, type stripeInvoices } from '#handlers/examples/invoice-fetch.ts';
import { recordInvoice } from '#handlers/examples/invoice-schema.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { createTestEvent, runHandler } from '../../../sdk/testing/index.ts';

it('an invoice whose amount is a text waits for a person, and the record says where it broke', async () => {
  const { type: _, ...registration } = recordInvoice;
  const world = new MemoryWorld({
    source: { unhandled: 'ignore' },
    handlers: () => defineHandlers([{ ...registration, source: '*', type: '*' }]),
  });
  world.start();
  await world.post({ id: 'evt_1', data: { object: { id: 'in_1', amount_paid: 700 } } });
  await world.post({ id: 'evt_2', data: { object: { id: 'in_2', amount_paid: '700' } } });
  await world.settle();
  world.stop();
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', actionTaken: 'recorded in_1' });
  expect(world.item('evt_2')).toMatchObject({
    status: 'dead_letter',
    lastError: 'schema_mismatch: /data/object/amount_paid type',
  });
});

it('an invoice is written as Stripe answers it now', async () => {
  const asked: string[] = [];
  const fetcher: ReturnType<typeof stripeInvoices> = {
    fetch: async id => {
      asked.push(id);
      return { kind: 'found', id, object: { status: 'paid', amount_due: 0 } };
    },
  };
  const body = { id: 'evt_1', type: 'invoice.updated', created: 1_767_571_200, data: { object: { id: 'in_1' } } };
  const event = createTestEvent({ provider: 'stripe', body });
  const env = { INVOICES_TABLE: 'invoices' };
  const run = await runHandler(refreshInvoice(fetcher), event, { env, tables: { invoices: { key: 'id' } } });
  expect(run.status).toBe('completed');
  expect(asked).toEqual(['in_1']);
  expect(run.tables['invoices']).toMatchObject([{ id: 'in_1', status: 'paid', amountDue: 0 }]);
});
