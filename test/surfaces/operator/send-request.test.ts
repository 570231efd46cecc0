/** A stored event, sent once more to another address: the program there can tell which event of which source it is. */
import { expect, it } from 'vitest';
import { requestOf } from '#operator/sources/send-request.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

const gateway = new ConsoleGateway();
const item = gateway.add({
  ...{ source: 'stripe', key: 'evt_1', type: 'invoice.paid', status: 'completed', receivedAt: Date.now() - 5_000 },
  ...{ body: Buffer.from('{"a":1}'), headers: { 'content-type': 'application/json', 'stripe-signature': 'old' } },
});

it.each([false, true])('names the event and its source beside what the provider sent (signed anew: %s)', async sign => {
  const request = await requestOf(gateway.operator(), item, { sign });
  expect(request).toMatchObject({ method: 'POST', body: Buffer.from('{"a":1}') });
  expect(request?.headers).toMatchObject({
    ...{ 'content-type': 'application/json', 'holdfast-event-id': 'evt_stripe.evt_1', 'holdfast-source': 'stripe' },
    'stripe-signature': sign ? expect.stringMatching(/^t=\d+,v1=/) : 'old',
  });
});

it('is nothing where the body is gone', async () => {
  const gone = gateway.add({ source: 'stripe', key: 'evt_2', type: 'a', status: 'completed', receivedAt: Date.now() });
  expect(await requestOf(gateway.operator(), gone, { sign: false })).toBeUndefined();
});
