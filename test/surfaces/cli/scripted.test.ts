/** Every command as a script uses it: JSON alone on stdout, the exit code, and a way on for wrong input. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';
import { PROVIDERS } from '#providers/index.ts';
import { type CliOptions, CliWorld, untilFirstPiece } from './cli-world.ts';
import { everyCommand } from './every-command.ts';

interface Habit {
  /** What follows the command's own words; run with --json. */
  readonly good: readonly string[];
  /** Exit code of that. */
  readonly code?: 0 | 1;
  readonly options?: CliOptions;
  /** Follows the command's own words where the input is wrong, with the exit code it must have. */
  readonly wrong: readonly string[];
  readonly wrongCode: 2 | 3;
}

const cli = new CliWorld();
const name = `scripted-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
const body = join(folder, 'body.json');
const request = join(folder, 'request.http');
const paired = defineGateway({ sources: { tasks: { provider: 'asana' } }, environments: { local: {} } });
const compared = defineGateway({
  sources: { shop: { provider: 'stripe', reconcile: { types: ['*'] } } },
  environments: { local: {} },
});
const http: NonNullable<CliOptions['gateway']>['http'] = async (url, sent) =>
  url.startsWith('http://localhost') ? { status: 204, headers: {}, body: '', ms: 1 } : cli.gateway.http(url, sent);
const soon = (): CliOptions => {
  const stop = new AbortController();
  cli.world.clock.after(5_000, () => stop.abort());
  return { signal: stop.signal, gateway: { http } };
};
let job = '';
/** A request that was refused. */
let refused = '';

/** In the order they are run: all on one gateway with one completed and two dead events. */
const HABITS: Readonly<Record<string, Habit | (() => Habit)>> = {
  'events ls': { good: ['--since', '7d'], wrong: ['--since', 'yesterday'], wrongCode: 2 },
  'events get': { good: ['good-1'], wrong: ['nobody-1'], wrongCode: 3 },
  'events tail': () => ({
    good: ['--since', '7d', '--name', name],
    options: soon(),
    wrong: ['--name', 'no/name'],
    wrongCode: 2,
  }),
  listen: () => ({
    good: ['--since', '7d', '--name', name, '--forward-to', 'http://localhost:3000'],
    options: soon(),
    wrong: ['--forward-to', 'localhost'],
    wrongCode: 2,
  }),
  runbook: {
    good: ['holdfast-local-process-queue-age'],
    options: { realTime: true },
    wrong: ['queue-age-of-process'],
    wrongCode: 3,
  },
  logs: { good: ['--source', 'shop'], wrong: ['--of', 'proces'], wrongCode: 2 },
  slo: { good: [], wrong: ['--env', 'nowhere'], wrongCode: 2 },
  run: { good: ['sweep'], wrong: ['sweeper'], wrongCode: 2 },
  'dlq close': {
    good: ['--cause', 'schema', '--why', 'tested', '--dry-run'],
    wrong: ['--source', 'shopp'],
    wrongCode: 2,
  },
  'dlq ls': { good: [], wrong: ['--source', 'shopp'], wrongCode: 2 },
  'refused ls': { good: [], wrong: ['--source', 'shopp'], wrongCode: 2 },
  'refused show': () => ({ good: [refused], wrong: ['shop.stale.00'], wrongCode: 3 }),
  'events grep': { good: ['good-1'], wrong: [''], wrongCode: 2 },
  console: {
    good: [],
    options: { signal: AbortSignal.abort() },
    wrong: ['--write', '--read-only'],
    wrongCode: 2,
  },
  mcp: { good: [], wrong: ['--allow', 'everything'], wrongCode: 2 },
  status: { good: [], code: 1, wrong: ['--env', 'nowhere'], wrongCode: 2 },
  doctor: { good: [], wrong: ['--env', 'nowhere'], wrongCode: 2 },
  send: { good: ['shop'], wrong: ['shopp'], wrongCode: 2 },
  sign: { good: [body, '--source', 'shop'], wrong: ['no/such/file', '--source', 'shop'], wrongCode: 2 },
  verify: { good: [request, '--source', 'shop'], wrong: [request], wrongCode: 2 },
  mute: { good: ['2h', '--why', 'a test', '--yes'], wrong: ['8d', '--why', 'a test', '--yes'], wrongCode: 2 },
  'mute ls': { good: [], wrong: ['--env', 'nowhere'], wrongCode: 2 },
  unmute: { good: [], wrong: ['0a1b2c3d'], wrongCode: 3 },
  pause: { good: ['shop', '--why', 'a test', '--yes'], wrong: ['shop', '--yes'], wrongCode: 2 },
  resume: { good: ['shop'], wrong: ['shopp'], wrongCode: 2 },
  'processor start': { good: [], wrong: ['--force'], wrongCode: 2 },
  'processor stop': { good: ['--yes'], wrong: [], wrongCode: 2 },
  replay: () => ({
    good: ['--status', 'dead_letter', '--since', '7d', '--why', 'a test', '--detach', '--yes'],
    wrong: ['--why', 'everything'],
    wrongCode: 2,
  }),
  'replay ls': () => ({ good: [job], wrong: ['rj-none'], wrongCode: 3 }),
  'replay cancel': () => ({ good: [job, '--yes'], wrong: ['rj-none', '--yes'], wrongCode: 3 }),
  'dlq redrive': { good: ['--dry-run'], wrong: ['--rate', '0', '--yes'], wrongCode: 2 },
  'dlq purge': { good: ['--dry-run'], wrong: [], wrongCode: 2 },
  'sources ls': { good: [], wrong: ['--env', 'nowhere'], wrongCode: 2 },
  'sources ips': { good: ['--all'], wrong: ['shop'], wrongCode: 3 },
  'sources new': () => ({
    good: ['acme', '--folder', folder],
    wrong: ['stripe', '--folder', folder],
    wrongCode: 2,
  }),
  'sources page': { good: ['generic'], wrong: ['generik'], wrongCode: 2 },
  'sources shapes': { good: ['shop'], wrong: ['shopp'], wrongCode: 2 },
  'sources pair': {
    good: ['tasks', '--no-wait'],
    options: { readDeployment: environment => resolveDeployment(paired, environment, PROVIDERS) },
    wrong: ['shop'],
    wrongCode: 2,
  },
  'sources rotate': {
    good: ['shop', '--yes'],
    options: { stdin: 'another secret\n' },
    wrong: ['shop', '--grace', 'long', '--yes'],
    wrongCode: 2,
  },
  'sources set-secret': {
    good: ['shop', '--yes'],
    options: { stdin: 'one more secret\n' },
    wrong: ['shop', '--generate', '--yes'],
    wrongCode: 2,
  },
  reconcile: {
    good: ['--dry-run'],
    options: {
      readDeployment: environment => resolveDeployment(compared, environment, PROVIDERS),
      gateway: { reconciler: { run: async () => [] } },
    },
    wrong: ['--source', 'shopp'],
    wrongCode: 2,
  },
  export: () => ({
    good: [join(folder, 'events.ndjson')],
    wrong: [join(folder, 'no/such/folder')],
    wrongCode: 2,
  }),
  import: () => ({
    good: [join(folder, 'events.ndjson'), '--yes'],
    wrong: [join(folder, 'no.ndjson'), '--yes'],
    wrongCode: 2,
  }),
  cost: { good: ['--events-per-day', '50000'], wrong: ['--events-per-day', '0'], wrongCode: 2 },
  prove: {
    good: [],
    options: { prove: async () => ({ held: ['lost: 0 of 495'], differs: [], notShown: [], report: 'report.md' }) },
    wrong: ['--max-dollars', 'ten'],
    wrongCode: 2,
  },
  completion: { good: ['zsh'], wrong: ['tcsh'], wrongCode: 2 },
  'secrets ls': { good: [], wrong: ['--env', 'nowhere'], wrongCode: 2 },
  'alarms test': { good: ['a', '--yes'], wrong: ['b', '--yes'], wrongCode: 2 },
};

/** Their file is there after the first run. */
const AGAIN: Readonly<Record<string, { readonly code: number }>> = { export: { code: 2 }, 'sources new': { code: 2 } };
describe('in a script', () => {
  beforeAll(async () => {
    cli.world.start();
    await cli.happen(['good-1', 'bad-1', 'bad-2']);
    const event = cli.world.apiEvent({ id: 'forged', source: 'shop' });
    const forged = { ...event.headers, 'x-webhook-signature': `sha256=${'0'.repeat(64)}` };
    await cli.world.clock.complete(cli.world.ingest.invoke({ ...event, headers: forged }));
    refused = ((await cli.json(['refused', 'ls'])).value as unknown as { id: string }[])[0]?.id ?? '';
    cli.vault.stored.set('holdfast/local/tasks', { kind: 'empty' });
    cli.alarms = [{ name: 'holdfast-local-a', state: 'OK', since: 0, reason: '', description: '' }];
    writeFileSync(body, '{"event_id":"e1","event_type":"ping"}');
    const signed = await cli.json(['sign', body, '--source', 'shop']);
    const { headers } = signed.value as { headers: Record<string, string> };
    const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\n`);
    writeFileSync(request, `POST /webhooks/shop HTTP/1.1\n${lines.join('')}\n${readFileSync(body, 'utf8')}`);
  });
  afterAll(() => {
    cli.world.stop();
    rmSync(join(HOLDFAST_DIRECTORY, 'cursors', `local-${name}.json`), { force: true });
    rmSync(folder, { recursive: true });
  });

  it('verify takes nothing for a time that is none', async () => {
    const { code, stderr } = await cli.run(['verify', request, '--source', 'shop', '--at', 'some day']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--at: "some day"')]);
  });

  it('no command is left out', () => {
    expect(Object.keys(HABITS).sort()).toEqual(
      everyCommand()
        // `out` asks another door: out.test.ts.
        .filter(({ path }) => path[0] !== 'out')
        .map(({ path }) => path.join(' '))
        .sort(),
    );
  });

  it.each(Object.entries(HABITS))(
    '%s prints JSON alone, and says what to do about wrong input',
    async (words, made) => {
      const habit = typeof made === 'function' ? made() : made;
      const { code, stdout, stderr } = await cli.run(
        [...words.split(' '), ...habit.good, '--json'],
        habit.options ?? {},
      );
      expect({ code, stderr }).toEqual({ code: habit.code ?? 0, stderr: expect.not.stringContaining('Next:') });
      const values = stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as Record<string, unknown>);
      for (const value of values) expect(typeof value).toBe('object');
      if (words === 'replay') job = String(values[0]?.['job_id']);

      const again = { code: habit.code ?? 0, ...AGAIN[words] };
      const closed = await cli.run([...words.split(' '), ...habit.good], untilFirstPiece(habit.options));
      expect({ code: closed.code, stderr: closed.stderr }, `${words} | head -1`).toEqual({
        code: again.code,
        stderr: expect.not.stringMatching(/ {4}at |EPIPE/),
      });

      const wrong = await cli.run([...words.split(' '), ...habit.wrong], { ...habit.options, stdin: '' });
      expect(wrong, words).toMatchObject({ code: habit.wrongCode, stdout: '' });
      expect(wrong.stderr, words).toMatch(/allowed:[\s\S]*fix:|--help|holdfast |No such file|no such file/);
      expect(wrong.stderr).not.toContain('    at ');
    },
  );
});
