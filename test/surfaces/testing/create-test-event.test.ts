/** An event of the test kit is what a handler gets at its first attempt, to the last field. */
import { createTestEvent } from 'holdfast/testing';
import { expect, it } from 'vitest';

it('is the first attempt of the first generation, and everything that is not given is found in the body', () => {
  const created = 1_790_000_000;
  const body = { id: 'evt_1', type: 'invoice.paid', created, data: { object: { id: 'in_1' } } };
  const event = createTestEvent({ provider: 'stripe', body });
  expect(event).toMatchObject({
    ...{ id: 'evt_stripe.evt_1', source: 'stripe', provider: 'stripe', type: 'invoice.paid', time: created * 1_000 },
    ...{ attempt: 1, generation: 1, idempotencyKey: 'stripe:evt_1:1', payload: body },
  });
  expect(event.timeIsArrival).toBeUndefined();
  expect(new TextDecoder().decode(event.bytes)).toBe(JSON.stringify(body));
});

it('has the time of its arrival where the body has none, and says so', () => {
  const event = createTestEvent({ provider: 'generic', body: { id: 'evt_1', type: 'ping' } });
  expect(event).toMatchObject({ time: Number(event.receivedAt), timeIsArrival: true, attempt: 1, generation: 1 });
});
