/** The probe against the real functions over AWS in memory: through ingest, the queue and the processor, or not. */
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededIds } from '#adapters/memory/seeded-random.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { DependencyError } from '#core/errors.ts';
import { PROBE_SOURCE } from '#core/glossary.ts';
import { done } from '#core/handler/handler-contract.ts';
import { type ProbePorts, probe } from '#core/inbound/watch/probe.ts';
import { withProbe } from '#core/inbound/watch/probe-source.ts';
import { EVENTS, MemoryWorld, SECRET } from '#test/kit/memory-world.ts';

class ProbedWorld {
  readonly world = new MemoryWorld({
    sources: [PROBE_SOURCE],
    // A handler of the user's that would take everything.
    handlers: () =>
      withProbe({ find: () => ({ source: '*', type: '*', handle: async () => done({ actionTaken: 'by the user' }) }) }),
  });
  readonly telemetry = new MemoryTelemetry();
  secret = SECRET;
  kept: 'secret' | 'unset' | 'unreadable' = 'secret';
  refreshed = 0;
  answering = true;

  #ports(): ProbePorts {
    const { clock, database, random } = this.world;
    return {
      sender: {
        post: async (url, headers, body) => {
          if (!this.answering) throw new DependencyError('http', 'ECONNREFUSED');
          expect(url).toBe('https://hooks.example.com/webhooks/holdfast-probe');
          const outcome = await this.world.ingest.invoke(
            this.world.apiEvent({ id: '', source: PROBE_SOURCE, rawBody: body, headers }),
          );
          return outcome.kind === 'returned' ? (JSON.parse(outcome.payload ?? '{}').statusCode as number) : 500;
        },
      },
      secrets: {
        get: async () =>
          this.kept === 'secret' ? { kind: 'secret', secret: { current: this.secret } } : { kind: this.kept },
        refresh: async () => {
          this.refreshed += 1;
          return true;
        },
      },
      store: new MemoryEventStore(database, EVENTS),
      crypto: nodeCrypto,
      clock,
      ids: new SeededIds(random.fork()),
      timer: { sleep: ms => clock.sleep(ms) },
      telemetry: this.telemetry,
    };
  }

  async probe(): Promise<void> {
    const source = this.world.sources[0] as ResolvedSource;
    const rules = { source, url: 'https://hooks.example.com/webhooks/holdfast-probe', limitMs: 45_000 };
    await this.world.clock.complete(probe(this.#ports(), rules));
  }
}

describe('the probe', () => {
  it('measures a signed event from the public URL to its completion', async () => {
    const probed = new ProbedWorld();
    probed.world.start();
    await probed.probe();
    expect(probed.world.items()).toMatchObject([
      { status: 'completed', eventType: 'probe', actionTaken: 'probed', attempts: 1 },
    ]);
    const [latency, ...others] = probed.telemetry.measures;
    expect(others).toEqual([]);
    expect(latency?.metric).toBe('ProbeLatency');
    const [item] = probed.world.items();
    const took = (item?.completedAt ?? 0) - (item?.receivedAt ?? 0);
    expect(latency?.value).toBeGreaterThanOrEqual(took);
    expect(latency?.value).toBeLessThan(took + 1_000);
    expect(probed.telemetry.lines).toEqual([]);
  });

  it('reports nothing, and says why, while nobody takes messages from the queue', async () => {
    const probed = new ProbedWorld();
    await probed.probe();
    expect(probed.telemetry.measures).toEqual([]);
    expect(probed.telemetry.lines).toMatchObject([
      { level: 'error', line: { stage: 'probe', cause: 'not_completed', status: 'pending' } },
    ]);
  });

  it('reports nothing when it is refused, and asks for its secret again', async () => {
    const probed = new ProbedWorld();
    probed.secret = 'another one';
    await probed.probe();
    expect(probed.telemetry.measures).toEqual([]);
    expect(probed.telemetry.lines).toMatchObject([{ line: { cause: 'refused', status: 401 } }]);
    expect(probed.refreshed).toBe(1);
    expect(JSON.stringify(probed.telemetry.lines)).not.toContain('another one');
  });

  it.each([
    ['unset', 'secret_not_set'],
    ['unreadable', 'secret_unreadable'],
  ] as const)('sends nothing while its secret is %s, and says so', async (kept, cause) => {
    const probed = new ProbedWorld();
    probed.kept = kept;
    await probed.probe();
    expect(probed.world.items()).toEqual([]);
    expect(probed.telemetry.lines).toMatchObject([{ level: 'error', line: { stage: 'probe', cause } }]);
  });

  it('reports nothing when the public URL does not answer', async () => {
    const probed = new ProbedWorld();
    probed.answering = false;
    await probed.probe();
    expect(probed.telemetry.measures).toEqual([]);
    expect(probed.telemetry.lines).toMatchObject([{ line: { cause: 'dependency', dependency: 'http' } }]);
  });
});
