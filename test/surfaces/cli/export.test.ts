/** `holdfast export` and `holdfast out export`: everything that is kept, once, in files of their owner alone; no secret. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';
import { CliWorld, temporaryFile } from './cli-world.ts';

type Line = Readonly<Record<string, unknown>> & { readonly event_id: string };
const linesOf = (file: string): readonly Line[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Line);

async function received() {
  const cli = new CliWorld();
  cli.world.start();
  onTestFinished(() => cli.world.stop());
  await cli.happen(['good-1', 'bad-1', 'good-2']);
  return cli;
}

it('writes every event with its state and the bytes that came, oldest first, and runs nothing', async () => {
  const cli = await received();
  const before = structuredClone(cli.world.items());
  const file = temporaryFile('events.ndjson');
  const { code, stdout } = await cli.run(['export', file, '--json']);
  expect({ code, told: JSON.parse(stdout) }).toEqual({ code: 0, told: { file, events: 3, without_body: 0 } });
  const lines = linesOf(file);
  expect(lines.map(it => [it.event_id, it['status']])).toEqual([
    ['good-1', 'completed'],
    ['bad-1', 'dead_letter'],
    ['good-2', 'completed'],
  ]);
  for (const { event_id, body } of lines) {
    const shown = await cli.run(['events', 'get', event_id, '--body']);
    expect(body).toBe(shown.stdout);
  }
  expect(cli.world.items()).toEqual(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('writes what is no UTF-8 as base64, and says whose body is gone', async () => {
  const cli = await received();
  const bytes = Uint8Array.of(0xff, 0x00, 0xfe);
  const { payloads } = cli.gateway;
  let reads = 0;
  const odd: typeof payloads = Object.assign(Object.create(payloads) as typeof payloads, {
    getBody: async () => {
      reads += 1;
      return reads === 1 ? undefined : { bytes: nodeCodec.deflate(bytes), headers: {} };
    },
  });
  const file = temporaryFile('odd.ndjson');
  const { stdout } = await cli.run(['export', file], { gateway: { payloads: odd } });
  expect(stdout).toContain('1 have no body any more');
  const [first, second] = linesOf(file);
  expect(first).toMatchObject({ body: null, headers: null });
  expect(second).toMatchObject({ body_base64: Buffer.from(bytes).toString('base64') });
});

it('touches no file that is there, and leaves none that is not whole', async () => {
  const cli = await received();
  const file = temporaryFile('mine.ndjson');
  writeFileSync(file, 'mine');
  const taken = await cli.run(['export', file]);
  expect(taken).toMatchObject({ code: 2, stdout: '' });
  expect(taken.stderr).toMatch(/is there already\n +allowed: .*\n +fix: /);
  expect(readFileSync(file, 'utf8')).toBe('mine');

  const broken = temporaryFile('broken.ndjson');
  writeFileSync(`${broken}.part`, 'of an earlier run', { mode: 0o644 });
  const payloads = Object.assign(Object.create(cli.gateway.payloads) as typeof cli.gateway.payloads, {
    getBody: () => Promise.reject(new Error('the store is away')),
  });
  expect((await cli.run(['export', broken], { gateway: { payloads } })).code).toBe(1);
  expect(readdirSync(dirname(broken))).toEqual([]);
  expect(existsSync(broken)).toBe(false);
});

it('writes customers and their endpoints as the API shows them, and no secret', async () => {
  const world = await withEndpoint();
  const file = temporaryFile('customers.json');
  const gateway = { delivery: () => Promise.resolve(world.api) };
  const { code, stdout, stderr } = await new CliWorld().run(['out', 'export', file], { gateway, realTime: true });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain('1 applications, 1 endpoints');
  const text = readFileSync(file, 'utf8');
  const { applications } = JSON.parse(text);
  expect(applications).toMatchObject([{ id: world.app, uid: 'acme', endpoints: [{ id: world.ep }] }]);
  expect(text).not.toContain('whsec_');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
