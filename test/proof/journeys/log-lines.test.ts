/** What the functions print, by the telemetry that runs in production: how much, and with which trace. */
import { describe, expect, it } from 'vitest';
import { done } from '#core/handler/handler-contract.ts';
import { handlerThat } from './support/handlers.ts';
import { printing } from './support/printing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

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

describe('a received event', () => {
  const received = (lines: readonly string[]) =>
    lines.map(line => JSON.parse(line) as Record<string, unknown>).filter(line => line['stage'] === 'received');

  it('that came before has a line that says when, which and of what type; the first has its record', async () => {
    const { world, lines, telemetry } = printing('info', { handlers: handlerThat(() => undefined) });
    for (let i = 0; i < 2; i++) await world.post({ ...TYPICAL, data: { card: '4242' } });
    telemetry.flush();
    const event_id = `evt_stripe.${TYPICAL.id}`;
    expect(received(lines)).toMatchObject([
      { level: 'INFO', source: 'stripe', event_id, event_type: TYPICAL.type, outcome: 'duplicate' },
    ]);
    expect(lines.join()).not.toContain('4242');
  });

  it('has a line each time at the level debug', async () => {
    const { world, lines, telemetry } = printing('debug', { handlers: handlerThat(() => undefined) });
    for (let i = 0; i < 2; i++) await world.post(TYPICAL);
    telemetry.flush();
    expect(received(lines).map(line => line['outcome'])).toEqual(['recorded', 'duplicate']);
  });
});

describe('with logArrivals', () => {
  it('a first arrival has its line, too, beside its metrics, which adds at most 250 bytes', async () => {
    const printed = async (logArrivals: boolean) => {
      const { world, lines, telemetry } = printing('info', {
        handlers: handlerThat(() => undefined),
        ...(logArrivals && { logArrivals: true as const }),
      });
      await world.post({ ...TYPICAL, data: { card: '4242' } });
      telemetry.flush();
      return lines;
    };
    const [without, lines] = [await printed(false), await printed(true)];
    expect(lines.length).toBe(without.length);
    expect(lines.join('').length - without.join('').length, lines.join()).toBeLessThanOrEqual(250);
    const [line] = lines.map(each => JSON.parse(each) as Record<string, unknown>).filter(each => each['stage']);
    expect(line).toMatchObject({
      ...{ level: 'INFO', stage: 'received', source: 'stripe', event_id: `evt_stripe.${TYPICAL.id}` },
      ...{ event_type: TYPICAL.type, outcome: 'recorded', trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
    expect(without.join()).not.toContain('"received"');
    expect(lines.join()).not.toContain('4242');
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

  it('is the same in each line of an event, from its arrival to its death and its copies, where the sender brings none', async () => {
    const { world, lines, telemetry } = printing('info', {
      logArrivals: true,
      handlers: handlerThat(() => {
        throw new Error('never');
      }),
    });
    for (let i = 0; i < 2; i++) await world.post(TYPICAL);
    await world.settle();
    telemetry.flush();
    const parsed = lines.map(line => JSON.parse(line) as Record<string, unknown>);
    // The audit of the night is of no event.
    const own = parsed.filter(line => line['stage'] !== undefined && line['stage'] !== 'audit');
    // Attempts that waited for hours, too: the sweeper sent their messages.
    expect(new Set(own.map(line => line['stage']))).toEqual(new Set(['received', 'attempt', 'dead_letter']));
    const ids = new Set(own.map(line => line['trace_id']));
    expect([...ids]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it("is the sender's in each of them", async () => {
    const { world, lines, telemetry } = printing('info', {
      logArrivals: true,
      handlers: handlerThat(() => {
        throw new Error('never');
      }),
    });
    await world.post({ ...TYPICAL, headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } });
    await world.settle();
    telemetry.flush();
    const own = lines
      .map(line => JSON.parse(line) as Record<string, unknown>)
      .filter(line => line['stage'] && line['stage'] !== 'audit');
    expect(own.length).toBeGreaterThan(3);
    for (const line of own) expect(line['trace_id'], JSON.stringify(line)).toBe(TRACE);
  });
});
