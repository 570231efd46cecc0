/** What a session must know is read once in a while, not for each look: the reads are counted. */
import { expect, it } from 'vitest';
import { configsOf, EGRESS, egressGuard } from '#core/outbound/drain/endpoint-config.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import { applicationKey, controlKey, endpointKey, secretsKey } from '#core/outbound/protocol/keys.ts';

const [APP, EP] = ['app_1' as AppId, 'ep_1' as EndpointId];
const endpoint = { id: EP, app: APP, url: 'https://a.example.com/' };
const secrets = { keys: [{ kid: 'k1', alg: 'sha256', sealed: 'sealed', createdAt: 0 }] };

/** A store that counts; `items` by partition and sort key. */
function counted(items: Record<string, unknown>) {
  let now = 1_000_000;
  const reads: string[] = [];
  const at = ({ pk, sk }: { pk: string; sk: string }): string => `${pk} ${sk}`;
  const read = async (key: { pk: string; sk: string }, how = 'consistent') => {
    reads.push(`${how} ${at(key)}`);
    return items[at(key)];
  };
  const store = {
    get: read,
    getMany: (keys: { pk: string; sk: string }[], how?: string) => Promise.all(keys.map(key => read(key, how))),
  };
  const sealer = { seal: () => '', open: () => new Uint8Array([7]) };
  return {
    reads,
    items,
    at,
    pass: (ms: number) => {
      now += ms;
    },
    ports: { store, sealer, clock: { now: () => now } } as never,
  };
}
const itemsOf = (given: object = {}) => ({
  [counted({}).at(endpointKey(APP, EP))]: { ...endpoint, ...given },
  [counted({}).at(secretsKey(EP))]: secrets,
});

const RUNTIME = { app: APP, ep: EP } as const;

it('reads an endpoint and its secrets once in five seconds', async () => {
  const { ports, reads, pass } = counted(itemsOf());
  const configOf = configsOf(ports);
  const first = await configOf(RUNTIME);
  expect(first).toMatchObject({ endpoint, keys: [{ kid: 'k1', bytes: new Uint8Array([7]) }] });
  expect(reads).toHaveLength(2);
  pass(4_999);
  expect(await configOf(RUNTIME)).toBe(first);
  expect(reads).toHaveLength(2);
  pass(1);
  await configOf(RUNTIME);
  expect(reads).toHaveLength(4);
  expect(reads.map(it => it.split(' ')[0])).toEqual(['consistent', 'consistent', 'eventual', 'eventual']);
});

it('reads again at once, from the table itself, when the runtime item says that something changed', async () => {
  const { ports, reads, items, at } = counted(itemsOf());
  const configOf = configsOf(ports);
  await configOf(RUNTIME);
  items[at(endpointKey(APP, EP))] = { ...endpoint, url: 'https://new.example.com' };
  expect((await configOf({ ...RUNTIME, config: 1 }))?.endpoint.url).toBe('https://new.example.com');
  expect(reads.slice(2).map(it => it.split(' ')[0])).toEqual(['consistent', 'consistent']);
  await configOf({ ...RUNTIME, config: 1 });
  expect(reads).toHaveLength(4);
});

it('asks again, consistently, for what a lagging copy has not heard of, and keeps no absence', async () => {
  const { ports, reads } = counted({});
  const configOf = configsOf(ports);
  expect(await configOf(RUNTIME)).toBeUndefined();
  expect(reads.map(it => it.split(' ')[0])).toEqual(['consistent', 'consistent', 'consistent', 'consistent']);
  await configOf(RUNTIME);
  expect(reads).toHaveLength(8);
});

it('reads the schedule of an application once a minute, and none for an endpoint with its own', async () => {
  const { ports, reads, pass, items, at } = counted(itemsOf());
  items[at(applicationKey(APP))] = { schedule: [9] };
  const configOf = configsOf(ports);
  const waits = async () => (await configOf(RUNTIME))?.waits();
  expect(await waits()).toEqual([9]);
  const before = reads.filter(it => it.includes(at(applicationKey(APP)))).length;
  expect(before).toBe(1);
  pass(59_999);
  expect(await waits()).toEqual([9]);
  expect(reads.filter(it => it.includes(at(applicationKey(APP))))).toHaveLength(1);
  pass(1);
  items[at(applicationKey(APP))] = { schedule: [11] };
  expect(await waits()).toEqual([11]);

  const own = counted(itemsOf({ schedule: [5] }));
  expect(await (await configsOf(own.ports)(RUNTIME))?.waits()).toEqual([5]);
  expect(own.reads).toHaveLength(2);
});

it('reads the guard once in fifteen seconds; it is off from its end on', async () => {
  const { ports, reads, pass, items, at } = counted({});
  items[at(controlKey(EGRESS))] = { until: 1_020_000 };
  const isOn = egressGuard(ports);
  expect(await isOn()).toBe(true);
  pass(14_999);
  expect(await isOn()).toBe(true);
  expect(reads).toHaveLength(1);
  pass(5_001);
  expect(await isOn()).toBe(false);
  expect(reads).toHaveLength(2);
});
