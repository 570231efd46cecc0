/** Every part of `status` and `doctor` fails alone: what can be read is shown, what cannot is named, and the exit code is 1. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import type { EventStore } from '#core/inbound/ports.ts';
import { type AuditPorts, auditOn } from '#core/inbound/watch/audit-records.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { Gateway } from '#operator/gateway.ts';
import { CliWorld } from './cli-world.ts';

let cli: CliWorld;
beforeEach(async () => {
  cli = new CliWorld();
  cli.world.start();
  await cli.happen(['good-1', 'bad-1']);
});
afterEach(() => cli.world.stop());

const throttled = (): never => {
  throw new DependencyError('dynamodb', 'Rate exceeded', { outcome: 'not_applied' });
};
const failing = async (): Promise<never> => throttled();

/** The object with one call failing, at some arguments or at all. */
function without<T extends object>(whole: T, name: keyof T, when: (...args: never[]) => boolean = () => true): T {
  return new Proxy(whole, {
    get: (it, key) => {
      const value = Reflect.get(it, key) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: never[]) => (key === name && when(...args) ? failing() : value.apply(it, args));
    },
  });
}

const WHOLE = [
  'received',
  'queue',
  'dead_letter_queue',
  'open_dead_letters',
  'unfinished',
  'alarms',
  'mutes',
  'paused',
];

describe('status with one call that is throttled', () => {
  const cases: readonly [string, (gateway: Gateway) => Partial<Gateway>, readonly string[]][] = [
    ['the number of waiting messages', it => ({ gauge: without(it.gauge, 'main') }), ['queue']],
    ['the number of dead messages', it => ({ gauge: without(it.gauge, 'dead') }), ['dead_letter_queue']],
    ['the alarms', () => ({ alarms: failing }), ['alarms']],
    ['the list of dead letters', it => ({ store: without(it.store, 'attention') }), ['open_dead_letters']],
    ['the watched events', it => ({ store: without(it.store, 'occupied') }), ['unfinished']],
    ['the timeline', it => ({ store: without(it.store, 'timeline') }), ['received', 'unfinished']],
    ['refused requests', it => ({ payloads: without(it.payloads, 'listRefused') }), ['refused']],
    ['pauses', it => ({ control: without(it.control, 'read', (name: never) => name === 'pauses') }), ['paused']],
    ['concerns', it => ({ control: without(it.control, 'read', (name: never) => name === 'concerns') }), ['concerns']],
  ];
  it.each(cases)('%s: says all the rest', async (_what, change, gone) => {
    const { code, value } = await cli.json(['status'], { gateway: change(cli.gateway) });
    const found = value as Record<string, unknown>;
    expect(code).toBe(1);
    for (const name of [...WHOLE, 'refused', 'concerns']) expect(found[name] === null, name).toBe(gone.includes(name));
    expect(found['unread']).toHaveLength(gone.length);
    expect(JSON.stringify(found['needs_a_person'])).toContain('cannot be read');
    const screen = await cli.run(['status'], { gateway: change(cli.gateway) });
    expect(screen.stdout).toContain('cannot be read');
    expect(screen.stdout).toMatch(/not read +\S.*Rate exceeded/);
    const doctor = await cli.run(['doctor'], { gateway: change(cli.gateway) });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/ok +configuration/);
    expect(doctor.stdout).toMatch(/ok +sweeper/);
  });

  it('the record of the sweeper: nobody says that it is late', async () => {
    const control = without(cli.gateway.control, 'read', (name: never) => name === 'sweeper-runs');
    const { stdout, code } = await cli.run(['status'], { gateway: { control } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/sweeper +cannot be read/);
    expect(stdout).not.toContain('no run of the sweeper');
  });
});

describe('status of the nightly check', () => {
  /** One run that has this long for the records; each page of the scan takes a minute. */
  const audit = async (minutes: number): Promise<void> => {
    const { clock } = cli.world;
    const { control, store } = cli.gateway;
    const scan: EventStore['scan'] = async cursor => {
      await clock.advanceBy(60_000);
      return cursor === 'second' ? { items: [] } : { items: [], cursor: 'second' };
    };
    const ports = { ...cli.world, store: { update: store.update, scan }, control } as unknown as AuditPorts;
    await auditOn(clock.now() + minutes * MINUTE_MS, ports, cli.world.rules);
  };

  it('says when all records were checked, and for how long no pass came to its end', async () => {
    // Its runs are those of this test.
    cli.world.stop();
    expect((await cli.run(['status'])).stdout).toMatch(/audit +never ran/);
    expect((await cli.json(['status'])).value).toMatchObject({ audit: null });
    await audit(10);
    const checkedAt = cli.world.clock.now();
    await cli.world.clock.advanceBy(14 * HOUR_MS);
    expect((await cli.run(['status'])).stdout).toMatch(/audit +all records were checked 14 h ago/);
    await audit(1.5);
    await cli.world.clock.advanceBy(12 * HOUR_MS);
    expect((await cli.run(['status'])).stdout).toMatch(
      /audit +continues tonight; none has checked all records for 26 h/,
    );
    expect((await cli.json(['status'])).value).toMatchObject({
      audit: { under_way: true, none_finished_since: new Date(checkedAt).toISOString() },
    });
  });

  it('says that it cannot be read', async () => {
    const control = without(cli.gateway.control, 'read', (name: never) => name === 'reconcile-finished');
    expect((await cli.run(['status'], { gateway: { control } })).stdout).toMatch(/audit +cannot be read/);
  });
});

describe('status of a source that a person should hear of', () => {
  it('names the conflict with the command that runs the second body', async () => {
    for (const n of [1, 2]) await cli.world.post({ source: 'shop', id: 'evt_9', data: { n } });
    const { stdout } = await cli.run(['status']);
    expect(stdout).toMatch(
      /conflict +shop: one event id arrived with two bodies.*\n +holdfast replay \S*evt_9 --body [0-9a-f]{64} --why/,
    );
    const { value } = await cli.json(['status']);
    expect(value).toMatchObject({ concerns: [{ kind: 'conflict', source: 'shop', body_sha: expect.any(String) }] });
  });

  it.each([
    [19, ' 19 events'],
    [20, ' 20 or more events'],
  ])('says how many events failed, of those that the sweeper looked at: %i', async (events, text) => {
    const now = cli.world.clock.now();
    const fails = { source: 'shop', eventType: 'paid', firstAt: now - HOUR_MS, lastAt: now, eventId: 'evt_shop.1' };
    const value = JSON.stringify({ a: { kind: 'handler_fails', ...fails, events } });
    const control = Object.create(cli.gateway.control) as Gateway['control'];
    control.read = async key => (key === 'concerns' ? { value, version: 1 } : cli.gateway.control.read(key));
    const { stdout } = await cli.run(['status'], { gateway: { control } });
    expect(stdout).toContain(`only failures at${text}`);
  });

  it('says until when open events wait', async () => {
    cli.world.mapping.disable();
    await cli.world.post({ source: 'shop', id: 'good-2' });
    await cli.world.clock.advanceBy(5 * MINUTE_MS);
    expect((await cli.run(['status'])).stdout).toMatch(
      /in progress +1 event\b.*each tried again or looked at within \d+ min/,
    );
  });
});
