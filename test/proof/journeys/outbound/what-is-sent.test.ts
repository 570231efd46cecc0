/** O13: the bytes that are stored are signed and sent, anew for each attempt. O18: no log line has a body or a secret. */
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it, vi } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';

/** JSON whose bytes no parser gives back: digits, duplicate members, blanks, escapes, halves of characters. */
const ODD = [
  '{"amount": 9007199254740993.10}',
  '{"a":1,"a":2 , "\\u0061":3}',
  '[1e400, -0, 0.1e+1, "\\ud800"]',
  '"é 漢字 \\u0000 \\/"',
  'null',
];

afterEach(() => {
  vi.useRealTimers();
});

it('sends the stored bytes, the same id and a fresh time and signature with each attempt (O13)', async () => {
  const world = await withEndpoint();
  const { app, ep, secret } = world;
  vi.useFakeTimers({ toFake: ['Date'] });
  const official = new Webhook(secret);
  const random = new SeededRandom(13);
  const bodies = [
    ...ODD,
    ...Array.from({ length: 20 }, () => `{"n":${random.int(1e9)},"t":"${'x'.repeat(random.int(3_000))}"}`),
  ];
  let checked = 0;
  for (const [at, data] of bodies.entries()) {
    world.answer(422);
    const from = world.sent.length;
    const { body } = await world.publish(app, `{"key":"k${at}","type":"odd.one","data":${data}}`);
    await world.settle();
    // The second attempt of the schedule, and the third.
    for (let n = 0; n < 2; n++) {
      world.pass(301_000);
      world.answer(n === 0 ? 422 : 200);
      world.wakeUps.push({ v: 1, ep });
      await world.settle();
    }
    const requests = world.sent.slice(from);
    expect(requests.length).toBeGreaterThanOrEqual(2);
    const stored = await world.call('GET /v1/apps/{app}/messages/{msg}/body', { app, msg: body.id });
    const bytes = Buffer.from(stored.body.base64, 'base64');
    expect(bytes.includes(Buffer.from(data))).toBe(true);
    const times = new Set<string>();
    for (const { headers, body: sent } of requests) {
      expect(Buffer.from(sent).equals(bytes)).toBe(true);
      expect(headers['webhook-id']).toBe(body.id);
      times.add(headers['webhook-timestamp'] ?? '');
      // By the official library, not by our own engine. It knows the machine's clock alone.
      vi.setSystemTime(Number(headers['webhook-timestamp']) * 1_000);
      expect(() => official.verify(Buffer.from(sent), { ...headers })).not.toThrow();
      const changed = Buffer.from(sent);
      changed[0] = (changed[0] ?? 0) ^ 1;
      expect(() => official.verify(changed, { ...headers })).toThrow();
      checked += 1;
    }
    expect(times.size).toBe(requests.length);
    expect(new Set(requests.map(({ headers }) => headers['webhook-signature'])).size).toBe(requests.length);
  }
  recordRun(['O13'], 'what-is-sent', checked);
});

it('logs neither bodies nor secrets, whatever fails (O18)', async () => {
  const world = await withEndpoint();
  const { app, ep, secret } = world;
  const rotated = await world.call('POST /v1/apps/{app}/endpoints/{ep}/secret/rotate', { app, ep }, {});
  const canaries = [
    'canary-in-the-body',
    'canary-in-the-answer',
    secret.slice(6),
    String(rotated.body.secret).slice(6),
  ];
  world.say('canary-in-the-answer');
  for (const [n, status] of [200, 500, 422, 410, 429, 302].entries()) {
    world.answer(status);
    await world.publish(app, `{"key":"k${n}","type":"t.one","data":{"text":"canary-in-the-body"}}`);
    await world.settle();
    world.pass(60_000);
  }
  world.outage(true);
  await world.publish(app, '{"key":"out","type":"t.one","data":{"text":"canary-in-the-body"}}').catch(() => undefined);
  world.outage(false);
  await world.publish(app, '{"key":"k","type":"not a type","data":{"text":"canary-in-the-body"}}');
  const lines = JSON.stringify(world.telemetry.lines);
  expect(lines.length).toBeGreaterThan(10);
  for (const canary of canaries) expect(lines.includes(canary), canary).toBe(false);
  recordRun(['O18'], 'what-is-sent', world.telemetry.lines.length);
});
