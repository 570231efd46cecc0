/**
 * The alarms of a day, out of what the drain says: `delivery-waiting` and its page ring when we are late, never for what
 * waits by its schedule, its endpoint's wish, or somebody's replay.
 */
import { expect, it } from 'vitest';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import type { MetricName } from '#core/metrics.ts';
import { pause, resume } from '#core/outbound/gate/gate.ts';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import { replayDelivery } from '#core/outbound/replay/replay-delivery.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

/** Endpoints; about one in eight of each kind but the healthy ones. A day of 500 goes with `npm run test:long`. */
const [ENDPOINTS, HOURS] = isLongRun() ? [500, 24] : [16, 2];
/** Seconds: the threshold of the ticket. The page's is higher. */
const TICKET = 30;
const PAGE = 300;

/** Keeps when each value was told, too. */
class TimedTelemetry extends MemoryTelemetry {
  clock: VirtualClock | undefined;
  readonly byMinute = new Map<number, number>();
  readonly slowFirst: number[] = [];
  readonly classes: Record<string, number> = {};
  override count(metric: MetricName, dimensions: Readonly<Record<string, string>> = {}, value = 1): void {
    super.count(metric, dimensions, value);
    const { class: name } = dimensions;
    if (metric === 'DeliveryAttempts' && name !== undefined) this.classes[name] = (this.classes[name] ?? 0) + value;
  }
  override measure(metric: MetricName, value: number): void {
    if (metric === 'FirstAttemptDelay') this.slowFirst.push(value);
    if (metric !== 'WaitingOldestHealthyAge' || this.clock === undefined) return;
    const minute = Math.floor(this.clock.now() / MINUTE_MS);
    this.byMinute.set(minute, Math.max(value, this.byMinute.get(minute) ?? 0));
  }
  /** Three minutes of five above it, as the alarm has it. */
  rings(above: number): boolean {
    return this.ringsIn(above) > 0;
  }
  /** Minutes in which it rings. */
  ringsIn(above: number): number {
    const minutes = new Set([...this.byMinute].filter(([, value]) => value > above).map(([minute]) => minute));
    return [...this.byMinute.keys()].filter(
      last => Array.from({ length: 5 }, (_, back) => last - back).filter(minute => minutes.has(minute)).length >= 3,
    ).length;
  }
  /** For whoever runs the long day. */
  tell(when: string): void {
    if (!isLongRun()) return;
    const told = {
      ...{ when, endpoints: ENDPOINTS, classes: this.classes, measured: this.byMinute.size },
      ...{ oldestSeconds: Math.max(...this.byMinute.values()), firstAttempts: this.slowFirst.length },
      ...{ lateFirst: this.slowFirst.filter(ms => ms > TICKET * 1_000).length },
      ...{ ticketMinutes: this.ringsIn(TICKET), pageMinutes: this.ringsIn(PAGE), wakeLost: this.total('WakeLost') },
    };
    process.stdout.write(`${JSON.stringify(told)}\n`);
  }
}

type Kind = 'healthy' | 'refuses' | 'throttles' | 'replayed' | 'resumed' | 'limited' | 'ordered';
const KINDS: readonly Kind[] = ['refuses', 'throttles', 'replayed', 'resumed', 'limited', 'ordered'];

async function day() {
  const telemetry = new TimedTelemetry();
  const world = new OutboundWorld({ telemetry, waits: [420, 420], publishes: 'direct', keepRequests: false });
  telemetry.clock = world.clock;
  const app = await world.createApplication();
  const endpoints: { readonly ep: EndpointId; readonly kind: Kind; readonly old: MessageId[] }[] = [];
  for (let n = 0; n < ENDPOINTS; n++) {
    const kind = KINDS[n % 8] ?? 'healthy';
    let asked = 0;
    const receive = (): ReturnType<typeof answered> => {
      asked += 1;
      if (kind === 'throttles') return answered(asked % 3 === 0 ? 200 : 429, { 'retry-after': ['400'] });
      return answered((kind === 'refuses' || kind === 'ordered') && asked % 3 === 1 ? 422 : 200);
    };
    const limited = kind === 'limited' ? { rate: { perSecond: 0.01, burst: 1 } } : {};
    const ep = await world.createEndpoint(app, receive, {
      channels: [`c${n}`],
      ordered: kind === 'ordered',
      ...limited,
    });
    endpoints.push({ ep, kind, old: [] });
  }
  world.start();
  return { world, app, endpoints, telemetry };
}
type Day = Awaited<ReturnType<typeof day>>;

async function publishTo({ world, app, endpoints }: Day, key: string, which: readonly number[]): Promise<void> {
  for (const n of which) {
    const heard = await world.clock.complete(world.publish(app, `${key}-${n}`, { channels: [`c${n}`] }));
    if (heard.kind === 'accepted') endpoints[n]?.old.push(heard.id);
  }
}
const numbers = ({ endpoints }: Day, kinds: readonly Kind[]): readonly number[] =>
  endpoints.flatMap(({ kind }, n) => (kinds.includes(kind) ? [n] : []));

/** Whatever is meant to wait, for hours: replays of old deliveries each minute, pauses, refusals, limits, holds. */
async function asUsual(today: Day): Promise<void> {
  const { world, endpoints } = today;
  const act = (command: Parameters<typeof world.insist>[0]) => world.clock.complete(world.insist(command));
  const gate = () => ({ by: 'operator', why: 'test', now: world.clock.now() }) as const;
  const paused = numbers(today, ['resumed']);
  for (let minute = 0; minute < HOURS * 60; minute++) {
    const all = endpoints.map((_, n) => n);
    await publishTo(today, `m${minute}`, minute % 10 === 0 ? all : all.filter(n => n % 16 === minute % 16));
    for (const n of numbers(today, ['replayed'])) {
      const { ep, old } = endpoints[n] as Day['endpoints'][number];
      const msg = old[Math.max(0, old.length - 3)];
      if (msg === undefined || minute < 25) continue;
      const request = { ep, msg, requestId: `r${minute}`, by: 'test' };
      await act(ports => replayDelivery(ports, world.rules.retentionMs, request));
    }
    for (const n of paused) {
      const { ep } = endpoints[n] as Day['endpoints'][number];
      if (minute % 30 === 5) await act(ports => pause(ports, ep, gate()));
      if (minute % 30 === 25) await act(ports => resume(ports, ep, gate()));
    }
    await world.clock.advanceBy(MINUTE_MS);
  }
}

it(
  'rings for a real backlog, and for nothing that is meant to wait',
  async () => {
    const today = await day();
    const { world, telemetry } = today;
    await asUsual(today);
    telemetry.tell('the day');
    // Silent, though replays, retries, throttled ones, limits and resumed endpoints waited for up to half an hour.
    expect(telemetry.byMinute.size).toBeGreaterThan(HOURS * 30);
    expect(telemetry.rings(TICKET)).toBe(false);
    expect(telemetry.slowFirst.filter(ms => ms > TICKET * 1_000)).toEqual([]);
    expect(telemetry.total('WakeLost')).toBe(0);

    // Ours: the senders stand still for eight minutes while healthy endpoints get messages.
    const healthy = numbers(today, ['healthy']);
    for (let minute = 0; minute < 8; minute++) {
      for (const mapping of world.mappings) mapping.disable();
      await publishTo(today, `late${minute}`, healthy);
      await world.clock.advanceBy(MINUTE_MS);
    }
    const [first, ...others] = world.mappings;
    first?.enable();
    // They come back one after the other, as many senders that are too few would.
    const slow = others[0];
    for (let minute = 0; minute < 5; minute++) {
      slow?.enable();
      await world.clock.advanceBy(1_000);
      slow?.disable();
      await publishTo(today, `behind${minute}`, healthy);
      await world.clock.advanceBy(MINUTE_MS);
    }
    telemetry.tell('with the backlog');
    expect(telemetry.rings(TICKET)).toBe(true);
    world.stop();
  },
  HOUR_MS,
);
