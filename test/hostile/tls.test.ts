/** Receivers whose TLS is wrong, by name, over a name server of this machine. Nothing may be sent in clear or to a stranger. */
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { SecureVersion, TlsOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { guardedSender } from '#adapters/http/guarded-sender.ts';
import type { Answer, SenderSession } from '#core/outbound/ports.ts';
import { livedTime } from '#test/kit/lived-time.ts';
import { type NameServer, startNameServer } from './lying-name-server.ts';
import { answer, type Behaviour, type Receiver, startReceiver } from './raw-receiver.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
const identity = (name: string): TlsOptions => ({ cert: fixture(name), key: fixture(name) });
const SECRET = 'the body that only the right receiver may see';
const ok: Behaviour = { onRequest: socket => socket.write(answer(200)) };

/** Where `remoteAddress` comes from: the getter itself cannot be replaced. */
const socketInside = Socket.prototype as unknown as { _getpeername(): { address: string } };

let names: NameServer;
let receiver: Receiver;
let session: SenderSession;

beforeAll(async () => {
  names = await startNameServer(() => ({ addresses: ['127.0.0.1'] }));
});
afterAll(() => names.stop());
afterEach(async () => {
  session.close();
  await receiver.stop();
});

async function open(behaviour: Behaviour, tls: TlsOptions | undefined): Promise<() => Promise<Answer>> {
  receiver = await startReceiver(behaviour, tls);
  const { port } = receiver;
  session = guardedSender({
    ...{ ports: [port], ownHosts: [], allowAddresses: ['127.0.0.1'], nameServers: [names.address] },
    ...{ ca: fixture('ca'), tlsMs: 200 },
  }).open(1);
  const request = {
    url: `https://hooks.customer.com:${port}/in`,
    headers: {},
    body: Buffer.from(SECRET),
    deadlineMs: 800,
  };
  return () => session.send(request, new AbortController().signal);
}

describe('a receiver with the right certificate', () => {
  it('is told its name, and serves every request over one connection', async () => {
    const seenNames: string[] = [];
    const tls: TlsOptions = {
      ...identity('good'),
      SNICallback: (name, done) => {
        seenNames.push(name);
        done(null);
      },
    };
    const send = await open(ok, tls);
    const first = await send();
    expect(first).toMatchObject({ kind: 'answered', status: 200 });
    const { dns = -1, connect = -1, tls: secured = -1, firstByte = -1, total } = first.timings;
    expect([0, dns, connect, secured, firstByte, total]).toEqual(
      [0, dns, connect, secured, firstByte, total].sort((a, b) => a - b),
    );
    const second = await send();
    expect(second.timings).toEqual({ firstByte: expect.any(Number), total: expect.any(Number) });
    expect(seenNames).toEqual(['hooks.customer.com']);
    expect(receiver.connections()).toBe(1);
    expect(Buffer.concat(receiver.received()).toString()).toContain(`Host: hooks.customer.com:${receiver.port}`);
    expect(names.asked.get('hooks.customer.com A')).toBe(1);
  });

  it('that resets a kept connection before a byte of the answer costs no attempt', async () => {
    const send = await open(
      { onRequest: (socket, n) => (n === 1 ? socket.write(answer(200)) : socket.destroy()) },
      identity('good'),
    );
    for (let i = 0; i < 3; i++) expect(await send()).toMatchObject({ kind: 'answered', status: 200 });
    expect(receiver.connections()).toBe(3);
  });
});

describe('a connection that ends up elsewhere than it was judged', () => {
  it('is given up before a byte is sent', async () => {
    const bytes: number[] = [];
    const send = await open({ onConnect: socket => socket.on('data', chunk => bytes.push(chunk.length)) }, undefined);
    const elsewhere = vi.spyOn(socketInside, '_getpeername').mockReturnValue({ address: '10.0.0.1' });
    const got = await send();
    elsewhere.mockRestore();
    expect(got).toMatchObject({ kind: 'failed', cause: 'forbidden_address', detail: 'this address is not allowed' });
    await expect.poll(() => receiver.open()).toBe(0);
    expect(bytes).toEqual([]);
  });
});

describe('tls', () => {
  const version = (only: SecureVersion): TlsOptions => ({
    ...{ ...identity('good'), minVersion: only, maxVersion: only, ciphers: 'DEFAULT@SECLEVEL=0' },
  });
  it.each<[string, TlsOptions | undefined, Behaviour]>([
    ['an expired certificate', identity('expired'), ok],
    ['a certificate for another name', identity('wrong-name'), ok],
    ['a certificate that signed itself', identity('self-signed'), ok],
    ['a certificate of an unknown issuer', identity('unknown-issuer'), ok],
    ['TLS 1.0', version('TLSv1'), ok],
    ['TLS 1.1', version('TLSv1.1'), ok],
    ['the wish for a certificate of ours', { ...identity('good'), requestCert: true, rejectUnauthorized: true }, ok],
    ['the same by TLS 1.2', { ...version('TLSv1.2'), requestCert: true, rejectUnauthorized: true }, ok],
    ['a handshake that stalls', undefined, {}],
    ['no TLS at all', undefined, { onConnect: socket => socket.write(answer(200)) }],
    ['a close in the handshake', undefined, { onConnect: socket => setTimeout(() => socket.end(), 30) }],
    ['a reset in the handshake', undefined, { onConnect: socket => setTimeout(() => socket.resetAndDestroy(), 30) }],
    ['garbage in the handshake', undefined, { onConnect: socket => socket.write('x'.repeat(1_000)) }],
  ])('%s', async (_, tls, behaviour) => {
    const send = await open(behaviour, tls);
    const lived = livedTime();
    const got = await send();
    expect(got).toMatchObject({ kind: 'failed', cause: 'tls', detail: expect.stringMatching(/^no secure connection/) });
    expect(lived()).toBeLessThan(1_500);
    expect(Buffer.concat(receiver.received()).toString('latin1')).not.toContain(SECRET);
  });

  it('of a kept connection is never started anew: the answer counts', async () => {
    const renegotiates: Behaviour = {
      onRequest: socket => {
        if ('renegotiate' in socket) (socket as import('node:tls').TLSSocket).renegotiate({}, () => {});
        socket.write(answer(200));
      },
    };
    const send = await open(renegotiates, { ...identity('good'), maxVersion: 'TLSv1.2' });
    const got = await send();
    expect(got.kind === 'answered' ? got.status : got.cause).toBeOneOf([
      200,
      'tls',
      'timeout',
      'closed_early',
      'reset',
    ]);
  });
});
