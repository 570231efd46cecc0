/**
 * Sending, counted: the real functions over AWS in memory, each call billed by the published rules. Three ways in which a
 * delivery meets its session: alone, ten of one endpoint at once, and ten messages to five endpoints at once.
 */
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { DeliveryCounts } from '#operator/cost/delivery-bill.ts';
import { answered } from '#test/kit/outbound-world.ts';
import { countedWorld, usePerDelivery } from './counted-world.ts';
import type { BilledCall } from './counters.ts';

export interface DeliveryShape {
  readonly name: string;
  /** Messages that wait together for one session. */
  readonly atOnce: number;
  readonly fanOut: number;
  readonly messages: number;
}
export const SHAPES: readonly DeliveryShape[] = [
  { name: 'quiet, fan-out 1', atOnce: 1, fanOut: 1, messages: 48 },
  { name: 'busy, fan-out 1', atOnce: 10, fanOut: 1, messages: 120 },
  { name: 'busy, fan-out 5', atOnce: 10, fanOut: 5, messages: 120 },
  { name: 'busy, fan-out 50', atOnce: 10, fanOut: 50, messages: 30 },
];

export interface DeliveryResult {
  readonly shape: DeliveryShape;
  readonly perDelivery: DeliveryCounts;
  readonly bodyBytes: number;
  /** Of one delivery, in order. */
  readonly calls: readonly BilledCall[];
}

const ANSWER_MS = 120;
/** Headers of a signed request. */
export const HEADER_BYTES = 600;

/** Runs one shape. Throws when a delivery does not end as delivered. */
export async function billDeliveries(shape: DeliveryShape): Promise<DeliveryResult> {
  const { world, meter, database, reading, bodies, publish } = countedWorld({});
  const { clock } = world;
  const app = await world.createApplication();
  const eps: EndpointId[] = [];
  for (let n = 0; n < shape.fanOut; n++) {
    eps.push(await world.createEndpoint(app, () => clock.sleep(ANSWER_MS).then(() => answered(200, {}, 'ok'))));
  }
  world.tending = false;
  world.start();

  // 2. Messages, some at once; the first round fills what functions keep between runs.
  const round = async (): Promise<void> => {
    // What comes while the functions stand still is there when they go on: as in a burst.
    if (shape.atOnce > 1) world.stop();
    const published = Promise.all(Array.from({ length: shape.atOnce }, () => publish(app)));
    await clock.complete(published, MINUTE_MS);
    if (shape.atOnce > 1) world.start();
    await clock.advanceBy(MINUTE_MS);
  };
  const tendFor = async (minutes: number): Promise<number> => {
    // Each time after a gap: then looks at endpoints ask as many of them.
    await clock.advanceBy(10 * MINUTE_MS);
    const before = meter.counts.readUnits;
    for (let n = 0; n < minutes; n++) {
      await clock.complete(world.tend(), MINUTE_MS);
      await clock.advanceBy(MINUTE_MS - 1_000);
    }
    return meter.counts.readUnits - before;
  };
  await round();
  await tendFor(140);
  const idle = await tendFor(140);
  // The first message of an hour also notes its application (W28): one unit for all of the hour, and no delivery's.
  await clock.advanceBy(HOUR_MS - (clock.now() % HOUR_MS));
  await round();
  const storedBefore = database.storedBytes('outbox');
  const before = reading();
  const from = meter.calls.length;
  bodies.bytes = 0;
  for (let done = 0; done < shape.messages; done += shape.atOnce) await round();
  const calls = meter.calls.slice(from);
  const after = reading();
  const reconcileReads = (await tendFor(140)) - idle;
  world.stop();

  // 3. All of it was delivered, or the counts would flatter.
  const deliveries = shape.messages * shape.fanOut;
  const delivered = world
    .items<{ status: string }>('outbox', 'D#')
    .filter(({ status }) => status === 'delivered').length;
  const wanted = (shape.messages + 2 * shape.atOnce) * shape.fanOut;
  if (delivered !== wanted) throw new Error(`${shape.name}: ${delivered} of ${wanted} were delivered`);
  return {
    shape,
    bodyBytes: bodies.bytes / shape.messages,
    calls: shape.atOnce === 1 ? calls.slice(0, calls.length / shape.messages) : [],
    perDelivery: {
      ...usePerDelivery(before, after, deliveries),
      reconcileReads: reconcileReads / deliveries,
      storedBytes: (database.storedBytes('outbox') - storedBefore) / deliveries,
      sentBytes: bodies.bytes / shape.messages + HEADER_BYTES,
    },
  };
}
