/** Routes through the real functions: every target accepts, each is asked alone, and nothing that dies loses one. */
import { describe, expect, it } from 'vitest';
import { given } from '#core/given.ts';
import { defineHandlers, PermanentError } from '#core/handler/handler-contract.ts';
import type { Route, RouteTarget } from '#core/inbound/routing/target.ts';
import type { Delivered } from '#core/inbound/routing/targets.ts';
import { HOUR_MS } from '#core/time.ts';
import { type FaultPlan, faultsOf, recordCalls } from '#test/kit/memory/faults.ts';
import { MemoryWorld, type WorldOptions } from '#test/kit/memory-world.ts';
import { faultAt } from './support/fault-at.ts';

const arn = (service: string, resource: string) => `arn:aws:${service}:eu-central-1:123456789012:${resource}`;
const BUS: RouteTarget = { kind: 'event_bus', address: arn('events', 'event-bus/billing') };
const QUEUE: RouteTarget = { kind: 'queue', address: arn('sqs', 'invoices.fifo') };
const TOPIC: RouteTarget = { kind: 'topic', address: arn('sns', 'invoices') };
const MACHINE: RouteTarget = { kind: 'state_machine', address: arn('states', 'stateMachine:bill') };
const SERVICE: RouteTarget = { kind: 'http', address: 'https://billing.example.com/hooks' };
const FOUR = [BUS, QUEUE, TOPIC, SERVICE];

type Answer = (address: string, call: number) => Delivered | undefined;
const failing =
  (target: RouteTarget, times: number, end: Delivered = { kind: 'failed', reason: 'it answered 503' }): Answer =>
  (address, call) =>
    address === target.address && call <= times ? end : undefined;

function worldOf(targets: readonly RouteTarget[], options: WorldOptions & { answer?: Answer } = {}): MemoryWorld {
  const { answer, ...rest } = options;
  const routes: readonly Route[] = [{ type: '*', targets }];
  return new MemoryWorld({
    source: { routes },
    retry: { attempts: 6, baseSeconds: 1, capSeconds: 4 },
    ...rest,
    targets: { ...given({ answer }), ...rest.targets },
  });
}

async function run(world: MemoryWorld, id = 'evt_1', data: unknown = { amount: 7 }): Promise<void> {
  world.start();
  await world.post({ id, type: 'invoice.paid', data });
  expect(await world.settle()).toBe(true);
  world.stop();
}

const takenBy = (world: MemoryWorld, target: RouteTarget) =>
  world.targets.taken.filter(it => it.address === target.address);

describe('a route', () => {
  it('delivers to four targets of which one fails twice: three once, the fourth retried alone', async () => {
    const world = worldOf(FOUR, { answer: failing(SERVICE, 2) });
    await run(world);
    expect(FOUR.map(target => world.targets.calls.get(target.address))).toEqual([1, 1, 1, 3]);
    expect(FOUR.map(target => takenBy(world, target).length)).toEqual([1, 1, 1, 1]);
    const item = world.item('evt_1');
    expect(item).toMatchObject({ status: 'completed', attempts: 3, actionTaken: 'routed to 4 targets' });
    expect(item?.recentAttempts?.map(it => it.cause)).toEqual(['target_failed', 'target_failed', 'ok']);
  });

  it('keeps the receipt of each target with the event', async () => {
    const world = worldOf([QUEUE, SERVICE]);
    await run(world);
    const receipts = JSON.parse((world.item('evt_1') as { result?: string }).result ?? '{}');
    expect(receipts).toEqual({
      targets: [
        { target: 'queue invoices.fifo', receipt: expect.stringMatching(/^[0-9a-f]{8}-\d$/) },
        { target: 'http billing.example.com', receipt: '200' },
      ],
    });
  });

  it('is completed only when each target has accepted', async () => {
    const world = worldOf(FOUR, { answer: failing(SERVICE, Number.POSITIVE_INFINITY) });
    await run(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause: 'target_failed', attempts: 6 });
    expect(world.item('evt_1')?.lastError).toContain(
      'http billing.example.com failed: it answered 503 (3 of 4 targets',
    );
  });

  it('asks on the replay of a dead event only who has not accepted, and on that of a completed one everybody', async () => {
    let isBroken = true;
    const world = worldOf(FOUR, {
      answer: address => (isBroken && address === SERVICE.address ? { kind: 'failed', reason: 'down' } : undefined),
    });
    await run(world);
    isBroken = false;
    world.start();
    for (const [replayId, calls] of [
      ['r1', [1, 1, 1, 7]],
      ['r2', [2, 2, 2, 8]],
    ] as const) {
      await world.clock.complete(world.replay('evt_1', { replayId, by: 'test', why: 'test' }));
      await world.settle();
      expect(world.item('evt_1')?.status).toBe('completed');
      expect(FOUR.map(target => world.targets.calls.get(target.address))).toEqual(calls);
    }
    world.stop();
    expect(new Set(takenBy(world, QUEUE).map(it => it.key)).size).toBe(2);
  });

  it.each([
    ['denied', 'AccessDenied: not authorized to perform sqs:SendMessage'],
    ['not_found', 'QueueDoesNotExist: no such queue'],
    ['invalid', 'InvalidMessageContents: the message is not valid'],
  ] as const)('ends at once for a refusal that no retry can fix (%s), with the cause', async (cause, reason) => {
    const world = worldOf(FOUR, { answer: failing(QUEUE, 99, { kind: 'refused', cause, reason }) });
    await run(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause: `target_${cause}`, attempts: 1 });
    expect(world.item('evt_1')?.lastError).toContain(`queue invoices.fifo refused (${cause}): ${reason.slice(0, 20)}`);
    expect(FOUR.map(target => takenBy(world, target).length)).toEqual([1, 0, 1, 1]);
  });

  it('keeps trying the others while one refuses, and then tells of the refusal', async () => {
    const refused: Delivered = { kind: 'refused', cause: 'denied', reason: 'AccessDenied' };
    const world = worldOf(FOUR, {
      answer: (address, call) => failing(QUEUE, 99, refused)(address, call) ?? failing(SERVICE, 2)(address, call),
    });
    await run(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause: 'target_denied', attempts: 3 });
    expect(takenBy(world, SERVICE)).toHaveLength(1);
  });

  it('waits as long as a throttling target asks, and asks it alone', async () => {
    const world = worldOf(FOUR, {
      answer: failing(TOPIC, 1, { kind: 'busy', afterSeconds: 300, reason: 'Throttling' }),
    });
    await run(world);
    const [first] = takenBy(world, BUS);
    const [late] = takenBy(world, TOPIC);
    expect((late?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(300_000);
    expect((late?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(330_000);
    expect(FOUR.map(target => world.targets.calls.get(target.address))).toEqual([1, 1, 2, 1]);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('uses the backoff for a throttling target that names no wait', async () => {
    const world = worldOf([TOPIC], { answer: failing(TOPIC, 2, { kind: 'busy', reason: 'Throttling' }) });
    await run(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 3 });
  });

  it('gives up on a target that does not answer, while the others are done', async () => {
    const plan = faultAt('targets.post', 1, 'hang');
    const world = worldOf(FOUR, {
      processOf: () => ({ clientTimeoutMs: 60_000 }),
      planOf: role => (role === 'process' ? plan : () => undefined),
    });
    await run(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2 });
    expect(FOUR.map(target => takenBy(world, target).length)).toEqual([1, 1, 1, 1]);
    const [first] = takenBy(world, BUS);
    expect((takenBy(world, SERVICE)[0]?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(20_000);
  });

  it('asks a target that keeps failing now and then only, spends no attempts on it, and serves the others', async () => {
    let isDown = true;
    const world = worldOf([BUS, SERVICE], {
      // Spent by an outage of 90 s, if each attempt counted.
      retry: { attempts: 12, baseSeconds: 5, capSeconds: 10 },
      maximumConcurrency: 2,
      answer: address => (isDown && address === SERVICE.address ? { kind: 'failed', reason: 'down' } : undefined),
    });
    world.start();
    for (let n = 0; n < 60; n++) await world.post({ id: `evt_${n}`, type: 'invoice.paid' });
    await world.clock.advanceBy(90_000);
    expect(takenBy(world, BUS)).toHaveLength(60);
    const asked = world.targets.calls.get(SERVICE.address) ?? 0;
    isDown = false;
    expect(await world.settle()).toBe(true);
    world.stop();
    expect(asked).toBeLessThan(400);
    expect(takenBy(world, SERVICE)).toHaveLength(60);
    expect(world.items().filter(it => it.status !== 'completed')).toEqual([]);
  });
});

describe('what dies, loses no target', () => {
  const everything = [BUS, QUEUE, MACHINE, SERVICE];

  it('asks again, with the same key, the target whose acceptance was not noted', async () => {
    const world = worldOf([SERVICE, BUS], {
      planOf: role => (role === 'process' ? faultAt('payloads.keepStep', 1, 'crash_before') : () => undefined),
    });
    await run(world);
    const twice = [SERVICE, BUS].map(target => takenBy(world, target)).filter(it => it.length === 2);
    expect(twice.length).toBeGreaterThan(0);
    for (const deliveries of twice) expect(new Set(deliveries.map(it => it.key)).size).toBe(1);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('after every fault at every call: each target at least once, repeats with one key, none where the key is known', async () => {
    const names: string[] = [];
    await run(worldOf(everything, { planOf: role => (role === 'process' ? recordCalls(names) : () => undefined) }));
    expect(names.filter(name => name.startsWith('targets.'))).toHaveLength(4);
    for (const [at, name] of names.entries()) {
      for (const fault of faultsOf(name)) {
        let seen = 0;
        const plan: FaultPlan = () => (++seen === at + 1 ? fault : undefined);
        const world = worldOf(everything, { planOf: role => (role === 'process' ? plan : () => undefined) });
        await run(world);
        await world.clock.advanceBy(HOUR_MS);
        const place = `${fault} at ${name} (${at})`;
        expect(world.item('evt_1')?.status, place).toBe('completed');
        expect(
          new Set(world.targets.taken.map(it => (it.address === SERVICE.address ? '' : it.key))).size,
          place,
        ).toBeLessThanOrEqual(2);
        for (const target of everything) {
          const deliveries = takenBy(world, target);
          expect(deliveries.length, `${place}: ${target.kind}`).toBeGreaterThanOrEqual(1);
          expect(new Set(deliveries.map(it => it.key)).size, `${place}: ${target.kind}`).toBe(1);
        }
        expect(takenBy(world, MACHINE), place).toHaveLength(1);
      }
    }
  });
});

it('a permanent error may name the cause of the dead letter, in a word that can be counted', async () => {
  for (const [label, cause] of [
    ['no_such_customer', 'no_such_customer'],
    ['customer cus_123 is gone', 'permanent'],
  ] as const) {
    const handle = () => Promise.reject(new PermanentError('it is gone', { label }));
    const world = new MemoryWorld({ handlers: () => defineHandlers([{ source: '*', type: '*', handle }]) });
    await run(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause });
  }
});

describe('what targets get', () => {
  const envelopeOf = (world: MemoryWorld, target: RouteTarget) =>
    JSON.parse(takenBy(world, target)[0]?.text ?? '{}') as Record<string, unknown>;

  it('is a CloudEvent around the body as it came; a URL gets the body alone', async () => {
    const world = worldOf([BUS, SERVICE]);
    await run(world);
    const body = takenBy(world, SERVICE)[0]?.text ?? '';
    expect(JSON.parse(body)).toMatchObject({ event_id: 'evt_1', event_type: 'invoice.paid' });
    const text = takenBy(world, BUS)[0]?.text ?? '';
    expect(text).toContain(`"data":${body}`);
    expect(envelopeOf(world, BUS)).toMatchObject({
      specversion: '1.0',
      id: 'evt_default.evt_1',
      source: 'holdfast:default',
      type: 'invoice.paid',
      datacontenttype: 'application/json',
      provider: 'generic',
      generation: 1,
      idempotencykey: 'default:evt_1:1',
      bodysize: body.length,
    });
  });

  it('is a reference where the body does not fit, by our reckoning or by the word of the target', async () => {
    const large = { note: 'x'.repeat(300_000) };
    const world = worldOf([BUS, TOPIC, QUEUE, SERVICE], { targets: { limits: { [QUEUE.address]: 65_536 } } });
    await run(world, 'evt_1', large);
    const body = takenBy(world, SERVICE)[0]?.text ?? '';
    expect(takenBy(world, BUS)[0]?.text).toContain(`"data":${body}`);
    for (const target of [TOPIC, QUEUE]) {
      const envelope = envelopeOf(world, target);
      expect(envelope).not.toHaveProperty('data');
      const ref = String(envelope['dataref']);
      expect(ref).toBe(`s3://bodies/routed/default/${String(envelope['bodysha256'])}`);
      const stored = await world.blobs.get(ref.replace('s3://bodies/', ''));
      expect(new TextDecoder().decode(stored)).toBe(body);
    }
    expect(world.targets.calls.get(QUEUE.address)).toBe(2);
    expect(world.item('evt_1')?.status).toBe('completed');
  });

  it('asks a target that refuses one event after the other: it is there, and answers', async () => {
    const refusal: Delivered = { kind: 'refused', cause: 'invalid', reason: 'it answered 422' };
    const world = worldOf([SERVICE], { answer: failing(SERVICE, Number.POSITIVE_INFINITY, refusal) });
    world.start();
    for (let n = 0; n < 60; n++) {
      await world.post({ id: `evt_${n}`, type: 'invoice.paid' });
      await world.clock.advanceBy(300);
    }
    await world.settle();
    world.stop();
    const ends = world.items().map(({ recentAttempts }) => recentAttempts?.map(({ cause }) => cause).join());
    expect(new Set(ends)).toEqual(new Set(['target_invalid']));
  });

  it('refuses for good what takes not even a reference', async () => {
    const world = worldOf([QUEUE], { targets: { limits: { [QUEUE.address]: 20 } } });
    await run(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause: 'target_invalid' });
    expect(world.item('evt_1')?.lastError).toContain('queue invoices.fifo refused (invalid): ');
  });
});
