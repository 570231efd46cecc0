/** What the console's first screen and `status` say of the same state. */
import { expect, it } from 'vitest';
import type { SourceId } from '#core/glossary.ts';
import { controlKey } from '#core/outbound/protocol/keys.ts';
import { SUMMARY as SUMMARY_NAME, summaryOf } from '#core/outbound/tend/summary.ts';
import { MINUTE_MS } from '#core/time.ts';
import { readDeliverySummary, readOutbound, setGate } from '#operator/customers/deliveries.ts';
import { needsAPerson, needsOf } from '#operator/health/needs.ts';
import type { SystemView } from '#operator/health/system-view.ts';
import { Operator } from '#operator/operator.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';
import { producerWorld } from '#test/kit/producer-world.ts';
import { demoDeliveries } from '#test/surfaces/console/demo-deliveries.ts';
import { CliWorld } from '../cli/cli-world.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const AT = NOW - 600_000;

const WELL: SystemView = {
  received: { '5m': { count: 1, capped: false }, '1h': { count: 9, capped: false } },
  ...{ main: undefined, dead: undefined, openDeadLetters: 0, unfinished: undefined, refused: [], concerns: [] },
  ...{ pauses: {}, jobs: [], customers: undefined, alarms: [], mutes: [], audit: 'never', deployedAt: AT, unread: [] },
  sweeper: { wellAt: NOW - 30_000 },
  processor: { state: 'Enabled', running: true },
};
const SUMMARY = {
  ...{
    as_of: '2026-11-24T11:59:00Z',
    audited_at: '2026-11-24T11:59:00Z',
    endpoints: 9,
    failing: 0,
    on_hold: 4,
    paused: 1,
    disabled: 1,
    dead: 0,
    died: 0,
  },
  ...{ waiting: 0, oldest_waiting_at: null, egress_guard: null },
};
const refusedAt = (name: string, cause: string, count: number) => ({
  source: name as SourceId,
  cause,
  count,
  lastAt: AT,
});
const textsOf = (view: Partial<SystemView>): readonly string[] =>
  needsOf({ ...WELL, ...view }, NOW).map(
    each => `${each.isNotice ? 'notice' : 'needs'} ${each.text} → ${each.next.href}`,
  );

it('says nothing where all is well, whatever is too little to judge', () => {
  expect(textsOf({})).toEqual([]);
  expect(
    textsOf({ refused: [refusedAt('pay', 'mismatch', 4)], customers: { ...SUMMARY, on_hold: 0, disabled: 0 } }),
  ).toEqual([]);
  expect(textsOf({ customers: { ...SUMMARY, as_of: null } })).toEqual([]);
});

it('names a processor that somebody stopped first', () => {
  const processor = { state: 'Disabled', running: false };
  expect(textsOf({ processor, openDeadLetters: 1 })[0]).toBe(
    'needs the processor is stopped (Disabled): events wait → /alarms?runbook=events-wait',
  );
});

it('names a source that refuses, once, by what came most often, and says "at least" where the count is cut off', () => {
  const refused = [
    refusedAt('github', 'mismatch', 20),
    refusedAt('github', 'missing', 9),
    refusedAt('pay', 'stale', 6),
  ];
  expect(textsOf({ refused })).toEqual([
    expect.stringMatching(/^notice pay refused 6 requests .* captured request .* → \/sources\/pay\?tab=refused$/),
    expect.stringMatching(/^notice github refused at least 20 requests in the last hour\. The secret here is not/),
  ]);
});

it('names the endpoints of customers that get nothing, and calls for a person when our own way out fails', () => {
  expect(textsOf({ customers: SUMMARY })).toEqual([
    'notice 5 of 9 endpoints of customers get nothing now, 1 is paused → /out',
  ]);
  const egress_guard = { silent: 7, counted: 9, seen_at: '2026-11-24T11:59:00Z' };
  expect(textsOf({ customers: { ...SUMMARY, egress_guard } })[0]).toMatch(
    /^needs 7 endpoints stopped answering at once/,
  );
});

it('names a replay that does not move, and a sweeper that crashes', () => {
  const job = { id: 'job_1', updatedAt: AT, state: 'running' } as unknown as NonNullable<SystemView['jobs']>[number];
  expect(textsOf({ jobs: [job] })).toEqual(['needs replay job_1 has not moved for 10 min → /jobs']);
  expect(textsOf({ jobs: [{ ...job, updatedAt: NOW - 60_000 }] })).toEqual([]);
  expect(textsOf({ sweeper: { wellAt: AT, error: { at: AT + 60_000, text: 'TypeError' } } })[0]).toMatch(
    /^needs no run of the sweeper has ended well for 10 min; it last failed .*TypeError → \/alarms\?runbook=/,
  );
});

it('puts what died first and what is only worth knowing last, and a part that was not read is never well', () => {
  const view: SystemView = {
    ...WELL,
    ...{ openDeadLetters: 1_203, customers: SUMMARY, pauses: { pay: { by: 'ada', why: 'x', since: AT } } },
    unread: [{ part: 'queue', why: 'AccessDenied', isNotice: false }],
  };
  const needs = needsOf(view, NOW);
  expect(needsAPerson(needs)).toEqual([
    '1,203 dead letters',
    'pay was paused 10 min ago by ada: x',
    'queue cannot be read: AccessDenied',
  ]);
  expect(needs.at(-1)?.isNotice).toBe(true);
});

it('counts the endpoints of customers as they are within ten seconds, whether an audit came or not', async () => {
  const gateway = new ConsoleGateway();
  const demo = await demoDeliveries(Date.now());
  gateway.delivery = demo.api;
  const operator = gateway.operator();
  const first = await readDeliverySummary(operator);
  expect(first).toMatchObject({ endpoints: 4, failing: 1, on_hold: 0, paused: 0 });
  expect(Date.now() - Date.parse(first.as_of ?? '')).toBeLessThan(10_000);
  // What this person does shows at once.
  await setGate(operator, { app: demo.failing.app, ep: demo.failing.ep }, 'pause', { why: 'their deploy' });
  expect(await readDeliverySummary(operator)).toMatchObject({ endpoints: 4, failing: 0, paused: 1 });
});

it('walks few endpoints for a screen, and of many tells what the endpoint check counted, with its time', async () => {
  const { api, call, store } = producerWorld();
  const cli = new CliWorld();
  const { clock } = cli.world;
  const lists: string[] = [];
  const send: typeof api.send = asked => {
    if (asked.path.at(-1) === 'endpoints') lists.push(asked.path[1] ?? '');
    return api.send(asked);
  };
  const operator = new Operator({
    ...{ environment: 'local', by: 'ada', program: 'holdfast', clock },
    readDeployment: () => cli.gateway.deployment,
    openGateway: async () => ({ ...cli.gateway, delivery: async () => ({ ...api, send }) }),
  });
  const made = async (app: string): Promise<void> => {
    await call('PUT /v1/apps/{app}', { app }, { name: app });
    const url = 'https://their.customer.com/in';
    await call('PUT /v1/apps/{app}/endpoints/{ep}', { app, ep: 'uid:one' }, { url });
  };
  const walksOfAMinute = async (): Promise<number> => {
    lists.length = 0;
    for (let asked = 0; asked < 6; asked++) {
      await readDeliverySummary(operator);
      await clock.advanceBy(10_000);
    }
    return lists.length;
  };
  for (let n = 0; n < 3; n++) await made(`uid:few${n}`);
  expect(await walksOfAMinute()).toBe(6 * 3);
  for (let n = 0; n < 12; n++) await made(`uid:many${n}`);
  expect(await walksOfAMinute()).toBe(0);
  expect(await readDeliverySummary(operator)).toMatchObject({ as_of: null, endpoints: 0 });
  const counts = { endpoints: 15, withTraffic: 0, onHold: 2, failing: 1, disabled: 0, paused: 0, died: 0, dead: 0 };
  const counted = summaryOf({ ...counts, waiting: 0, lost: 0 }, clock.now() - 5 * MINUTE_MS);
  await store.put({ kind: 'put', key: controlKey(SUMMARY_NAME), item: counted });
  const seen = await readDeliverySummary(operator);
  expect(seen).toMatchObject({ endpoints: 15, on_hold: 2, failing: 1 });
  expect(needsOf({ ...WELL, customers: seen }, clock.now()).map(({ text }) => text)).toContain(
    '2 of 15 endpoints of customers get nothing now, 1 more fails (counted 5 min ago)',
  );
  // Who looks at them has them as they are, and for ten seconds the first screen has them, too.
  expect((await readOutbound(operator)).at).toBe(clock.now());
  expect(await readDeliverySummary(operator)).toMatchObject({ endpoints: 15, on_hold: 0 });
});
