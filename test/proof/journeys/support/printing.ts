/** A memory world that prints its lines by the telemetry that runs in production. */
import { expect } from 'vitest';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { type Delivery, MemoryWorld, SECRET, type WorldOptions } from '#test/kit/memory-world.ts';

/** In the body of every event; no line may hold it. */
export const CANARY = 'CANARY-4242424242424242';

export function printing(level: 'debug' | 'info', options: WorldOptions = {}) {
  const lines: string[] = [];
  const world = new MemoryWorld({ sources: ['stripe'], queue: { duplicateRate: 0 }, ...options });
  const telemetry = new EmfTelemetry({
    environment: 'prod',
    level,
    write: line => lines.push(line),
    now: () => world.clock.now(),
  });
  Object.assign(world, { telemetry });
  world.start();
  return { world, lines, telemetry };
}

/** Posts deliveries with the canary in them, and holds what was printed against what was sent. */
export class Canaries {
  readonly signatures: string[] = [];
  readonly #printed: ReturnType<typeof printing>;

  constructor(printed: ReturnType<typeof printing>) {
    this.#printed = printed;
  }

  async post(delivery: Delivery): Promise<void> {
    const { world } = this.#printed;
    const sent = { source: 'stripe', data: { card: CANARY }, ...delivery };
    this.note(world.apiEvent(sent).headers);
    await world.post(sent);
  }

  note(headers: Readonly<Record<string, string | undefined>>): void {
    this.signatures.push(String(headers['x-webhook-signature']).replace('sha256=', ''));
  }

  /** All that was printed, after a look that none of it is a secret, a signature, a MAC or part of a body. */
  check(more: readonly string[] = []): string {
    this.#printed.telemetry.flush();
    const text = [...this.#printed.lines, ...more].join('\n');
    const genuine = this.signatures.filter(it => /^[0-9a-f]{64}$/.test(it));
    expect(genuine.length).toBeGreaterThan(0);
    const base64 = Buffer.from(CANARY).toString('base64').slice(2, 20);
    for (const never of [CANARY, base64, SECRET, ...genuine]) expect(text).not.toContain(never);
    return text;
  }
}
