/** Customers of an environment as its screens meet them: one endpoint for which very many are dead and wait, and many that are well. */
import type { PortalRoute } from '#core/outbound/portal/portal-routes.ts';
import { controlKey } from '#core/outbound/protocol/keys.ts';
import { SUMMARY, summaryOf } from '#core/outbound/tend/summary.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { DeliveryApi } from '#operator/delivery-api.ts';
import { producerWorld } from '#test/kit/producer-world.ts';
import { CountingDatabase } from '../billing/counting-database.ts';
import { CALL_MS } from '../billing/slow-port.ts';
import type { Million } from './million.ts';

const APPLICATIONS = 100;

export interface Customers {
  readonly api: DeliveryApi;
  readonly app: string;
  /** The one that fails. */
  readonly ep: string;
  /** A dead one. */
  readonly message: string;
  askPortal(route: PortalRoute, path: Readonly<Record<string, string>>): Promise<void>;
}

interface Size {
  /** Messages of the last day to the endpoint that fails; half of them are dead, half wait. */
  readonly deliveries: number;
  /** Of each of the customers. */
  readonly endpoints: number;
}

export async function openCustomers(
  { meter, clock }: Pick<Million, 'meter' | 'clock'>,
  { deliveries: many, endpoints }: Size,
): Promise<Customers> {
  const world = producerWorld(undefined, false, undefined, undefined, options => new CountingDatabase(options, meter));
  const { call, publish, settle } = world;
  const made = async (app: string, name: string) =>
    (
      await call(
        'PUT /v1/apps/{app}/endpoints/{ep}',
        { app, ep: `uid:${name}` },
        { url: `https://${name}.customer.com/in` },
      )
    ).body.id as string;
  for (let n = 0; n < APPLICATIONS; n++) {
    await call(
      'PUT /v1/apps/{app}',
      { app: `uid:c${n}` },
      { name: `Customer ${n}`, limits: { endpoints: endpoints + 1 } },
    );
    for (let at = 0; at < endpoints; at++) await made(`uid:c${n}`, `c${n}-${at}`);
  }
  const app = 'uid:c0';
  const ep = await made(app, 'fails');
  let message = '';
  world.answerBy(({ url }) => (url.includes('fails') ? [400, 'no'] : [200, 'yes']));
  for (let n = 0; n < many; n++) {
    if (n === many / 2) await call('POST /v1/apps/{app}/endpoints/{ep}/pause', { app, ep }, { why: 'measured' });
    const { body } = await publish(
      app,
      JSON.stringify({ key: `k${n}`, type: 'order.paid', data: {}, max_attempts: 1 }),
    );
    message ||= body.id;
    if (n % 100 === 99) {
      await settle();
      world.pass(MINUTE_MS);
    }
  }
  await settle();
  // As the last endpoint check left it.
  const none = { withTraffic: 0, onHold: 0, failing: 0, disabled: 0, paused: 0, died: 0, dead: 0, waiting: 0, lost: 0 };
  const counts = { ...none, endpoints: APPLICATIONS * endpoints + 1 };
  await world.store.put({ kind: 'put', key: controlKey(SUMMARY), item: summaryOf(counts, clock.now()) });
  meter.calls.length = 0;
  const slow = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = meter.calls.length;
    const answer = await work();
    await clock.sleep((meter.calls.length - before) * CALL_MS);
    return answer;
  };
  return {
    ...{ app, ep, message },
    api: { ...world.api, send: call => slow(() => world.api.send(call)) },
    askPortal: (route, path) => slow(() => world.askPortal(route, { ...path })),
  };
}
