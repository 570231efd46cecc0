/** What a customer sees of a hold, of the last failure, and of a publication that is no text. */
import { expect, it } from 'vitest';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import { runtimeKey } from '#core/outbound/protocol/keys.ts';
import { toIso } from '#core/time.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

const E = '/v1/apps/{app}/endpoints/{ep}';

it('shows the later of the schedule and the hold as the next retry, never a time that is past, and why', async () => {
  const { app, ep, call, publish, settle, pass, answer, store, clock } = await withEndpoint();
  const shown = async () => (await call(`GET ${E}/deliveries`, { app, ep })).body.data[0];
  answer(422);
  await publish(app, '{"key":"k","type":"a","data":1}');
  await settle();
  expect(await shown()).toMatchObject({ status: 'retrying', held: false, held_until: null, held_why: null });
  pass(60_000);
  expect((await shown()).next_retry_at).toBe(toIso(clock.now()));
  const holdUntil = clock.now() + 600_000;
  const set = { holdUntil, holdWhy: 'throttled' as const };
  await store.update({ kind: 'update', key: runtimeKey(ep as EndpointId), set });
  const until = toIso(holdUntil);
  expect(await shown()).toMatchObject({ held: true, held_until: until, held_why: 'throttled', next_retry_at: until });
  await call(`POST ${E}/pause`, { app, ep }, {});
  expect(await shown()).toMatchObject({ held: true, held_until: null, held_why: 'paused', next_retry_at: null });
});

it('keeps class and code of the last failure after a success', async () => {
  const { app, ep, call, publish, settle, pass, answer } = await withEndpoint();
  answer(422);
  await publish(app, '{"key":"k","type":"a","data":1}');
  await settle();
  answer(200);
  pass(10_000);
  await publish(app, '{"key":"l","type":"a","data":1}');
  await settle();
  const { body } = await call(`GET ${E}/health`, { app, ep });
  expect(body.last_success_at).not.toBeNull();
  expect(body.last_failure).toMatchObject({ class: 'message_refused', code: 422 });
});

it('refuses what is no UTF-8, and stores nothing', async () => {
  const { app, call, publish } = await withEndpoint();
  const bytes = new TextEncoder().encode('{"key":"k","type":"a","data":"x"}');
  bytes[bytes.indexOf(0x78)] = 0xff;
  const { status, body } = await publish(app, bytes);
  expect([status, body.detail]).toEqual([400, expect.stringContaining('not UTF-8')]);
  expect((await call('GET /v1/apps/{app}/messages', { app })).body.data).toEqual([]);
});
