/** An agent sends deliveries of a customer again, and holds an endpoint back: after a dry run, with a reason, within a limit. */
import { expect, it } from 'vitest';
import { withEndpoint } from '#test/kit/producer-world.ts';
import { CliWorld } from '../cli/cli-world.ts';
import { agentAt } from './agent-world.ts';

const why = 'their address is right again';

/** So many deliveries are dead at the endpoint of `uid:acme`; `use` lets the tries of what was sent again pass. */
async function dead(many: number, args: readonly string[] = []) {
  const world = await withEndpoint();
  world.answer(400);
  for (let n = 0; n < many; n++)
    await world.publish('uid:acme', JSON.stringify({ key: `inv-${n}`, type: 'invoice.paid', data: { n } }));
  const use = async (): Promise<void> => {
    await world.settle();
    for (let n = 0; n < 3; n++) {
      world.pass(400_000);
      world.wakeUps.push({ v: 1, ep: world.ep as never });
      await world.settle();
    }
  };
  await use();
  world.answer(200);
  world.sent.length = 0;
  const gateway = { delivery: async () => world.api };
  const agent = await agentAt(new CliWorld(), ['--allow', 'retry,pause', ...args], { gateway });
  const given = { app: 'uid:acme', endpoint: world.ep, why };
  return { ...world, ...agent, given, by: world.call, use };
}

it('sends what is dead again, after a dry run', async () => {
  const { ask, given, settle, sent, app, ep, by } = await dead(3);
  const { confirm, would } = await ask('retry', given);
  expect(would).toMatchObject({ retry: 3, deliveries: [{ status: 'dead' }, { status: 'dead' }, { status: 'dead' }] });
  await settle();
  expect(sent.length).toBe(0);
  expect(await ask('retry', { ...given, confirm })).toEqual({ done: true, retried: 3, not_retried: [] });
  await settle();
  expect(sent.length).toBe(3);
  expect((await ask('endpoints', { app, endpoint: ep })).dead_now).toBe(0);
  const { body } = await by('GET /v1/apps/{app}/endpoints/{ep}/deliveries', { app, ep });
  expect(body.data.map((each: { status: string }) => each.status)).toEqual(['delivered', 'delivered', 'delivered']);
  expect(await ask('retry', given)).toMatchObject({ would: { retry: 0 }, next: 'there is nothing to do' });
});

it('leaves alone what somebody sent again since the dry run, and sends no more than its limit', async () => {
  const { ask, call, given, settle, sent, ep, app, api } = await dead(3, ['--limit', '2']);
  expect((await call('retry', given)).value.problems).toMatchObject([
    { path: 'limit', allowed: 'at most 2 in a call' },
  ]);
  const two = { ...given, limit: 2 };
  const { confirm, would } = await ask('retry', two);
  const [first] = would.deliveries;
  const path = ['apps', app, 'endpoints', ep, 'deliveries', first.message.untrusted, 'replay'];
  await api.send({ method: 'POST', path, body: { request_id: 'a-person' } });
  await settle();
  expect(await ask('retry', { ...two, confirm })).toEqual({
    done: true,
    retried: 1,
    not_retried: [{ message: first.message, outcome: 'changed' }],
  });
  await settle();
  expect(sent.length, 'one by the person, one by the agent').toBe(2);
});

it('leaves alone what was sent again and died again', async () => {
  const { ask, given, use, sent, ep, app, api, answer } = await dead(1);
  const { confirm, would } = await ask('retry', given);
  const path = ['apps', app, 'endpoints', ep, 'deliveries', would.deliveries[0].message.untrusted, 'replay'];
  answer(400);
  await api.send({ method: 'POST', path, body: { request_id: 'a-person' } });
  await use();
  const tries = sent.length;
  expect((await ask('retry', given)).would.retry, 'dead again').toBe(1);
  expect(await ask('retry', { ...given, confirm })).toMatchObject({
    retried: 0,
    not_retried: [{ outcome: 'changed' }],
  });
  await use();
  expect(sent.length).toBe(tries);
});

it('sends one message again, to the endpoint by its id or its name', async () => {
  const { ask, call, given, settle, sent } = await dead(2);
  const { deliveries } = (await ask('retry', given)).would;
  const one = { ...given, message: deliveries[0].message.untrusted };
  const { confirm, would } = await ask('retry', one);
  expect(would).toMatchObject({ retry: 1, deliveries: [{ message: deliveries[0].message }] });
  expect(await ask('retry', { ...one, confirm })).toMatchObject({ retried: 1 });
  await settle();
  expect(sent.length).toBe(1);
  expect((await call('retry', { ...one, message: 'msg_none' })).value.error).toBe('not_found');
});

it('holds an endpoint back', async () => {
  const { ask, given, app, ep } = await dead(1);
  const { confirm, would } = await ask('pause', given);
  expect(would).toMatchObject({ pause_endpoint: { untrusted: ep }, state: expect.any(String) });
  expect(await ask('pause', { ...given, confirm })).toEqual({
    done: true,
    gate: 'paused',
    state: 'paused',
    ends_with: { untrusted: `holdfast out resume uid:acme ${ep}` },
  });
  expect((await ask('endpoints', { app })).endpoints[0].in_words.untrusted).toContain(`agent: ${why}`);
  expect(await ask('pause', given)).toMatchObject({ next: 'there is nothing to do' });
});

it('does not take back what somebody decided about an endpoint since the dry run', async () => {
  const { ask, call, given, by, app, ep } = await dead(1);
  const { confirm } = await ask('pause', given);
  await by('POST /v1/apps/{app}/endpoints/{ep}/disable', { app, ep }, { why: 'fraud' });
  expect((await call('pause', { ...given, confirm })).value.problems).toMatchObject([{ path: 'endpoint' }]);
  expect((await ask('endpoints', { app })).endpoints[0].state).toBe('disabled');
});
