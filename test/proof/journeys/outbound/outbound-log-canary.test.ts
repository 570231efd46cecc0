/** What sending prints while everything goes wrong: never a secret, a body that it sent, or a body that it got back. */
import { expect, it } from 'vitest';
import { HOUR_MS } from '#core/time.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

const CANARY = 'canary-4111111111111111';

// Holds O18.
it('no log line has a secret, a sent body or the body of an answer', async () => {
  const world = await withEndpoint();
  const { app, ep, secret, telemetry } = world;
  const publish = (key: string, data: unknown) =>
    world.publish('uid:acme', JSON.stringify({ type: 'invoice.paid', key, data }));
  world.say(`nobody pays with ${CANARY}`);
  for (const status of [500, 422, 429, 410]) {
    world.answer(status);
    await publish(`key-${status}`, { card: CANARY });
    await world.settle();
    world.pass(HOUR_MS);
  }
  await world.publish('uid:acme', `{"type":"broken","data":"${CANARY}`);
  await world.call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', { app, ep }, {});
  expect(world.sent.length, 'requests that carried the body').toBeGreaterThan(2);
  const text = JSON.stringify([telemetry.lines, telemetry.measures]);
  expect(telemetry.lines.length).toBeGreaterThan(0);
  for (const told of [CANARY, secret, secret.slice(-20)]) expect(text).not.toContain(told);
});
