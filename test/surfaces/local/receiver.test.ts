/** The receiver that `npm start` shows deliveries with: each behaviour as its path says, signatures as they are. */
import { afterEach, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { type LocalReceiver, type ReceivedWebhook, startReceiver } from '#local/sample/receiver.ts';
import { BEHAVIOUR_NAMES } from '#local/sample/receiver-behaviours.ts';
import { standardWebhooks } from '#providers/standard-webhooks.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const BODY = '{"type":"invoice.paid"}';

let receiver: LocalReceiver;
let told: ReceivedWebhook[];
async function start(secrets: readonly string[] = []): Promise<void> {
  told = [];
  receiver = await startReceiver({ secrets: () => secrets, onRequest: each => told.push(each) });
}
afterEach(() => receiver.stop());

function post(path: string, { id = 'msg_1', secret = SECRET, body = BODY, ms = 1_000 } = {}): Promise<Response> {
  const { headers } = signRequest(standardWebhooks, {
    body: Buffer.from(BODY),
    headers: { 'webhook-id': id },
    secret,
    nowMs: Date.now(),
    crypto: nodeCrypto,
  });
  const init = { method: 'POST', headers: { ...headers }, body, redirect: 'manual' as const };
  return fetch(`${receiver.url}${path}`, { ...init, signal: AbortSignal.timeout(ms) });
}
const statusOf = async (...call: Parameters<typeof post>): Promise<number> => (await post(...call)).status;

it('fails as often as it is told for each message, then answers', async () => {
  await start();
  expect([await statusOf('/fail/a?times=2'), await statusOf('/fail/a?times=2')]).toEqual([503, 503]);
  expect(await statusOf('/fail/a?times=2', { id: 'msg_2' })).toBe(503);
  expect(await statusOf('/fail/b?times=2')).toBe(503);
  expect(await statusOf('/fail/a?times=2')).toBe(200);
  expect(told.map(each => each.answer)).toEqual(['503', '503', '503', '503', '200']);
});

it('answers with any status, Retry-After, a redirect, a wish to be disabled', async () => {
  await start();
  const throttled = await post('/429?after=30');
  expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '30']);
  expect(await statusOf('/410')).toBe(410);
  const moved = await post('/redirect');
  expect([moved.status, moved.headers.get('location')]).toEqual([302, '/ok']);
  expect((await post('/disable')).headers.get('webhook-delivery')).toBe('disable');
  const unknown = await post('/no-such-thing');
  expect(unknown.status).toBe(404);
  const text = await unknown.text();
  for (const [path] of BEHAVIOUR_NAMES) expect(text).toContain(path);
});

it('hangs, resets, and has bodies without end; all of it ends with the receiver', async () => {
  await start();
  await expect(post('/hang', { ms: 150 })).rejects.toThrow(/timeout/i);
  await expect(post('/reset')).rejects.toThrow();
  const dripping = await post('/drip', { ms: 60_000 });
  const endless = await post('/big', { ms: 60_000 });
  expect([dripping.status, endless.status]).toEqual([200, 200]);
  const slow = post('/slow?ms=60000', { ms: 60_000 });
  slow.catch(() => undefined);
  await expect.poll(() => told.length).toBe(5);
  await receiver.stop();
  await expect(slow).rejects.toThrow();
  await expect(dripping.text()).rejects.toThrow();
});

it('says whether the signature is that of one of its secrets', async () => {
  await start([OTHER, SECRET]);
  expect(await statusOf('/verify')).toBe(204);
  expect(await statusOf('/verify', { secret: OTHER })).toBe(204);
  expect(await statusOf('/verify', { secret: `whsec_${Buffer.alloc(32, 9).toString('base64')}` })).toBe(401);
  expect(await statusOf('/verify', { body: `${BODY} ` })).toBe(401);
  expect(told.map(each => each.signature)).toEqual([
    'verified',
    'verified',
    'not verified (mismatch)',
    'not verified (mismatch)',
  ]);
  await receiver.stop();
  await start();
  await post('/ok');
  expect(told[0]?.signature).toBe('unchecked');
});
