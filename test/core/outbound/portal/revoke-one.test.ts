/** One portal token is revoked by its id: it ends with its next call, and no other does. */
import { expect, it } from 'vitest';
import { MOST_REVOKED } from '#core/outbound/api/portal-token.ts';
import type { AppId } from '#core/outbound/protocol/ids.ts';
import { applicationKey } from '#core/outbound/protocol/keys.ts';
import { HOUR_MS } from '#core/time.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

async function signedIn() {
  const world = await withEndpoint();
  const { app, call } = world;
  const make = async (): Promise<{ id: string; token: string }> =>
    (await call('POST /v1/apps/{app}/portal-tokens', { app }, { expires_in_seconds: 86_400 })).body;
  const revoke = (token: string) => call('DELETE /v1/apps/{app}/portal-tokens/{token}', { app, token });
  const ask = ({ token }: { readonly token: string }) => world.signIn(token);
  return { ...world, make, revoke, ask };
}

it('ends the one and leaves the others, also those that are made later', async () => {
  const { make, revoke, ask } = await signedIn();
  const [one, other] = [await make(), await make()];
  expect(await ask(one)).toBe('200');
  expect((await revoke(one.id)).status).toBe(204);
  expect((await revoke(one.id)).status).toBe(204);
  expect([await ask(one), await ask(other), await ask(await make())]).toEqual(['401 token_revoked', '200', '200']);
});

it('is never forgotten while the token would be good', async () => {
  const { make, revoke, ask, pass } = await signedIn();
  const one = await make();
  await revoke(one.id);
  for (let hour = 0; hour < 24; hour++) {
    pass(HOUR_MS);
    await revoke(`tok_${String(hour).padStart(32, '0')}`);
    expect(await ask(one), `${hour}`).toBe('401 token_revoked');
  }
  pass(HOUR_MS);
  expect(await ask(one)).toBe('401 token_expired');
});

it('takes so many in a day, then says how to revoke all; those that are over make room', async () => {
  const { app, make, revoke, ask, pass, call } = await signedIn();
  for (let n = 0; n < MOST_REVOKED; n++) await revoke(`tok_${String(n).padStart(32, '0')}`);
  const one = await make();
  expect(await revoke(one.id)).toMatchObject({
    status: 409,
    body: { error: 'too_many_revoked', detail: expect.stringContaining(`DELETE /v1/apps/${app}/portal-tokens`) },
  });
  expect(await ask(one)).toBe('200');
  await call('DELETE /v1/apps/{app}/portal-tokens', { app });
  expect(await ask(one)).toBe('401 token_revoked');
  pass(25 * HOUR_MS);
  expect((await revoke(one.id)).status).toBe(204);
});

it('all at one moment, by two whose clocks differ: the stamp of the later clock stays, or its tokens could be good again', async () => {
  const { app, call, store, clock, ports } = await signedIn();
  const now = clock.now();
  const clocks = [now + 90_000, now];
  Object.assign(ports, { clock: { now: () => clocks.shift() ?? now } });
  const all = () => call('DELETE /v1/apps/{app}/portal-tokens', { app });
  expect((await Promise.all([all(), all()])).map(({ status }) => status)).toEqual([204, 204]);
  const { tokensRevokedAt } = (await store.get(applicationKey(app as AppId), 'consistent')) ?? {};
  expect(tokensRevokedAt).toBe(now + 90_001);
});

it('two at one moment are both revoked', async () => {
  const { make, revoke, ask } = await signedIn();
  const [one, other] = [await make(), await make()];
  const answers = await Promise.all([revoke(one.id), revoke(other.id)]);
  expect(answers.map(({ status }) => status)).toEqual([204, 204]);
  expect([await ask(one), await ask(other)]).toEqual(['401 token_revoked', '401 token_revoked']);
});

it('wants the id, and does not take the token itself', async () => {
  const { make, revoke } = await signedIn();
  const { token } = await make();
  for (const given of [token, 'tok_', 'all'])
    expect(await revoke(given)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', detail: expect.stringContaining('never the token itself') },
    });
});

it.each([
  `x tok_${'0'.repeat(32)}`,
  `tok_${'0'.repeat(33)}`,
  `tok_${'0'.repeat(31)}`,
  `tok_${'G'.repeat(32)}`,
  'hfp_x',
])('takes nothing for an id that is none: %s', async id => {
  const { make, revoke, ask } = await signedIn();
  const one = await make();
  expect((await revoke(id)).status).toBe(400);
  expect(await ask(one)).toBe('200');
});
