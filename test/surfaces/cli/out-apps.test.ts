/** `holdfast out apps` over the real API in memory: limits of one application, and its erasure. */
import { expect, it } from 'vitest';
import { eraseSome } from '#core/outbound/erase/erase.ts';
import type { DeliveryApi } from '#operator/delivery-api.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';
import { type CliOptions, CliWorld } from './cli-world.ts';

/** `uid:acme` with one message; `tend` runs a minute whenever somebody asks how far an erasure is. */
async function acme() {
  const world = await withEndpoint();
  await world.publish('uid:acme', '{"key":"k1","type":"invoice.paid","data":1}');
  await world.settle();
  const tend = async (): Promise<void> => {
    await eraseSome(world.ports, world.rules.retentionMs, world.clock.now() + 45_000);
    world.pass(60_000);
  };
  const api: DeliveryApi = {
    ...world.api,
    send: async call => {
      if (call.method === 'GET' && call.path.at(-1) === 'erasure') await tend();
      return world.api.send(call);
    },
  };
  const cli = new CliWorld();
  const gateway = { delivery: () => Promise.resolve(api) };
  const run = (args: readonly string[], options: CliOptions = {}) =>
    cli.run(['out', 'apps', ...args], { gateway, ...options });
  const json = async (...args: string[]) => (await cli.json(['out', 'apps', ...args], { gateway })).value;
  return { ...world, run, json, tend };
}

it('shows one application with its limits, changes one and leaves the others', async () => {
  const { run, json, app } = await acme();
  expect((await run([])).stdout).toMatch(new RegExp(`${app} +acme +Acme +1 +active`));
  const shown = await run(['uid:acme']);
  expect(shown.stdout).toMatch(/^app_\S+ {2}uid:acme {2}Acme {2}active {2}1 endpoint\n/);
  expect(shown.stdout).toMatch(/payload-bytes +262144 \(default\)/);
  await run(['limits', 'uid:acme', '--endpoints', '5', '--retention-days', '7']);
  const { stdout } = await run(['limits', 'uid:acme', '--publish-per-second', '20', '--endpoints', 'default']);
  expect(stdout).toMatch(/endpoints +50 \(default\)[\s\S]*publish-per-second +20 [\s\S]*retention-days +7 /);
  expect(await json('uid:acme')).toMatchObject({ limits: { publish_per_second: 20, retention_days: 7 } });
});

it.each([
  [['uid:nobody'], 3, 'there is no application uid:nobody'],
  [['limits', 'uid:acme', '--payload-bytes', 'many'], 2, '--payload-bytes: "many"'],
  [['limits', 'uid:acme', '--retention-days', '31'], 2, 'limits.retention_days: given 31'],
  [['erase', 'uid:acme'], 2, '--yes'],
  [['erase', 'uid:nobody', '--yes'], 3, 'there is no application uid:nobody'],
  [['erase', 'app_none', '--report'], 3, 'there is no erasure of app_none'],
])('%j: %i', async (args, code, hint) => {
  const { run, json } = await acme();
  const result = await run(args);
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toContain(hint);
  expect(await json('uid:acme')).toMatchObject({ state: 'active', limits: {} });
});

it('counts what an erasure would remove, and changes nothing', async () => {
  const { run, json } = await acme();
  const { stdout, code } = await run(['erase', 'uid:acme', '--dry-run']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^app_\S+: would be removed\n[\s\S]* endpoints +1\n[\s\S]* messages +1\n[\s\S]* deliveries +1\n/,
  );
  expect(await json('uid:acme')).toMatchObject({ state: 'active', endpoints: 1 });
});

it('ends a count at Ctrl-C, and asks nobody whether to erase', async () => {
  const { run, json } = await acme();
  const { code, stderr } = await run(['erase', 'uid:acme'], { answers: ['y'], signal: AbortSignal.abort() });
  expect(code).toBe(130);
  expect(stderr).toContain('Nothing was erased.');
  expect(await json('uid:acme')).toMatchObject({ state: 'active' });
});

it('says that a count of dead deliveries is not at its end, after a while and after Ctrl-C', async () => {
  const counting = { id: 'job_1', state: 'running', counts: { seen: 4, replayed: 3, skipped: 1 } };
  const cli = new CliWorld();
  const api = { send: () => Promise.resolve({ status: 200, body: JSON.stringify(counting) }) };
  const gateway = { delivery: () => Promise.resolve(api as never) };
  const args = ['out', 'retry', 'uid:acme', '--dead', '--dry-run'];
  const late = await cli.run(args, { gateway });
  expect(late).toMatchObject({ code: 5, stdout: '3 dead deliveries so far: not all are counted yet\n' });
  const stopped = await cli.run(args, { gateway, signal: AbortSignal.abort() });
  expect(stopped).toMatchObject({ code: 130, stdout: expect.stringContaining('so far') });
});

it('asks a person with the counts; no is no', async () => {
  const { run, json } = await acme();
  const { code, stderr } = await run(['erase', 'uid:acme'], { answers: ['n'] });
  expect(code).toBe(1);
  expect(stderr).toMatch(/would be removed[\s\S]*messages +1[\s\S]*Erase uid:acme in local for good\?/);
  expect(await json('uid:acme')).toMatchObject({ state: 'active' });
});

it('erases, says how far it is, and keeps the report when the application is gone', async () => {
  const { run, app, tend } = await acme();
  const begun = await run(['erase', 'uid:acme', '--yes']);
  expect(begun.stdout).toBe(`${app} is being erased; publishing to it is refused from now on\n`);
  expect(begun.stderr).toContain(`out apps erase ${app} --report`);
  expect((await run(['erase', app, '--report'])).stdout).toMatch(/being removed; so far \(wait\)[\s\S]* endpoints +1/);
  for (let minutes = 0; minutes < 11; minutes++) await tend();
  const { stdout } = await run(['erase', app, '--report']);
  expect(stdout).toMatch(/: removed at 2026-\S+, asked by arn:test\n[\s\S]* messages +1\n/);
  expect(stdout).toMatch(/stays: backups of both tables \(point-in-time recovery\), until 2026-12-/);
  expect((await run([app])).code).toBe(3);
});
