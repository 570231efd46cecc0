/** Ours at full load: the real functions over AWS in memory, on a clock that moves only when everybody waits. */

import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import type { MessageItem } from '#core/outbound/protocol/items.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';
import { type Scenario, Stopwatch, type SystemResult } from './scenario.ts';
import { answerTime, CALL_MS, traffic } from './virtual.ts';

const PER_APPLICATION = 10;

/** Counts nothing: the stopwatch measures. */
class Silent extends MemoryTelemetry {
  override count(): void {}
  override measure(): void {}
  override log(): void {}
}

export async function virtualHoldfast(scenario: Scenario, seed: number): Promise<SystemResult> {
  const world = new OutboundWorld({
    ...{ seed, slots: scenario.slots, longPolling: true, keepRequests: false, telemetry: new Silent() },
    ...{ processOf: () => ({ latencyMs: () => CALL_MS }), idleMs: 1_000, waits: [5, 300, 1_800] },
    publishes: 'direct',
  });
  const { clock, random } = world;
  // 1. Customers: each endpoint has a type of its own, so that a message goes to one of them.
  const watch = new Stopwatch(scenario, clock.now());
  const apps: AppId[] = [];
  const endpoints: { readonly app: AppId; readonly id: EndpointId }[] = [];
  for (let n = 0; n < scenario.endpoints; n++) {
    if (n % PER_APPLICATION === 0) apps.push(await world.createApplication());
    const app = apps.at(-1) as AppId;
    const receiver = async ({ id }: { readonly id: string }) => {
      watch.begun(id, n, clock.now());
      if (watch.hangs(n, clock.now())) await clock.sleep(10 * scenario.deadlineMs);
      await clock.sleep(answerTime(random));
      return answered(200);
    };
    const given = { types: [`of.${n}`], timeoutMs: scenario.deadlineMs };
    endpoints.push({ app, id: await world.createEndpoint(app, receiver, given) });
  }
  world.start();
  // 2. Traffic, and the most sessions at once.
  let most = 0;
  await traffic(scenario, world, (to, n) => {
    const { app } = endpoints[to] as (typeof endpoints)[number];
    void world.publish(app, `k${n}`, { type: `of.${to}` }).then(heard => {
      if (heard.kind === 'accepted') watch.accepted(heard.id satisfies MessageItem['id'], to, clock.now());
    });
    const { 'drain-fast': fast, 'drain-slow': slow } = world.functions;
    most = Math.max(most, fast.running + slow.running);
  });
  world.stop();
  return watch.result(most);
}
