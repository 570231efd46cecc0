import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import { MINUTE_MS } from '#core/time.ts';
import { MemorySecretValues } from '#test/kit/memory/memory-secrets.ts';
import { ProviderWorld, type ProviderWorldOptions, type Received, type Sent, SOURCE } from './provider-world.ts';

const START = 1_767_571_200_000;
const pairingUntil = (ms: number) => JSON.stringify({ pairingUntil: ms });
const OPEN = pairingUntil(START + 10 * MINUTE_MS);
const BROUGHT = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81';
const PLANTED = 'attackers-own-secret-0123456789abcdef';

const asanaHandshake = (secret: string): Sent => ({ headers: { 'x-hook-secret': secret }, body: '' });
const notionHandshake = (secret: string): Sent => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ verification_token: secret }),
});
const asana = (options: ProviderWorldOptions = {}) => new ProviderWorld('asana', { secret: OPEN, ...options });
const notion = (options: ProviderWorldOptions = {}) => new ProviderWorld('notion', { secret: OPEN, ...options });

const refusedPairing = expect.objectContaining({
  status: 403,
  body: '{"error":"pairing_closed","message":"This source takes no secret now"}',
});
const asanaEvent = JSON.stringify({
  events: [
    {
      user: { gid: '1' },
      resource: { gid: '2', resource_type: 'task' },
      action: 'changed',
      created_at: '2026-01-05T00:00:00.000Z',
    },
  ],
});

describe('a source that is pairing', () => {
  it('keeps the secret Asana brings, echoes it, and verifies with it from then on', async () => {
    const world = asana();
    const answer = await world.post(asanaHandshake(BROUGHT));
    expect(answer).toMatchObject({ status: 200, body: '', headers: { 'x-hook-secret': BROUGHT } });
    expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    expect(await world.storedSecret()).toBe(BROUGHT);
    expect(world.world.items()).toEqual([]);

    expect((await world.post(world.sign(asanaEvent, BROUGHT))).status).toBe(200);
    expect(world.world.items()).toHaveLength(1);
    expect((await world.post(world.sign(asanaEvent, PLANTED))).status).toBe(401);
  });

  it('keeps the token Notion brings, and verifies with it from then on', async () => {
    const world = notion();
    expect(await world.post(notionHandshake(BROUGHT))).toMatchObject({ status: 200 });
    expect(await world.storedSecret()).toBe(BROUGHT);
    const body = '{"id":"n-1","type":"page.created","timestamp":"2026-01-05T00:00:00Z"}';
    const signature = `sha256=${createHmac('sha256', BROUGHT).update(body).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-notion-signature': signature };
    expect((await world.post({ headers, body })).status).toBe(200);
  });

  it('opens when the window does, also in a process that had looked before', async () => {
    const world = asana({ secret: '' });
    expect(await world.post(asanaHandshake(BROUGHT))).toEqual(refusedPairing);
    world.world.secretValues.set(SOURCE, OPEN);
    await world.world.clock.advanceBy(30_000);
    expect((await world.post(asanaHandshake(BROUGHT))).status).toBe(200);
  });

  it('accepts no event before it has a secret', async () => {
    const world = asana();
    const unsigned = { headers: { 'content-type': 'application/json' }, body: asanaEvent };
    expect(await world.post(unsigned)).toMatchObject({ status: 503, body: expect.stringContaining('secret_not_set') });
    expect((await world.post(world.sign(asanaEvent, OPEN))).status).toBe(503);
    expect(world.world.items()).toEqual([]);
  });

  it('says nothing of the secret to the log or the metrics', async () => {
    const world = asana();
    await world.post(asanaHandshake(BROUGHT));
    await world.post(asanaHandshake(PLANTED));
    const told = JSON.stringify(world.world.telemetry.lines);
    expect(told).toContain('"outcome":"paired"');
    expect(told).not.toContain(BROUGHT);
    expect(told).not.toContain(PLANTED);
  });
});

describe('a secret that somebody plants', () => {
  it.each([
    ['no window was ever opened', ''],
    ['the window is over', pairingUntil(START)],
    ['a secret is set', BROUGHT],
    ['a secret is being rotated', JSON.stringify({ current: BROUGHT, previous: 'older-secret' })],
  ])('is refused with 403 when %s', async (_case, stored) => {
    for (const [world, handshake] of [
      [asana({ secret: stored }), asanaHandshake(PLANTED)],
      [notion({ secret: stored }), notionHandshake(PLANTED)],
    ] as const) {
      const answer = await world.post(handshake);
      expect(answer).toEqual(refusedPairing);
      expect(JSON.stringify(answer)).not.toContain(PLANTED);
      expect(await world.storedSecret()).toBe(stored);
      expect(world.refusals('pairing')).toBe(1);
    }
  });

  it('is refused to the millisecond at the end of the window', async () => {
    const end = START + 10 * MINUTE_MS;
    const world = asana();
    await world.world.clock.advanceTo(end);
    expect(await world.post(asanaHandshake(PLANTED))).toEqual(refusedPairing);
    const other = asana();
    await other.world.clock.advanceTo(end - 1);
    expect((await other.post(asanaHandshake(BROUGHT))).status).toBe(200);
  });

  it('is refused once another was kept, by a process that still believes the window open', async () => {
    const clock = new VirtualClock();
    const values = new MemorySecretValues();
    values.set(SOURCE, OPEN);
    const [first, second] = [new CachedSecrets(values, clock), new CachedSecrets(values, clock)];
    expect(await Promise.all([first.get(SOURCE), second.get(SOURCE)])).toEqual(
      [1, 2].map(() => ({ kind: 'unset', pairingUntil: START + 10 * MINUTE_MS })),
    );
    expect(await first.pair(SOURCE, BROUGHT)).toBe('paired');
    expect(await second.pair(SOURCE, PLANTED)).toBe('taken');
    expect(await values.fetch(SOURCE)).toBe(BROUGHT);
    for (const secrets of [first, second])
      expect(await secrets.get(SOURCE)).toEqual({ kind: 'secret', secret: { current: BROUGHT } });
  });

  it('is not kept in quarantine', async () => {
    const world = notion({ secret: BROUGHT, source: { quarantine: true } });
    expect(await world.post(notionHandshake(PLANTED))).toEqual(refusedPairing);
    expect(world.stored()).toBe('[[],[]]');
  });

  it('does not make the gateway ask Secrets Manager again and again', async () => {
    const world = asana({ secret: BROUGHT });
    for (let n = 0; n < 50; n++) await world.post(asanaHandshake(PLANTED));
    // Few processes, one look and one forced look each.
    expect(world.world.secretValues.fetches).toBeLessThanOrEqual(8);
  });

  it.each(['short', 'has space and more text here', 'x'.repeat(600), 'line\nbreak-0123456789abcdef', ''])(
    'is refused when it is no secret: %j',
    async text => {
      const world = notion();
      const answer = await world.post(notionHandshake(text));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await world.storedSecret()).toBe(OPEN);
    },
  );
});

describe('two secrets at once', () => {
  it.each([1, 2, 3, 4, 5])('one of them is kept, and only its sender is told so (seed %i)', async seed => {
    const world = asana({
      seed,
      process: { latencyMs: () => ({ there: 1 + ((seed * 7) % 5), back: 1 + ((seed * 3) % 7) }) },
    });
    const secrets = [BROUGHT, PLANTED, `${BROUGHT}-2`, `${PLANTED}-2`];
    const answers = await world.world.clock.complete(
      Promise.all(secrets.map(secret => world.send(asanaHandshake(secret)))),
    );
    const kept = await world.storedSecret();
    const good = answers.filter((answer: Received) => answer.status === 200);
    expect(good).toHaveLength(1);
    expect(good[0]?.headers['x-hook-secret']).toBe(kept);
    expect(answers.filter(answer => answer.status === 403)).toHaveLength(3);
  });
});

describe('a store that fails while pairing', () => {
  it('gives 503, echoes nothing, and keeps nothing it does not have', async () => {
    const world = asana({
      planOf: role =>
        role === 'ingest' ? call => (call.name === 'secrets.replace' ? 'throttled' : undefined) : () => undefined,
    });
    const answer = await world.post(asanaHandshake(BROUGHT));
    expect(answer).toMatchObject({ status: 503, body: expect.stringContaining('not_paired') });
    expect(answer.headers['x-hook-secret']).toBeUndefined();
    expect(await world.storedSecret()).toBe(OPEN);
  });

  it('gives 503 while the secret cannot be read at all', async () => {
    const world = asana();
    world.world.secretValues.unreachable = true;
    expect(await world.post(asanaHandshake(BROUGHT))).toMatchObject({ status: 503 });
  });
});

describe('a stored pairing window', () => {
  it('is unset until then, and an error when its end is no time', () => {
    expect(parseSecret('{"pairingUntil":1767571200000}')).toEqual({ kind: 'unset', pairingUntil: 1_767_571_200_000 });
    expect(() => parseSecret('{"pairingUntil":"tomorrow"}')).toThrow(TypeError);
    expect(parseSecret('{"current":"a","pairingUntil":1}')).toEqual({ kind: 'secret', secret: { current: 'a' } });
  });
});
