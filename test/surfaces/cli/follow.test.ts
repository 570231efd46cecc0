/** `events tail` and `listen` miss nothing: across an outage of the log, a restart, a late index, a program that is away. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';
import { cursorFile, FollowLog, type Place, type PlaceMemory } from '#operator/health/follow-log.ts';
import type { HttpAnswer } from '#operator/http-answer.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';
import { CliWorld, temporaryFile } from './cli-world.ts';

const OUTAGE_MS = 30_000;

function memoryOf(place?: Place): PlaceMemory & { place: Place | undefined } {
  return {
    place,
    load() {
      return this.place;
    },
    save(next) {
      this.place = structuredClone(next);
    },
  };
}

/** Sends an event every so often until stopped; the ids in order. */
function traffic(cli: CliWorld, everyMs: number): { ids: string[]; stop(): void } {
  const ids: string[] = [];
  let stopped = false;
  const next = (): void => {
    if (stopped) return;
    const id = `good-${ids.length}`;
    ids.push(id);
    void cli.world.deliver({ id, source: ids.length % 2 === 0 ? 'shop' : 'pay' });
    cli.world.clock.after(everyMs, next);
  };
  next();
  return {
    ids,
    stop: () => {
      stopped = true;
    },
  };
}

/** The store, cut off for a while. */
function cutOff(cli: CliWorld, from: number, to: number) {
  const { store } = cli.gateway;
  const guard = (): void => {
    const now = cli.world.clock.now();
    if (now >= from && now < to) throw new DependencyError('dynamodb', 'Query: connect ECONNREFUSED');
  };
  return {
    timeline: async (...args: Parameters<typeof store.timeline>) => {
      guard();
      return store.timeline(...args);
    },
    getMany: async (...args: Parameters<typeof store.getMany>) => {
      guard();
      return store.getMany(...args);
    },
  };
}

const keyOf = (item: EventItem): string => item.pk.split('#')[1] ?? '';

describe('a follower of the event log', () => {
  it('tells of every event once when it arrives and once when it ends, across 30 s without the log', async () => {
    // The index as the model has it: mostly at once, one entry in two hundred up to ten seconds late.
    const cli = new CliWorld({ database: {} });
    const { clock } = cli.world;
    cli.world.start();
    const sending = traffic(cli, 150);
    const outages: string[] = [];
    const told: string[] = [];
    const ended: string[] = [];
    const stop = new AbortController();
    const log = new FollowLog({
      store: cutOff(cli, clock.now() + 40_000, clock.now() + 40_000 + OUTAGE_MS),
      clock,
      timer: cli.gateway.timer,
      sources: cli.world.sources.map(it => it.id),
      memory: memoryOf(),
      onOutage: message => outages.push(message),
    });
    const following = log.follow(async item => {
      (told.includes(keyOf(item)) ? ended : told).push(keyOf(item));
      return true;
    }, stop.signal);
    await clock.advanceBy(150_000);
    sending.stop();
    await clock.advanceBy(60_000);
    stop.abort();
    await clock.complete(following);
    cli.world.stop();
    expect(outages).toHaveLength(1);
    expect(sending.ids.length).toBeGreaterThan(900);
    expect([...told].sort()).toEqual([...sending.ids].sort());
    expect(new Set(ended).size).toBe(ended.length);
  });

  it('goes on where it stopped, 30 s later, and tells nothing twice', async () => {
    const cli = new CliWorld({ database: {} });
    const { clock } = cli.world;
    cli.world.start();
    const sending = traffic(cli, 200);
    const memory = memoryOf();
    const told: string[] = [];
    for (const [runMs, pauseMs] of [
      [20_000, OUTAGE_MS],
      [15_000, 5_000],
      [60_000, 0],
    ] as const) {
      const stop = new AbortController();
      const log = new FollowLog({
        store: cli.gateway.store,
        clock,
        timer: cli.gateway.timer,
        sources: cli.world.sources.map(it => it.id),
        memory,
        endings: false,
      });
      const following = log.follow(async item => {
        told.push(keyOf(item));
        return true;
      }, stop.signal);
      if (runMs === 60_000) {
        await clock.advanceBy(20_000);
        sending.stop();
      }
      await clock.advanceBy(runMs);
      stop.abort();
      await clock.complete(following);
      await clock.advanceBy(pauseMs);
    }
    cli.world.stop();
    expect(new Set(told).size).toBe(told.length);
    expect([...told].sort()).toEqual([...sending.ids].sort());
  });

  it('offers an event again that could not be taken', async () => {
    const cli = new CliWorld();
    const { clock } = cli.world;
    cli.world.start();
    const memory = memoryOf();
    const stop = new AbortController();
    const seen: string[] = [];
    const log = new FollowLog({
      store: cli.gateway.store,
      clock,
      timer: cli.gateway.timer,
      sources: cli.world.sources.map(it => it.id),
      memory,
      endings: false,
    });
    const following = log.follow(async item => {
      seen.push(keyOf(item));
      return seen.length > 2;
    }, stop.signal);
    await cli.happen(['good-1', 'good-2']);
    await clock.advanceBy(10_000);
    stop.abort();
    await clock.complete(following);
    cli.world.stop();
    expect(seen).toEqual(['good-1', 'good-1', 'good-1', 'good-2']);
  });

  it('tells of each attempt that failed where that is asked for, and of nothing twice', async () => {
    const cli = new CliWorld({
      retry: { attempts: 3, baseSeconds: 5, capSeconds: 5 },
      handlers: handlerThat(({ id, nth }) =>
        id.startsWith('slow') && nth < 3 ? Promise.reject(new Error('not yet')) : undefined,
      ),
    });
    const { clock } = cli.world;
    cli.world.start();
    const stop = new AbortController();
    const told: string[] = [];
    const log = new FollowLog({
      store: cli.gateway.store,
      clock,
      timer: cli.gateway.timer,
      sources: cli.world.sources.map(it => it.id),
      memory: memoryOf(),
      failures: true,
      pollMs: 100,
    });
    const following = log.follow(async item => {
      told.push(`${keyOf(item)} ${item.status} ${item.attempts}`);
      return true;
    }, stop.signal);
    await cli.happen(['slow-1', 'good-1']);
    await clock.advanceBy(120_000);
    stop.abort();
    await clock.complete(following);
    cli.world.stop();
    expect(told.filter(line => !/ (?:pending|processing) /.test(line))).toEqual([
      'slow-1 failed 1',
      'good-1 completed 1',
      'slow-1 failed 2',
      'slow-1 completed 3',
    ]);
  });

  it('keeps its place in a file', () => {
    const file = cursorFile('local', 'tail', temporaryFile('.'));
    expect(file.load()).toBeUndefined();
    const place: Place = { at: 2, from: 1, told: [['shop#a' as never, 1]] };
    file.save(place);
    expect(file.load()).toEqual(place);
    expect(() => cursorFile('local', '../../etc')).toThrow('letters, digits');
  });
});

describe('the commands', () => {
  const name = `test-${process.pid}`;
  afterEach(() => {
    for (const env of ['local', 'prod'])
      rmSync(join(HOLDFAST_DIRECTORY, 'cursors', `${env}-${name}.json`), { force: true });
  });

  it('events tail prints a JSON object a line, from when it is told', async () => {
    const cli = new CliWorld();
    cli.world.start();
    await cli.happen(['good-1', 'bad-1']);
    const stop = new AbortController();
    cli.world.clock.after(10_000, () => stop.abort());
    const { code, value, stderr } = await cli.json(['events', 'tail', '--since', '7d', '--name', name], {
      signal: stop.signal,
    });
    cli.world.stop();
    expect(code).toBe(0);
    expect(value).toMatchObject([
      { id: 'evt_shop.good-1', status: 'completed' },
      { id: 'evt_shop.bad-1', status: 'dead_letter' },
    ]);
    expect(stderr).toContain('Following shop, pay in local');
  });

  it('listen forwards the exact bodies, waits while nothing answers, and signs anew with --sign', async () => {
    const cli = new CliWorld();
    const { clock } = cli.world;
    cli.world.start();
    await cli.happen(['good-1', 'good-2']);
    const bodies = new Map<string, string>();
    const away = clock.now() + OUTAGE_MS;
    const http = async (
      url: string,
      request: { headers: Readonly<Record<string, string>>; body?: Uint8Array },
    ): Promise<HttpAnswer> => {
      if (url.startsWith('https://gateway.test')) return cli.gateway.http(url, { method: 'POST', ...request });
      if (clock.now() < away) throw new Error('connect ECONNREFUSED 127.0.0.1:3000');
      expect(request.headers['x-webhook-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
      bodies.set(request.headers['holdfast-event-id'] ?? '', Buffer.from(request.body ?? []).toString());
      return { status: 204, headers: {}, body: '', ms: 3 };
    };
    const stop = new AbortController();
    clock.after(OUTAGE_MS + 20_000, () => stop.abort());
    const args = ['listen', '--forward-to', 'http://localhost:3000/hooks', '--since', '7d', '--sign', '--name', name];
    const { code, value, stderr } = await cli.json(args, { gateway: { http }, signal: stop.signal });
    cli.world.stop();
    expect(code).toBe(0);
    expect(value).toMatchObject([
      { id: 'evt_shop.good-1', outcome: 'forwarded', status: 204 },
      { id: 'evt_shop.good-2' },
    ]);
    expect(stderr.match(/Nothing answers/g)).toHaveLength(1);
    expect([...bodies.keys()]).toEqual(['evt_shop.good-1', 'evt_shop.good-2']);
    expect(JSON.parse(bodies.get('evt_shop.good-1') ?? '')).toMatchObject({ event_id: 'good-1' });
  });

  it.each(['../../outside', 'a/b', 'a.b', 'x'.repeat(41), ''])(
    'refuses the name %j: it is that of a file',
    async name => {
      const { code, stderr } = await new CliWorld().run(['events', 'tail', '--name', name]);
      expect(code).toBe(2);
      expect(stderr).toContain('1 to 40 letters, digits, hyphens');
    },
  );

  it('listen refuses what is no address', async () => {
    const { code, stderr } = await new CliWorld().run(['listen', '--forward-to', 'localhost:3000']);
    expect(code).toBe(2);
    expect(stderr).toContain('http://localhost:3000');
  });
});

it('tells what came between two looks in the order of arrival, whatever order the store answers in', async () => {
  const cli = new CliWorld();
  const { clock } = cli.world;
  cli.world.start();
  const from = clock.now();
  const sent: string[] = [];
  for (let n = 0; n < 12; n++) {
    sent.push(`good-${n}`);
    await cli.world.post({ id: `good-${n}`, source: n % 3 === 0 ? 'shop' : 'pay' });
    await clock.advanceBy(10);
  }
  await clock.advanceBy(5_000);
  const { store } = cli.gateway;
  const told: string[] = [];
  const stop = new AbortController();
  const log = new FollowLog({
    ...{
      clock,
      timer: cli.gateway.timer,
      sources: cli.world.sources.map(it => it.id),
      memory: memoryOf(),
      since: from,
    },
    // BatchGetItem answers in no order.
    store: { timeline: store.timeline.bind(store), getMany: async pks => (await store.getMany(pks)).toReversed() },
    endings: false,
  });
  const following = log.follow(async item => {
    told.push(keyOf(item));
    return true;
  }, stop.signal);
  await clock.advanceBy(500);
  stop.abort();
  await clock.advanceBy(5_000);
  await following;
  cli.world.stop();
  expect(told).toEqual(sent);
});
