/** Endpoints that get nothing: the one for which the most died or waits comes first, for people and for agents. */
import { expect, it } from 'vitest';
import { DELIVERY_ROUTES } from '#console/server/delivery-routes.ts';
import { worstFirst } from '#operator/customers/deliveries.ts';
import { Operator } from '#operator/operator.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';
import { CliWorld } from '../cli/cli-world.ts';
import { agentAt, type Json } from '../mcp/agent-world.ts';

/** Of `uid:acme`, in the order in which they were made: one is paused and nothing waits, for one two wait, of one four are dead. */
async function unwell() {
  const world = await withEndpoint();
  const { app, call, publish, settle } = world;
  const made = async (name: string): Promise<string> => {
    const url = `https://${name}.customer.com/in`;
    return (await call('POST /v1/apps/{app}/endpoints', { app }, { url, types: [`${name}.sent`] })).body.id;
  };
  await call('PATCH /v1/apps/{app}/endpoints/{ep}', { app, ep: world.ep }, { types: ['nothing.sent'] });
  const [waits, dead] = [await made('waits'), await made('dead')];
  for (const ep of [world.ep, waits])
    await call('POST /v1/apps/{app}/endpoints/{ep}/pause', { app, ep }, { why: 'a deploy' });
  world.answer(400);
  const send = (type: string, key: string) =>
    publish('uid:acme', JSON.stringify({ key, type, data: {}, max_attempts: 1 }));
  for (let n = 0; n < 2; n++) await send('waits.sent', `waits-${n}`);
  for (let n = 0; n < 4; n++) await send('dead.sent', `dead-${n}`);
  await settle();
  const cli = new CliWorld();
  const gateway = { delivery: async () => world.api };
  const operator = new Operator({
    ...{ environment: 'local', by: 'ada', program: 'holdfast', clock: cli.world.clock },
    readDeployment: () => cli.gateway.deployment,
    openGateway: async () => ({ ...cli.gateway, ...gateway }),
  });
  return { cli, gateway, operator, world, order: [dead, waits, world.ep] };
}

it('in out status, the console and the server for agents alike', async () => {
  const { cli, gateway, operator, order } = await unwell();
  const { value } = await cli.json(['out', 'status'], { gateway });
  expect((value as Json).unwell.map(({ id }: Json) => id)).toEqual(order);
  const { stdout } = await cli.run(['out', 'status'], { gateway });
  expect(stdout).toMatch(/dead\.customer\.com.*; 4 dead\n.*waits\.customer\.com.*; 2 waiting\n/);
  const [route] = DELIVERY_ROUTES.filter(({ path }) => path === '/api/out');
  const seen: Json = await route?.answer({ operator, query: new URLSearchParams() } as never);
  expect(seen.unwell.map(({ id, dead, waiting }: Json) => [id, dead, waiting.count])).toEqual([
    [order[0], 4, 0],
    [order[1], 0, 2],
    [order[2], 0, 0],
  ]);
  const { ask } = await agentAt(cli, [], { gateway });
  const told = await ask('endpoints');
  expect(told.unwell.map(({ id, dead_now: dead }: Json) => [id.untrusted, dead])).toEqual([
    [order[0], 4],
    [order[1], 0],
    [order[2], 0],
  ]);
});

it('whatever failed most often in a row, which decides only who of many is counted; one that is gone is no failure', async () => {
  const { operator, world, order } = await unwell();
  const { body } = await world.call('GET /v1/apps/{app}/endpoints', { app: world.app });
  const [dead, waits, quiet] = order.map(id => (body.data as Json[]).find(each => each.id === id));
  const rows = [quiet, waits, dead].map((each, n) => ({ ...each, failed_in_a_row: 9 - n }));
  expect((await worstFirst(operator, rows)).map(({ id }) => id)).toEqual(order);
  const gone = (n: number) => ({ ...quiet, id: `ep_${'0'.repeat(24)}${n + 10}` });
  const many = [...Array.from({ length: 30 }, (_, n) => gone(n)), { ...dead, failed_in_a_row: 4 }];
  const [first, ...others] = await worstFirst(operator, many);
  expect(first).toMatchObject({ id: dead.id, dead: 4 });
  expect(others.map(({ id }) => id)).toEqual(many.slice(0, 30).map(({ id }) => id));
});
