/** Each option that says what is meant makes less of it: one that is read and then forgotten takes everything. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PermanentError } from '#core/handler/handler-contract.ts';
import { HOUR_MS } from '#core/time.ts';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';
import { producerWorld } from '#test/kit/producer-world.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';
import { type CliOptions, CliWorld, temporaryFile } from './cli-world.ts';
import { everyCommand } from './every-command.ts';

/** Options that say how something is done or shown, or where a list goes on. Each other one says what is meant. */
const HOW = [
  ...['--all', '--body', '--cursor', '--detach', '--dry-run', '--force', '--forward-to', '--name', '--new-key'],
  ...['--path', '--rate', '--secrets', '--sign', '--tail', '--why', '--yes', '--dead'],
  // Others than those that are shown else.
  '--closed',
  // A source that declares such a field: events-where.test.ts. One attempt of one event: logs.test.ts.
  ...['--where', '--attempt'],
];

const USED = '--source --status --type --cause --error --since --until --limit'.split(' ');
/** Lists of something else than events and deliveries, which the option narrows by itself. */
const ELSEWHERE = [
  'reconcile',
  'verify',
  'sign',
  'events get',
  'out resume',
  'out test',
  'send',
  'mcp',
  'cost',
  'sources shapes',
];

/** What takes options of what is meant, out of its own definition. */
const SELECTING = everyCommand()
  .map(({ path, command }) => ({
    words: path.join(' '),
    options: command.options.map(({ long }) => long ?? '').filter(long => !HOW.includes(long)),
  }))
  .filter(({ words, options }) => !ELSEWHERE.includes(words) && options.some(long => USED.includes(long)));

const WINDOW = ['--since', '7d'];
/** What the command needs beside, and how many it took or would take. */
const COMMANDS: Readonly<Record<string, { with?: readonly string[]; count(value: never): number }>> = {
  'events ls': { with: WINDOW, count: ({ events }: { events: unknown[] }) => events.length },
  'events grep': { with: ['order', ...WINDOW], count: rows },
  'events tail': { with: [...WINDOW, '--name', `narrow-${process.pid}`], count: rows },
  listen: {
    with: [...WINDOW, '--name', `narrow-${process.pid}`, '--forward-to', 'http://localhost:3000'],
    count: rows,
  },
  export: { count: ({ events }: { events: number }) => events },
  replay: { with: [...WINDOW, '--dry-run'], count: ({ count }: { count: number }) => count },
  'dlq ls': { count: (value: { open_dead_letters: number }) => value.open_dead_letters },
  'dlq close': { with: ['--since', '7d', '--dry-run'], count: ({ count }: { count: number }) => count },
  'dlq redrive': { with: ['--dry-run'], count: (value: { would_be_moved: number }) => value.would_be_moved },
  'dlq purge': { with: ['--dry-run'], count: (value: { would_be_deleted: number }) => value.would_be_deleted },
  'refused ls': { count: rows },
  logs: { with: WINDOW, count: rows },
  'out messages': { with: ['uid:acme'], count: rows },
  'out deliveries': { with: ['uid:acme'], count: rows },
  'out retry': { with: ['uid:acme', '--dead', '--dry-run'], count: job },
};
function rows(value: unknown): number {
  return Array.isArray(value) ? value.length : value === null ? 0 : 1;
}
function job({ counts }: { counts: { replayed: number } }): number {
  return counts.replayed;
}

/** One value that is of some and not of all. */
const VALUES: Readonly<Record<string, string>> = {
  '--source': 'pay',
  '--status': 'completed',
  '--type': 'order.lost',
  '--cause': 'lost',
  '--since': '1h',
  '--until': '1h',
  '--limit': '1',
  '--event': 'good-early',
  '--of': 'process',
  '--errors': '',
  '--class': 'denied',
};
const OTHERWISE: Readonly<Record<string, string>> = {
  'refused ls --cause': 'mismatch',
  'out deliveries --status': 'dead',
  'out messages --type': 'invoice.lost',
  'out deliveries --type': 'invoice.lost',
};

const cli = new CliWorld({
  handlers: handlerThat(({ id }) => {
    if (id.startsWith('bad')) return Promise.reject(new PermanentError('the schema has changed', { label: 'schema' }));
    if (id.startsWith('lost')) return Promise.reject(new PermanentError('no order 5', { label: 'lost' }));
    return undefined;
  }),
});

const LINES = [
  { source: 'shop', event_id: 'evt_shop.good-early', level: 'INFO' },
  { source: 'pay', event_id: 'evt_pay.bad-pay-early', level: 'ERROR' },
];
const logs: NonNullable<NonNullable<CliOptions['gateway']>['logs']> = {
  read: async (since, _pattern, of) =>
    LINES.flatMap((line, n) => {
      const at = cli.world.clock.now() - (n === 0 ? 3 * HOUR_MS : 1_000);
      const from = n === 0 ? 'ingest' : 'process';
      const text = JSON.stringify({ stage: 'attempt', ...line });
      return at < since || (of !== undefined && of !== from) ? [] : [{ at, from, text }];
    }),
};
const sending = producerWorld(cli.world.clock.now());

/** What the command takes with these options. */
async function taken(words: string, more: readonly string[]): Promise<number> {
  const { with: beside = [], count } = COMMANDS[words] ?? {};
  // An option that is given twice is what it was given last.
  const file = words === 'export' ? [temporaryFile('events.ndjson')] : [];
  const stop = new AbortController();
  if (words === 'listen' || words === 'events tail') cli.world.clock.after(5_000, () => stop.abort());
  const delivery = () => Promise.resolve(sending.api);
  const http = () => Promise.resolve({ status: 204, headers: {}, body: '', ms: 1 });
  const timer = { ...cli.gateway.timer, sleep: async () => await sending.minute() };
  const out = words.startsWith('out ') ? { delivery, timer } : { logs, http };
  const asked = await cli.json([...words.split(' '), ...file, ...beside, ...more], {
    signal: stop.signal,
    gateway: out,
  });
  expect(asked.code, `${words} ${more.join(' ')}: ${asked.stderr}`).toBeLessThan(2);
  return (count as (value: unknown) => number)(asked.value);
}

describe('less than without it, and not nothing', () => {
  beforeAll(async () => {
    cli.world.start();
    const { clock } = cli.world;
    for (const round of ['closed', 'early', 'late']) {
      for (const [id, source, type] of [
        ['good', 'shop', 'order.paid'],
        ['bad', 'shop', 'order.paid'],
        ['lost', 'shop', 'order.lost'],
        ['bad-pay', 'pay', 'order.paid'],
      ] as const)
        await cli.world.post({ id: `${id}-${round}`, source, type });
      await clock.advanceBy(1_000);
      for (const source of ['shop', 'pay']) await forge(source);
      await clock.advanceBy(round === 'late' ? 60_000 : 3 * HOUR_MS);
    }
    // What is closed stays in the queue: nobody takes it out.
    cli.world.stop();
    const closed = await cli.run([
      'dlq',
      'close',
      'bad-closed',
      'lost-closed',
      'bad-pay-closed',
      '--why',
      'x',
      '--yes',
    ]);
    expect(closed).toMatchObject({ code: 0 });

    await sending.call('POST /v1/apps', {}, { name: 'Acme', uid: 'acme' });
    const endpoint = { url: 'https://hooks.customer.com/in' };
    await sending.call('POST /v1/apps/{app}/endpoints', { app: 'uid:acme' }, endpoint);
    for (const [status, type] of [
      [400, 'invoice.paid'],
      [200, 'invoice.paid'],
      [403, 'invoice.lost'],
    ] as const) {
      if (status === 403) sending.pass(clock.now() - sending.clock.now() - HOUR_MS / 2);
      sending.answer(status);
      await sending.publish('uid:acme', JSON.stringify({ key: `${status}`, type, data: {}, max_attempts: 1 }));
      await sending.settle();
    }
  }, 60_000);
  afterAll(() => {
    rmSync(join(HOLDFAST_DIRECTORY, 'cursors', `local-narrow-${process.pid}.json`), { force: true });
  });

  it('no command is left out', () => {
    expect(SELECTING.map(({ words }) => words).sort()).toEqual(Object.keys(COMMANDS).sort());
  });

  it.each(SELECTING.flatMap(({ words, options }) => options.map(option => [words, option] as const)))(
    '%s %s',
    async (words, option) => {
      const { lastError } = cli.world.item('lost-late', 'shop') ?? {};
      const value = option === '--error' ? lastError : (OTHERWISE[`${words} ${option}`] ?? VALUES[option]);
      expect(value, 'a value for it').toBeTypeOf('string');
      const some = await taken(words, value === '' ? [option] : [option, String(value)]);
      const all = await taken(words, []);
      expect(some).toBeLessThan(all);
      expect(some).toBeGreaterThan(0);
    },
    20_000,
  );
});

describe.each(['replay', 'dlq close'])('%s', words => {
  const { options = [] } = SELECTING.find(each => each.words === words) ?? {};
  it.each(options.filter(option => option !== '--source'))('does not forget %s beside an id', async option => {
    const before = cli.world.item('bad-late', 'shop');
    const value = option === '--error' ? 'no order 5' : (VALUES[option] ?? '');
    const asked = await cli.run([...words.split(' '), 'bad-late', option, value, '--why', 'x', '--yes']);
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining(`${option} beside ids`) });
    expect(cli.world.item('bad-late', 'shop')).toEqual(before);
  });
});

async function forge(source: string): Promise<void> {
  const event = cli.world.apiEvent({ id: 'forged', source });
  for (const headers of [{ ...event.headers, 'x-webhook-signature': `sha256=${'0'.repeat(64)}` }, {}])
    await cli.world.clock.complete(cli.world.ingest.invoke({ ...event, headers }));
}

/** What shows one thing, and the options that would then be read by nobody. */
const OF_ONE: readonly (readonly [what: string, args: readonly string[], options: readonly (readonly string[])[]])[] = [
  [
    '--attempt',
    ['logs', '--event', 'bad-late', '--attempt', '1'],
    [['--since', '7d'], ['--of', 'process'], ['--errors'], ['--where', 'level=INFO'], ['--tail']],
  ],
  [
    'one message',
    ['out', 'messages', 'uid:acme', 'msg_1'],
    [
      ['--type', 'x'],
      ['--since', '7d'],
      ['--limit', '5'],
    ],
  ],
  [
    'one delivery',
    ['out', 'deliveries', 'uid:acme', 'ep_1', 'msg_1'],
    [
      ['--status', 'dead'],
      ['--type', 'x'],
      ['--class', 'denied'],
      ['--since', '7d'],
      ['--limit', '5'],
    ],
  ],
  ['a list', ['out', 'messages', 'uid:acme'], [['--body']]],
  [
    'vectors',
    ['verify', 'test/fixtures/own-vectors.json', '--provider', 'mailgun'],
    [
      ['--at', '5m'],
      ['--url', 'https://x.example'],
      ['--secret-file', 'x'],
    ],
  ],
];
it.each(
  OF_ONE.flatMap(([what, args, options]) => options.map(option => [option[0] ?? '', what, args, option] as const)),
)('refuses %s beside %s', async (name, what, args, option) => {
  const asked = await cli.run([...args, ...option], { gateway: { logs, delivery: async () => sending.api } });
  expect(asked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`${name} beside ${what}`) });
});
