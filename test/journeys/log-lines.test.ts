/** What the functions print, by the telemetry that runs in production: how much, with which trace, and never what. */
import { describe, expect, it } from 'vitest';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { done, PermanentError } from '#core/inbound/handler-contract.ts';
import { MemoryWorld, SECRET, type WorldOptions } from '#test/support/memory-world.ts';
import { handlerThat } from './support/handlers.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

function printing(level: 'debug' | 'info', options: WorldOptions = {}) {
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

const TYPICAL = { id: 'evt_1PqZ8yLkdIwHu7ix0a4Yt2Vb', type: 'payment_intent.succeeded', source: 'stripe' };

describe('the happy path', () => {
  it('prints at most 800 bytes per event, metrics included, one event to an invocation; a trace id adds 50', async () => {
    const { world, lines, telemetry } = printing('info', {
      handlers: handlerThat(() => undefined),
    });
    await world.post({ ...TYPICAL, headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } });
    telemetry.flush();
    // Handled, and the sweeper has not come by.
    await world.clock.advanceBy(5_000);
    telemetry.flush();
    expect(lines.map(line => Object.keys(JSON.parse(line)).includes('stage'))).toEqual([false, true]);
    expect(lines.join('').length, lines.join('\n')).toBeLessThanOrEqual(800 + 50);
    expect(lines.join('').replace(`,"trace_id":"${TRACE}"`, '').length).toBeLessThanOrEqual(800);
    expect(JSON.parse(lines[1] ?? '{}')).toMatchObject({
      level: 'INFO',
      stage: 'attempt',
      event_id: `evt_stripe.${TYPICAL.id}`,
      event_type: TYPICAL.type,
      provider: 'generic',
      source: 'stripe',
      outcome: 'done',
      attempt: 1,
      gen: 1,
      trace_id: TRACE,
      Completed: 1,
    });
  });
});

describe('the trace id', () => {
  it('travels from the request through the queue to the lines of the handler, retries included', async () => {
    let tries = 0;
    const { world, lines, telemetry } = printing('info', {
      handlers: () => ({
        find: () => ({
          source: '*',
          type: '*',
          handle: async (_event, context) => {
            context.log.info('in the handler');
            tries += 1;
            if (tries === 1) throw new Error('not yet');
            return done();
          },
        }),
      }),
    });
    await world.post({ ...TYPICAL, headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } });
    await world.settle();
    telemetry.flush();
    const parsed = lines.map(line => JSON.parse(line) as Record<string, unknown>);
    const own = parsed.filter(line => line['message'] === 'in the handler');
    expect(own.map(line => line['trace_id'])).toEqual([TRACE, TRACE]);
    expect(parsed.filter(line => line['stage'] === 'attempt').map(line => line['trace_id'])).toEqual([TRACE, TRACE]);
  });

  it('is the one API Gateway gives where the provider sends none', async () => {
    const { world, lines, telemetry } = printing('info', { handlers: handlerThat(() => undefined) });
    await world.post({ ...TYPICAL, headers: { 'x-amzn-trace-id': 'Root=1-67891233-abcdef012345678912345678' } });
    await world.settle();
    telemetry.flush();
    expect(lines.join()).toContain('"trace_id":"1-67891233-abcdef012345678912345678"');
  });
});

describe('no line', () => {
  it('holds a secret, a signature, a MAC or a body, whatever happens to the event', async () => {
    const canary = 'CANARY-4242424242424242';
    const { world, lines, telemetry } = printing('debug', {
      handlers: handlerThat(({ id }) => {
        if (id.startsWith('die')) return Promise.reject(new PermanentError('for good'));
        if (id.startsWith('fail')) return Promise.reject(new Error('for now'));
        return undefined;
      }),
      retry: { attempts: 2, baseSeconds: 1, capSeconds: 1 },
    });
    const signatures: string[] = [];
    const post = async (delivery: Parameters<typeof world.post>[0]): Promise<void> => {
      const request = world.apiEvent({ ...delivery, source: 'stripe' });
      signatures.push(String(request.headers['x-webhook-signature']).replace('sha256=', ''));
      await world.post({ ...delivery, source: 'stripe' });
    };
    await post({ id: 'good', data: { card: canary } });
    await post({ id: 'good', data: { card: `${canary}-changed` } });
    await post({ id: 'die', data: { card: canary } });
    await post({ id: 'fail', data: { card: canary } });
    await post({ id: 'broken', rawBody: `{"event_id":"broken","card":"${canary}` });
    for (const forged of [`sha256=${'f'.repeat(64)}`, `sha256=${canary}`, undefined])
      await post({ id: 'forged', data: { card: canary }, headers: { 'x-webhook-signature': forged } });
    await world.settle();
    telemetry.flush();
    const text = lines.join('\n');
    expect(text).toContain('dead_letter');
    expect(text).toContain('payload_mismatch');
    expect(text).toContain('"cause":"mismatch"');
    const genuine = signatures.filter(it => /^[0-9a-f]{64}$/.test(it));
    expect(genuine.length).toBeGreaterThanOrEqual(5);
    const base64 = Buffer.from(canary).toString('base64').slice(2, 20);
    for (const never of [canary, base64, SECRET, ...genuine, 'f'.repeat(64)]) expect(text).not.toContain(never);
  });
});
