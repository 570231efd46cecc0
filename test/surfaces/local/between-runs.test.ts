/**
 * What `npm start` keeps and watches on this machine:
 * 1. secrets survive, readable by nobody else; a changed provider gets none of another's form;
 * 2. a deployment of another process is seen, with the sources that it added;
 * 3. a changed file asks for what depends on it; a zip is what others can read.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalAws } from '#local/emulator/emulator.ts';
import { openFrontDoor } from '#local/emulator/front-door.ts';
import { findPython } from '#local/emulator/python.ts';
import { readSavedSecrets, saveSecrets } from '#local/project/saved-secrets.ts';
import { type Change, watchProject } from '#local/project/watch-project.ts';
import {
  deployedSources,
  forgetDeployedHere,
  readDeployedHere,
  saveDeployedHere,
} from '#local/stacks/deployed-here.ts';
import { zip } from '#local/stacks/zip.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-between-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('saved secrets', () => {
  it('are added to, read by their owner only, and never the reason that a start fails', async () => {
    const file = join(folder, 'deep/secrets-local.json');
    expect(await readSavedSecrets(file)).toEqual({});
    const stripe = { provider: 'stripe', secret: 'whsec_1' };
    await saveSecrets(file, { stripe });
    await saveSecrets(file, { github: { provider: 'github', secret: 'two' } });
    expect(await readSavedSecrets(file)).toEqual({ stripe, github: { provider: 'github', secret: 'two' } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await writeFile(file, '{"half');
    expect(await readSavedSecrets(file)).toEqual({});
  });
});

describe('what is deployed here', () => {
  const aws = () => ({ directory: folder, instanceId: 'one' }) as LocalAws;

  it('is known of this local AWS alone, and not while a deployment goes on', async () => {
    expect(await readDeployedHere(aws(), 'local')).toBeUndefined();
    await saveDeployedHere(aws(), 'local', { hash: 'a', stacks: [] });
    expect(await readDeployedHere(aws(), 'local')).toMatchObject({ hash: 'a' });
    expect(await readDeployedHere({ ...aws(), instanceId: 'two' }, 'local')).toBeUndefined();
    await forgetDeployedHere(aws(), 'local');
    expect(await readDeployedHere(aws(), 'local')).toBeUndefined();
  });

  it('has the sources that the outputs name', () => {
    const described = { Value: '', Description: 'Give this URL to Stripe (source stripe-eu)' };
    const Outputs = { WebhookUrlStripeEu: described, ApiUrl: { Value: '', Description: 'Origin (source x)' } };
    const outputs = { WebhookUrlStripeEu: 'http://local/webhooks/stripe-eu', ApiUrl: 'http://local' };
    const stack = { stackName: 'x', region: '', accountId: '', exports: {}, physicalIds: {} };
    expect(deployedSources([{ ...stack, template: { Outputs }, outputs }])).toEqual([
      { id: 'stripe-eu', url: 'http://local/webhooks/stripe-eu' },
    ]);
  });
});

it('the front door passes webhooks on byte for byte, and opens nothing else', async () => {
  const got: { url: string; body: Buffer; signature: unknown }[] = [];
  const api = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    got.push({ url: request.url ?? '', body: Buffer.concat(chunks), signature: request.headers['x-signature'] });
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"refused":true}');
  });
  await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve));
  const gateway = `http://127.0.0.1:${(api.address() as AddressInfo).port}/_aws/execute-api/local`;
  const door = await openFrontDoor(gateway, 0);
  const body = new Uint8Array([0x7b, 0xff, 0x00, 0x7d]);
  const init = { method: 'POST', body, headers: { 'x-signature': 'abc' } };
  const answer = await fetch(`${door?.url}/webhooks/stripe?a=%2F`, init);
  expect([answer.status, await answer.json()]).toEqual([401, { refused: true }]);
  expect(got).toEqual([
    { url: '/_aws/execute-api/local/webhooks/stripe?a=%2F', body: Buffer.from(body), signature: 'abc' },
  ]);
  const inside = [
    '/webhooks/../../../..',
    '/webhooks/%2e%2e/%2E%2e/..%2f/_aws/sqs',
    '/webhooks\\..\\..\\x',
    '/../webhooks',
  ];
  for (const path of ['/', '/health', '/webhooksx', '/_aws/sqs', '//webhooks/stripe', ...inside])
    expect(await statusOf(door?.url ?? '', path), path).toBe(404);
  expect(got).toHaveLength(1);
  expect(await openFrontDoor(gateway, Number(new URL(door?.url ?? '').port))).toBeUndefined();
  door?.close();
  api.close();
});

it('a changed file asks once for what depends on it, and nothing else asks for anything', async () => {
  const project = join(folder, 'project');
  await mkdir(join(project, 'handlers'), { recursive: true });
  const seen: [Change, string][] = [];
  const ended = new AbortController();
  const note = async (change: Change, paths: readonly string[]) => void seen.push([change, [...paths].sort().join()]);
  watchProject(project, note, ended.signal);
  const edit = async (...names: string[]): Promise<void> => {
    for (const name of names) await writeFile(join(project, name), String(Math.random()));
    await wait(400);
  };
  await edit('README.md', 'handlers/a.test.ts', 'handlers/.a.ts.swp', 'handlers/b.ts~');
  expect(seen).toEqual([]);
  await edit('handlers/a.ts', 'handlers/b.ts');
  await edit('handlers/a.ts', 'gateway.config.ts');
  await edit('handlers/resources.ts');
  ended.abort();
  expect(seen).toEqual([
    ['handlers', 'handlers/a.ts,handlers/b.ts'],
    ['stacks', 'gateway.config.ts,handlers/a.ts'],
    ['stacks', 'handlers/resources.ts'],
  ]);
});

it.skipIf(!(await findPython()))('a zip is read by Python, names, bytes and checksums', async () => {
  const path = join(folder, 'a.zip');
  const files = [
    { name: 'index.mjs', bytes: Buffer.from('export {};') },
    { name: 'adapters/wörter.json', bytes: Buffer.from('{}') },
  ];
  await writeFile(path, zip(files));
  const program = `import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
print(json.dumps([z.testzip(), {n: z.read(n).decode() for n in z.namelist()}]))`;
  const python = String(await findPython());
  const [bad, read] = JSON.parse(execFileSync(python, ['-c', program, path], { encoding: 'utf8' }));
  expect(bad).toBeNull();
  expect(read['index.mjs']).toBe('export {};');
  expect(Object.keys(read)).toHaveLength(2);
});

/** Of a path as it is written: fetch would clean it up. */
function statusOf(origin: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const asked = get({ hostname, port, path }, answer => resolve(answer.resume().statusCode));
    asked.once('error', reject);
  });
}
