/**
 * `holdfast export` in one environment and `holdfast import` in another: every event with its state, its ids, its times and its
 * bytes; no handler runs and nothing is sent before a person resumes; and a file that does not fit changes nothing.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { PermanentError } from '#core/handler/handler-contract.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { FAR, watchShardOf } from '#core/inbound/protocol/event-writes.ts';
import { decodePauses, PAUSES_CONTROL } from '#core/inbound/protocol/pauses.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { type Mixture, makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';
import { bodyOf } from '#test/kit/signed-request.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';
import { CliWorld, temporaryFile } from './cli-world.ts';

const OPEN = ['pending', 'processing', 'failed', 'deferred'] as const;
const ENDED = ['skipped_stale', 'rejected', 'ignored', 'dead_letter'] as const;

/** Runs of handlers, in order. */
class Watched extends CliWorld {
  readonly ran: string[];
  readonly sent: string[] = [];

  constructor() {
    const ran: string[] = [];
    super({
      retry: { attempts: 5, baseSeconds: 1, capSeconds: 1 },
      handlers: handlerThat(({ id }) => {
        ran.push(id);
        return id.startsWith('bad') ? Promise.reject(new PermanentError('schema changed')) : undefined;
      }),
    });
    this.ran = ran;
    this.world.main.onSent = body => void this.sent.push(body);
    this.world.dead.onSent = body => void this.sent.push(body);
    onTestFinished(() => this.world.stop());
  }

  /** An event in a state that does not last. */
  async hold(id: string, more: Mixture): Promise<void> {
    const { clock } = this.world;
    const now = clock.now();
    const body = bodyOf({ id, type: 'ping' }, now);
    const bodySha = createHash('sha256').update(body).digest('hex');
    const hour = new Date(now).toISOString().slice(0, 13);
    const times = { receivedAt: now, updatedAt: now, timelineHour: `pay#${hour}`, timelineAt: `${now}#${id}` };
    const item = makeEventItem('pay', id, { ...times, bodySha, size: body.length, ingestId: `of-${id}`, ...more });
    const bytes = nodeCodec.deflate(body);
    const headers = { 'content-type': 'application/json' };
    await this.gateway.payloads.putBody({
      pk: item.pk,
      sk: `B#${bodySha}`,
      headers,
      bytes,
      expiresAt: now / 1_000 + 9e6,
    });
    const watched = isTerminal(item.status) ? {} : { watchShard: watchShardOf(item.pk), watchAt: now };
    await this.gateway.store.insert({ ...item, ...watched } as EventItem);
  }

  items(): ReadonlyMap<string, EventItem> {
    return new Map(this.world.items().map(item => [item.pk, item]));
  }
}

/** An environment with an event in every state, and its export. */
async function exported() {
  const old = new Watched();
  old.world.start();
  await old.happen(['good-1', 'bad-1', 'bad-2']);
  await old.run(['dlq', 'close', '--cause', 'permanent', '--why', 'a test', '--yes']);
  old.world.stop();
  for (const status of OPEN) {
    const wait = status === 'pending' ? {} : { attempts: 2, lastError: 'error: x', startedAt: old.world.clock.now() };
    await old.hold(`${status}-1`, {
      status,
      ...wait,
      ...(status === 'processing' ? { owner: 'o', leaseUntil: 5 } : {}),
    });
  }
  const expiresAt = Math.floor(old.world.clock.now() / 1_000) + 1_000_000;
  for (const status of ENDED) await old.hold(`${status}-1`, { status, attempts: 1, expiresAt });
  await old.world.clock.advanceBy(MINUTE_MS);
  const file = temporaryFile('events.ndjson');
  expect(await old.run(['export', file])).toMatchObject({ code: 0 });
  return { old, file };
}

let first: Promise<{ readonly old: Watched; readonly text: string }> | undefined;
/** The same, made once for all that only read it. */
function once() {
  first ??= exported().then(({ old, file }) => ({ old, text: readFileSync(file, 'utf8') }));
  return first;
}

/** An empty one, at work: its sweeper runs each minute. */
function empty(from: Watched): Watched {
  const world = new Watched();
  world.world.start();
  const ahead = from.world.clock.now() - world.world.clock.now();
  void world.world.clock.advanceBy(Math.max(0, ahead));
  return world;
}

describe('an environment in another', () => {
  it('every event item by item, under its own id; what has not ended waits; nothing runs and nothing is sent', async () => {
    const { old, file } = await exported();
    const target = empty(old);
    await target.world.clock.advanceBy(MINUTE_MS);
    const before = old.items();
    const { code, value } = await target.json(['import', file, '--yes']);
    expect({ code, value }).toMatchObject({
      code: 0,
      value: { events: before.size, made: before.size, waiting: OPEN.length, there: 0, paused: ['pay'] },
    });
    const after = target.items();
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    expect(new Set([...before.values()].map(({ status }) => status)).size).toBe(10);
    for (const [pk, was] of before) {
      const is = after.get(pk);
      if (isTerminal(was.status)) expect(is, pk).toEqual({ ...was, ...(was.deadAt === undefined ? {} : dead(was)) });
      else {
        const { status: _, owner: __, leaseUntil: ___, watchAt: ____, watchShard: _____, ...kept } = was;
        const held = { status: 'deferred', parked: true, watchAt: FAR, updatedAt: expect.any(Number) };
        expect(is, pk).toMatchObject({ ...kept, ...held });
      }
      const body = await old.gateway.payloads.getBody(was.pk, was.bodySha);
      const there = await target.gateway.payloads.getBody(was.pk, was.bodySha);
      expect([there?.bytes, there?.headers], pk).toEqual([body?.bytes, body?.headers]);
    }
    // A run of the sweeper that began before the pause is over when the first of them is written.
    const { since } = decodePauses((await target.gateway.control.read(PAUSES_CONTROL))?.value)['pay'] ?? { since: 0 };
    const written = [...after.values()].filter(({ watchAt }) => watchAt === FAR).map(({ updatedAt }) => updatedAt);
    expect(Math.min(...written)).toBeGreaterThanOrEqual(since + MINUTE_MS);
    await target.world.clock.advanceBy(3 * HOUR_MS);
    expect({ ran: target.ran, sent: target.sent }).toEqual({ ran: [], sent: [] });

    // What the provider repeats is a duplicate.
    await target.world.post({ id: 'pending-1', source: 'pay', type: 'ping' });
    await target.world.clock.advanceBy(HOUR_MS);
    expect(target.ran).toEqual([]);

    await target.run(['resume', 'pay']);
    await target.world.settle();
    expect(target.ran.toSorted()).toEqual(OPEN.map(status => `${status}-1`).sort());
    expect([...target.items().values()].filter(({ status }) => !isTerminal(status))).toEqual([]);
  });

  it('a second run changes nothing, and one that was cut off anywhere is finished by the next', async () => {
    const { old, file } = await exported();
    const whole = empty(old);
    await whole.run(['import', file, '--yes']);
    const first = structuredClone(whole.items());
    const again = await whole.json(['import', file, '--yes']);
    expect(again).toMatchObject({ code: 0, value: { made: 0, there: old.items().size, waiting: 0, paused: [] } });
    expect(whole.items()).toEqual(first);

    for (let calls = 0; ; calls += 1) {
      const cut = empty(old);
      let left = calls;
      const cutOff = <T extends object>(port: T): T =>
        new Proxy(port, {
          get: (target, name) => {
            const member: unknown = Reflect.get(target, name, target);
            if (typeof member !== 'function') return member;
            return async (...given: unknown[]): Promise<unknown> => {
              const writes = ['insert', 'putBody', 'write', 'putDetail'].includes(String(name));
              if (writes && left === 0) throw new Error('the machine went away');
              if (writes) left -= 1;
              return member.apply(target, given);
            };
          },
        });
      const { store, payloads, control } = cut.gateway;
      const gateway = { store: cutOff(store), payloads: cutOff(payloads), control: cutOff(control) };
      const { code } = await cut.run(['import', file, '--yes'], { gateway });
      await cut.run(['import', file, '--yes']);
      expect([...cut.items().keys()].sort()).toEqual([...whole.items().keys()].sort());
      for (const [pk, { status, watchAt }] of cut.items())
        expect([status, watchAt], pk).toEqual([whole.items().get(pk)?.status, whole.items().get(pk)?.watchAt]);
      await cut.world.clock.advanceBy(HOUR_MS);
      expect(cut.ran).toEqual([]);
      cut.world.stop();
      if (code === 0) break;
    }
  });

  it('what ended in the old one since the first import ends here, too, and does not run', async () => {
    const { old, file } = await exported();
    const target = empty(old);
    await target.run(['import', file, '--yes']);
    const stopped = temporaryFile('last.ndjson');
    old.world.start();
    await old.world.settle();
    old.world.stop();
    await old.run(['export', stopped, '--since', '7d']);
    const last = await target.json(['import', stopped, '--yes']);
    expect(last).toMatchObject({ code: 0, value: { made: 0, ended: OPEN.length, paused: [] } });
    await target.run(['resume', 'pay']);
    await target.world.settle();
    expect(target.ran).toEqual([]);
    for (const status of OPEN) {
      const [was, is] = [old, target].map(it => it.items().get(`pay#${status}-1`));
      expect([is?.status, is?.completedAt, is?.attempts]).toEqual(['completed', was?.completedAt, was?.attempts]);
    }
  });

  it('refuses an environment that holds something else, and changes nothing there', async () => {
    const { old, file } = await exported();
    const other = empty(old);
    await other.happen(['mine-1']);
    const before = structuredClone(other.items());
    const refused = await other.run(['import', file, '--yes']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/evt_shop\.mine-1\n +allowed: .*\n +fix: .*--add/);
    expect(other.items()).toEqual(before);
    const added = await other.json(['import', file, '--add', '--yes']);
    expect(added).toMatchObject({ code: 0, value: { made: old.items().size } });

    const same = empty(old);
    await same.world.post({ id: 'mine-1', source: 'shop', type: 'ping' });
    await same.world.post({ id: 'good-1', source: 'shop', type: 'ping' });
    await same.world.settle();
    const differs = await same.run(['import', file, '--add', '--yes']);
    expect(differs).toMatchObject({ code: 2, stdout: '' });
    expect(differs.stderr).toMatch(/1 events are here already, and are others: evt_shop\.good-1\n +allowed/);
    expect(same.items().size).toBe(2);
  });

  it.each([
    ['no JSON object', (line: string) => line.slice(0, -1)],
    ['no `record`', (line: string) => JSON.stringify({ ...JSON.parse(line), record: undefined })],
    ['changed since it was exported', (line: string) => JSON.stringify({ ...JSON.parse(line), body: 'another' })],
    ['of another event', (line: string) => line.replaceAll('"id":"evt_shop.', '"id":"evt_pay.')],
    ['that is not whole', (line: string) => line.replaceAll('"completedAt":', '"completed":')],
    ['newer version', (line: string) => line.replaceAll('"schemaVersion":1', '"schemaVersion":2')],
    ['a second time', (line: string) => `${line}\n${line}`],
    ['which local does not have', (line: string) => line.replaceAll('shop', 'till')],
  ])('a file with a line that is wrong (%s) writes nothing', async (says, spoil) => {
    const { old, text } = await once();
    const [first = '', ...rest] = text.trimEnd().split('\n');
    const file = temporaryFile('wrong.ndjson');
    writeFileSync(file, [...rest, spoil(first)].join('\n'));
    const target = empty(old);
    const { code, stdout, stderr } = await target.run(['import', file, '--yes']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/allowed: .*\n +fix: /);
    expect([...target.items()]).toEqual([]);
  });

  it('looks without writing', async () => {
    const { old, file } = await exported();
    const target = empty(old);
    const { value } = await target.json(['import', file, '--dry-run']);
    expect(value).toMatchObject({ dry_run: true, made: old.items().size, waiting: OPEN.length, paused: ['pay'] });
    expect([...target.items()]).toEqual([]);
    expect((await target.run(['import', 'no/such/file', '--yes'])).code).toBe(2);
  });
});

/** Nothing is owed for a death that came with its record. */
const dead = ({ deadAt, closing, expiresAt, cause, pk }: EventItem): Mixture => ({
  dlqSent: true,
  expiresAt: expiresAt ?? expect.any(Number),
  attentionAt: `${closing?.at ?? deadAt}#${cause}#${pk.split('#')[1]}`,
  attentionSource: closing === undefined ? pk.split('#')[0] : `${pk.split('#')[0]}#closed`,
});
