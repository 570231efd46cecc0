/**
 * An upgrade while a breaker has parked events and others wait after failures: how long each of them stays is bounded, and
 * `status` says by what.
 */
import { expect, it } from 'vitest';
import { defineHandlers, done, type Handler } from '#core/handler/handler-contract.ts';
import { DEFAULT_RETRY } from '#core/retry/backoff.ts';
import { MINUTE_MS } from '#core/time.ts';
import { handlerThat, type WorldHandlers } from '../../proof/journeys/support/handlers.ts';
import { CliWorld } from './cli-world.ts';

/** The sweeper comes once a minute; a message is taken and handled within another one. */
const AFTER_DUE_MS = 2 * MINUTE_MS;

it('runs every parked, deferred and failed event within the time that status told before', async () => {
  let version = 1;
  const common = handlerThat(({ id }) => {
    if (version === 2) return undefined;
    if (id.startsWith('waits'))
      return Promise.resolve({
        kind: 'deferred',
        untilMs: cli.world.clock.now() + 40 * MINUTE_MS,
        reason: 'another event',
      });
    return Promise.reject(new Error('the service is down'));
  });
  // Of a type of its own, whose breaker one failure leaves closed: it waits as failed.
  const alone: Handler = () =>
    version === 2 ? Promise.resolve(done({ actionTaken: 'counted' })) : Promise.reject(new Error('down, too'));
  const handlers: WorldHandlers = world => {
    const all = common(world).registrations ?? [];
    return defineHandlers([...all, { source: 'shop', type: 'rare.event', handle: alone }]);
  };
  const cli: CliWorld = new CliWorld({ handlers, retry: DEFAULT_RETRY });
  const { world } = cli;
  world.start();
  await world.post({ source: 'shop', id: 'waits-1', type: 'slow.event' });
  for (let n = 0; n < 60; n++) await world.post({ source: 'shop', id: `evt-${n}` });
  await world.clock.advanceBy(2 * MINUTE_MS);
  for (let n = 0; n < 20; n++) await world.post({ source: 'shop', id: `late-${n}` });
  await world.clock.advanceBy(3 * MINUTE_MS - 30_000);
  await world.post({ source: 'shop', id: 'alone-1', type: 'rare.event' });
  await world.clock.advanceBy(1_500);
  const open = world.items();
  expect(
    open.some(it => it.status === 'deferred' && it.parked && it.attempts === 0),
    'parked by the breaker',
  ).toBe(true);
  expect(open.some(it => it.status === 'failed')).toBe(true);
  const { value } = await cli.json(['status']);
  const { last_due_at, unfinished } = value as { last_due_at: string; unfinished: { count: number } };
  expect(unfinished.count).toBe(open.length);
  const bound = Date.parse(last_due_at) + AFTER_DUE_MS;
  // The upgrade: new code in new environments; nobody remembers an open breaker.
  version = 2;
  world.process.replaceEnvironments();
  await world.clock.advanceTo(bound);
  expect(world.items().filter(it => it.status !== 'completed')).toEqual([]);
  world.stop();
});
