/**
 * Each call that a function makes of the outbound tables is one that its rights allow. Stores in memory allow everything,
 * so a missing right would show in AWS only.
 */
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, it } from 'vitest';
import { disable, enableEndpoint, pause } from '#core/outbound/gate/gate.ts';
import type { ItemStore, ItemWrite, KeyRange, OutboundTable, TableKey } from '#core/outbound/ports.ts';
import { deleteEndpoint } from '#core/outbound/registry/endpoints.ts';
import { startReplayJob } from '#core/outbound/replay/replay-job.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { answered, type OutboundRole, OutboundWorld } from '#test/kit/outbound-world.ts';
import { runningReplayJob } from '#test/kit/running-replay-job.ts';
import { synthEnvironment } from './synth-environment.ts';

interface Right {
  readonly actions: readonly string[];
  readonly table: OutboundTable;
  readonly index: boolean;
  /** Beginnings of partition keys; absent: all. */
  readonly leading: readonly string[] | undefined;
}
const POLICIES: Readonly<Record<OutboundRole, string>> = {
  ...{ publish: 'Publish', 'fan-out': 'FanOut', 'drain-fast': 'DrainFast', 'drain-slow': 'DrainSlow' },
  ...{ tend: 'Tend', people: 'DeliveryApi' },
};
const rights: Partial<Record<OutboundRole, readonly Right[]>> = {};
// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Json = any;
const list = (value: Json): Json[] => (Array.isArray(value) ? value : [value]);

beforeAll(async () => {
  const config = { ...gateway, environments: { prod: { outbound: {} } } };
  const { stage } = await synthEnvironment('prod', config);
  const policies = Template.fromStack(stage.delivery as Json).findResources('AWS::IAM::Policy');
  for (const [role, name] of Object.entries(POLICIES)) {
    const found = Object.entries(policies).find(([id]) => id.startsWith(`${name}Role`) || id.startsWith(`${name}Def`));
    const statements: Json[] = found?.[1]['Properties'].PolicyDocument.Statement ?? [];
    rights[role as OutboundRole] = statements.flatMap(statement =>
      list(statement.Resource).flatMap((resource): Right[] => {
        const text = JSON.stringify(resource);
        const table = /OutboundRegistry/.test(text) ? 'registry' : /OutboundOutbox/.test(text) ? 'outbox' : undefined;
        const leading = statement.Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
        const actions = list(statement.Action).map((each: string) => each.replace('dynamodb:', ''));
        return table === undefined ? [] : [{ actions, table, index: text.includes('/index/'), leading }];
      }),
    );
  }
});

/** What a call needs, as `<table>[/listed] <partition>: <action>`. */
interface Need {
  readonly action: string;
  readonly table: OutboundTable;
  readonly index: boolean;
  readonly pk: string;
}
const need = (action: string, { table, pk }: Pick<TableKey, 'table' | 'pk'>, index = false): Need => ({
  ...{ action, table, pk, index },
});
const WRITES = { put: 'PutItem', update: 'UpdateItem', delete: 'DeleteItem', check: 'ConditionCheckItem' } as const;

function needsOf(method: keyof ItemStore, given: readonly unknown[]): readonly Need[] {
  const [first, second] = given as readonly Json[];
  switch (method) {
    case 'put':
    case 'update':
      return [need(WRITES[method], (first as ItemWrite).key)];
    case 'delete':
      return [need('DeleteItem', first)];
    case 'get':
      return [need('GetItem', first)];
    case 'putMany':
      return second.map(({ pk }: { pk: string }) => need('BatchWriteItem', { table: first, pk }));
    case 'getMany':
      return first.map((key: TableKey) => need('BatchGetItem', key));
    case 'query': {
      const { table, partition, index } = first as KeyRange;
      return [need('Query', { table, pk: partition }, index !== undefined)];
    }
    case 'scan':
      return [need('Scan', { table: first, pk: '' })];
    case 'transact':
      return first.map(({ kind, key }: ItemWrite) => need(WRITES[kind], key));
  }
}
const allows = (right: Right, { action, table, index, pk }: Need): boolean =>
  right.table === table &&
  right.index === index &&
  right.actions.includes(action) &&
  (index || right.leading === undefined || right.leading.some(each => pk.startsWith(each.slice(0, -1))));

const missing = new Set<string>();
const made = new Map<OutboundRole, number>();
const watched = (role: OutboundRole, store: ItemStore): ItemStore =>
  new Proxy(store, {
    get: (target, property) => {
      const member: Json = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        for (const wanted of needsOf(property as keyof ItemStore, given)) {
          made.set(role, (made.get(role) ?? 0) + 1);
          if (!(rights[role] ?? []).some(right => allows(right, wanted)))
            missing.add(`${role}: ${wanted.action} on ${wanted.pk.slice(0, 2)} of ${wanted.table}`);
        }
        return member.apply(target, given);
      };
    },
  });

it('publish, fan-out, both drains, tend and people ask for nothing that they may not', async () => {
  const world = new OutboundWorld({ idleMs: 1_000, waits: [5, 600], watchStore: watched, retentionMs: 30 * DAY_MS });
  const operations = await world.createApplication({ uid: 'operations' });
  await world.createEndpoint(operations, () => answered(200));
  const app = await world.createApplication({ format: 'object' });
  let status = 422;
  const ordered = await world.createEndpoint(app, () => answered(status), { ordered: true });
  const dead = await world.createEndpoint(app, () => answered(500));
  const batched = await world.createEndpoint(app, () => answered(200), { batch: { maxEvents: 10, maxBytes: 100_000 } });
  const shut = await world.createEndpoint(app, () => answered(200));
  const gone = await world.createEndpoint(app, () => answered(410));
  await world.createEndpoint(app, () => answered(200), {
    filter: { all: [{ path: 'amount', op: 'eq', value: 1 }] },
  });
  world.start();
  const act = (why: string) => ({ by: 'operator', why, now: world.clock.now() }) as const;
  await world.clock.complete(world.insist(ports => pause(ports, shut, act('test'))));
  for (let n = 0; n < 8; n++) {
    await world.clock.complete(world.publish(app, `k${n}`), 10 * MINUTE_MS);
    await world.clock.advanceBy(MINUTE_MS);
  }
  status = 200;
  await world.clock.advanceBy(2 * HOUR_MS);
  const now = world.clock.now();
  await startReplayJob(world.store, runningReplayJob(app, now));
  await world.clock.advanceBy(30 * MINUTE_MS);
  await world.clock.complete(world.insist(ports => disable(ports, dead, act('test'))));
  await world.clock.complete(world.insist(ports => enableEndpoint(ports, dead, act('test'), { kind: 'drop' })));
  const forGood = { by: 'operator', why: 'test', retentionMs: world.rules.retentionMs } as const;
  await world.clock.complete(world.insist(ports => deleteEndpoint(ports, app, gone, forGood)));
  await world.clock.advanceBy(30 * MINUTE_MS);
  world.stop();
  expect(world.requestsTo(ordered).length).toBeGreaterThan(8);
  expect(world.requestsTo(batched).length).toBeGreaterThan(0);
  expect([...made.keys()].sort()).toEqual(Object.keys(POLICIES).sort());
  expect([...missing].sort()).toEqual([]);
});
