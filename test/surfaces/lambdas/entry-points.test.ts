/** From Lambda's events to the rules and back, without any store. */
import middy from '@middy/core';
import { describe, expect, it } from 'vitest';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { replyToErrors } from '#lambdas/ingest/reply-to-errors.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { readEnv, text } from '#lambdas/shared/read-env.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';

describe('readEnv', () => {
  const spec = { A: text, B: text, PORT: (value: string) => Number(value) };
  it('reads what is there, by its parser', () => {
    expect(readEnv(spec, { A: 'a', B: 'b', PORT: '8080', OTHER: 'x' })).toEqual({ A: 'a', B: 'b', PORT: 8080 });
  });
  it('names every problem in one error', () => {
    expect(() => readEnv(spec, { A: '' })).toThrow(/A is empty; .*B is missing; PORT is missing/);
  });
});

describe('the middlewares', () => {
  it('run around the composed handler, whether it answers or throws', async () => {
    const telemetry = new MemoryTelemetry();
    let flushed = 0;
    const handler = middy((request: { fail: boolean }) => {
      if (request.fail) throw new Error('the secret is hunter2');
      return { statusCode: 200 };
    })
      .use(
        flushTelemetry({
          log: (level, line) => telemetry.log(level, line),
          measure: () => undefined,
          flush: () => {
            flushed += 1;
          },
        }),
      )
      .use(replyToErrors(telemetry));
    expect(await handler({ fail: false }, {} as never)).toEqual({ statusCode: 200 });
    const answer = await handler({ fail: true }, {} as never);
    expect(answer).toMatchObject({ statusCode: 500, body: expect.stringContaining('internal_error') });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(flushed).toBe(2);
    expect(telemetry.lines).toMatchObject([
      { level: 'error', line: { cause: 'internal_error' } },
      { level: 'error', line: { stage: 'crashed', error: 'Error' } },
    ]);
    expect(JSON.stringify(telemetry.lines[1])).not.toContain('hunter2');
  });
});

describe('a request of API Gateway', () => {
  it('finds its source by the route alone, also by a second path of the same source', async () => {
    const world = new MemoryWorld({ source: { paths: ['/webhooks/default', '/webhook'] } });
    const request = world.apiEvent({ id: 'evt_1' });
    for (const routeKey of ['POST /webhooks/default', 'POST /webhook']) {
      const outcome = await world.clock.complete(world.ingest.invoke({ ...request, routeKey }));
      expect(outcome).toMatchObject({ payload: expect.stringContaining('"statusCode":200') });
    }
    const elsewhere = await world.clock.complete(world.ingest.invoke({ ...request, routeKey: '$default' }));
    expect(elsewhere).toMatchObject({ payload: expect.stringContaining('"statusCode":404') });
    expect(world.items()).toHaveLength(1);
  });

  it('without a body is an empty body', async () => {
    const world = new MemoryWorld();
    const { body: _, ...request } = world.apiEvent({ id: '', rawBody: '' });
    const outcome = await world.clock.complete(world.ingest.invoke(request));
    expect(outcome).toMatchObject({ payload: expect.stringContaining('"statusCode":200') });
    expect(world.items()).toMatchObject([{ size: 0 }]);
  });
});
