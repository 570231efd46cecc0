/** Example: an invoice that its handler could not read waits for a person instead. */
import { done, type HandlerRegistration, jsonSchema } from 'holdfast';

const paidInvoice = {
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      required: ['object'],
      properties: {
        object: {
          type: 'object',
          required: ['id', 'amount_paid'],
          properties: { id: { type: 'string' }, amount_paid: { type: 'integer', minimum: 0 } },
        },
      },
    },
  },
};

export const recordInvoice: HandlerRegistration = {
  source: 'stripe',
  type: 'invoice.paid',
  schema: jsonSchema(paidInvoice, 'dead_letter'),
  handle: async event => {
    const { id, amount_paid: amount } = (event.payload as { data: { object: { id: string; amount_paid: number } } })
      .data.object;
    return done({ actionTaken: `recorded ${id}`, data: { amount } });
  },
};
