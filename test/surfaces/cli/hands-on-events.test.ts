/** The hands-on drills that are about events: a person types commands over the whole gateway in memory. */
import { expect, it, onTestFinished } from 'vitest';
import { done, PermanentError } from '#core/handler/handler-contract.ts';
import { decodePauses, PAUSES_CONTROL } from '#core/inbound/protocol/pauses.ts';
import { MINUTE_MS } from '#core/time.ts';
import { EXERCISES } from '#local/drills/exercises.ts';
import { type HandsOnStage, playHandsOn } from '#local/drills/hands-on.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';
import { CliWorld } from './cli-world.ts';

interface Data {
  readonly needs?: string;
  readonly ms?: number;
  readonly until?: number;
}
const sourceOf = (id: string): string => (id === 'github' ? 'pay' : 'shop');

/** The drill's source `default` is `shop` here, `github` is `pay`. Alarms are judged by what they stand for. */
function incident(title: string, limitMs: number) {
  const rows = new Set<string>();
  const cli: CliWorld = new CliWorld({
    maximumConcurrency: 2,
    handlers: handlerThat((_call, event) => {
      const { needs, ms = 0, until = 0 } = (event.payload as { data: Data }).data;
      if (needs !== undefined && !rows.has(needs)) return Promise.reject(new PermanentError('no such account'));
      if (cli.world.clock.now() >= until) return undefined;
      return cli.world.clock.sleep(ms).then(() => done({ actionTaken: 'slowly' }));
    }),
  });
  const { world } = cli;
  world.start();
  onTestFinished(() => world.stop());
  const open = (): boolean => world.items().some(it => it.status === 'dead_letter');
  const waiting = (): boolean => world.items().some(it => it.status === 'pending');
  const states: Readonly<Record<string, () => boolean>> = {
    'process-new-dead-letters': open,
    'process-dead-letters-open': open,
    'process-queue-age': waiting,
    'ingest-silent-source-github': () => !world.items().some(it => it.pk.startsWith('pay#')),
  };
  const isBad = (alarm: string): boolean => states[alarm]?.() ?? true;
  const exercise = EXERCISES.find(it => it.title === title);
  if (!exercise) throw new Error(title);
  const stage: HandsOnStage = {
    send: async (name, data) => (await world.post({ id: name, source: 'shop', data }))?.status ?? 0,
    key: name => name,
    now: () => world.clock.now(),
    died: () => world.clock.advanceBy(5_000),
    page: async alarm => {
      await world.clock.advanceBy(20_000);
      if (!isBad(alarm)) throw new Error(`${alarm} is OK`);
      return { alarm, state: 'ALARM', text: `ALARM: ${alarm}`, at: world.clock.now() };
    },
    stateOf: async alarm => (isBad(alarm) ? 'ALARM' : 'OK'),
    item: async name => world.item(name, 'shop'),
    timesApplied: async name => Number(world.item(name, 'shop')?.status === 'completed'),
    putRow: async name => void rows.add(name),
    disableProcessor: () => Promise.reject(new Error('not here')),
    lastArrival: async source => world.items().findLast(it => it.pk.startsWith(`${sourceOf(source)}#`))?.receivedAt,
    isPaused: async source =>
      decodePauses((await cli.gateway.control.read(PAUSES_CONTROL))?.value)[sourceOf(source)] !== undefined,
    fail: what => {
      throw new Error(what);
    },
  };
  const said: string[] = [];
  let begun = Number.NaN;
  /** What the person types, by the second after the page. */
  const play = (typed: Readonly<Record<number, readonly string[]>>) => {
    const left = new Map(Object.entries(typed).map(([at, args]) => [Number(at) * 1_000, args] as const));
    return playHandsOn(exercise, stage, {
      say: line => void said.push(line),
      now: () => world.clock.now(),
      limitMs,
      sleep: async ms => {
        if (Number.isNaN(begun)) begun = world.clock.now();
        await world.clock.advanceBy(ms);
        for (const [at, args] of left)
          if (world.clock.now() - begun >= at) {
            left.delete(at);
            const { code, stderr } = await cli.run(args);
            if (code > 1) throw new Error(stderr);
          }
      },
    });
  };
  return { play, text: () => said.join('\n') };
}

const why = ['--why', 'drill', '--yes'];

it('dead letters: two are replayed and one is closed', async () => {
  const { play, text } = incident('dead-letter', 120_000);
  const typed = {
    3: ['dlq', 'ls'],
    5: ['replay', 'evt_shop.late-1', 'evt_shop.late-2', ...why],
    9: ['dlq', 'close', 'evt_shop.test', ...why],
  };
  expect(await play(typed), text()).toBe(true);
  expect(text()).toMatch(/done: the test is closed, with a reason \((?:9|1\d) s/);
});

it('dead letters: who replays all of them is told that one should have been closed', async () => {
  const { play, text } = incident('dead-letter', 60_000);
  const typed = { 5: ['replay', 'evt_shop.late-1', 'evt_shop.late-2', 'evt_shop.test', ...why] };
  expect(await play(typed)).toBe(false);
  expect(text()).toMatch(/done: the two events whose account is there are completed/);
  expect(text()).toMatch(/Missing: the test is closed, with a reason; the alarms are OK\./);
});

it('a silent source: its next event ends it', async () => {
  const { play, text } = incident('silent-source', 60_000);
  expect(await play({ 4: ['events', 'ls', '--source', 'pay'], 15: ['send', 'pay'] }), text()).toBe(true);
  expect(text()).toMatch(/It is over, 1[5-9] s after the page/);
  expect(await incident('silent-source', 20_000).play({})).toBe(false);
});

it('a backlog: the source is held back while its service is slow, and runs again afterwards', async () => {
  const { play, text } = incident('backlog', 30 * MINUTE_MS);
  expect(await play({ 10: ['pause', 'shop', ...why], 240: ['resume', 'shop'] }), text()).toBe(true);
  expect(text()).toMatch(/done: the source is held back while its service is slow \(1\d s/);
});

it('a backlog: who only waits is told so when it is too late', async () => {
  const { play, text } = incident('backlog', 30 * MINUTE_MS);
  expect(await play({})).toBe(false);
  expect(text()).toMatch(/Not over, 1\d\d s .*Missing: the source is held back while its service is slow/);
});
