/** A customer with an old address, which refuses the new fields: 40 deliveries of one endpoint died, the other endpoint is well. */
import { servePortal } from '#test/kit/servers/portal-server.ts';

export const WRONG = 'https://shop.globex.com/v1/acme';
export const RIGHT = 'https://shop.globex.com/v2/acme';
const SCHEMA = {
  type: 'object',
  required: ['order', 'amount'],
  properties: {
    order: { type: 'string' },
    amount: { type: 'integer', description: 'Cents' },
    currency: { enum: ['EUR', 'USD'] },
  },
};

export async function brokenEndpoint(look: Parameters<typeof servePortal>[0] = {}) {
  const world = await servePortal(look);
  const { call, publish, settle, pass, wakeUps } = world;
  world.answerBy(({ url }) =>
    url === WRONG ? [422, '<html><body><h1>422 Unprocessable Content</h1></body></html>'] : [200, '{"ok":true}'],
  );
  for (const [name, description, group] of [
    ['order.paid', 'A customer paid an order. The goods may be sent.', 'Orders'],
    ['order.refunded', 'Some or all of the money of an order went back.', 'Orders'],
    ['invoice.created', 'An invoice was made. It is not due yet.', 'Invoices'],
  ] as const) {
    const example = { order: 'ord_4711', amount: 12_900, currency: 'EUR' };
    await call('PUT /v1/event-types/{name}', { name }, { description, group, example, schema: SCHEMA });
  }
  const ending = { deprecated: true, ends_at: '2027-01-31T00:00:00Z', replacement: 'order.paid' };
  const before = [{ version: '2025-03-01', example: { order: 'ord_4711' }, deprecated: true }];
  const settled = {
    description: 'The money of an order came.',
    group: 'Orders',
    version: '2026-09-01',
    earlier: before,
  };
  await call('PUT /v1/event-types/{name}', { name: 'order.settled' }, { ...settled, ...ending });
  const app = (await call('POST /v1/apps', {}, { name: 'Globex', uid: 'globex' })).body.id as string;
  const make = async (url: string, types: readonly string[], description: string): Promise<string> =>
    (await call('POST /v1/apps/{app}/endpoints', { app }, { url, types, description })).body.id;
  const ep = await make(WRONG, ['order.*'], 'Shop');
  await make('https://ledger.globex.com/acme', ['invoice.*'], 'Bookkeeping');
  for (let n = 1; n <= 40; n++) {
    const data = { order: `ord_${4_700 + n}`, amount: 1_000 + 90 * n, currency: 'EUR' };
    await publish(app, JSON.stringify({ key: `order-${n}`, type: 'order.paid', data }));
    pass(20_000);
  }
  await publish(
    app,
    JSON.stringify({ key: 'invoice-1', type: 'invoice.created', data: { order: 'ord_1', amount: 5 } }),
  );
  await settle();
  // Its retries: 5 and 300 seconds after.
  for (const ms of [20_000, 400_000]) {
    pass(ms);
    wakeUps.push({ v: 1, ep });
    await settle();
  }
  return { ...world, app, ep };
}
