/** The short form of an id, the zone of times, and what a repeated sample is told. */
import { expect, it } from 'vitest';
import { CliWorld } from './cli-world.ts';

async function worldWith(...ids: string[]): Promise<CliWorld> {
  const cli = new CliWorld();
  cli.world.start();
  await cli.happen(ids);
  return cli;
}

it('every command that takes an id takes its end', async () => {
  const cli = await worldWith('order-1234abcd', 'bad-5678efgh');
  expect((await cli.json(['events', 'get', '..1234abcd'])).value).toMatchObject({ id: 'evt_shop.order-1234abcd' });
  expect((await cli.run(['events', 'get', '..5678efgh'])).stdout).toContain('evt_shop.bad-5678efgh');
  const closed = await cli.json(['dlq', 'close', '..5678efgh', '--why', 'test data', '--yes']);
  expect(closed.value).toEqual({ closed: 1, left: 0 });
  const replayed = await cli.json(['replay', '..5678efgh', '--why', 'after all', '--yes']);
  expect(replayed.value).toMatchObject({ id: 'evt_shop.bad-5678efgh', outcome: 'replayed' });
  cli.world.stop();
});

it('an end of several ids, of none, or of three characters is an error that says what to do', async () => {
  const cli = await worldWith('a-1234abcd', 'b-1234abcd');
  const several = await cli.run(['events', 'get', '..1234abcd']);
  expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining('fits 2 events') });
  expect(several.stderr).toContain('evt_shop.a-1234abcd');
  expect((await cli.json(['events', 'get', '..a-1234abcd'])).value).toMatchObject({ id: 'evt_shop.a-1234abcd' });
  expect(await cli.run(['events', 'get', '..zzzzzzzz'])).toMatchObject({ code: 3 });
  expect(await cli.run(['events', 'get', '..bcd'])).toMatchObject({ code: 2 });
  cli.world.stop();
});

it('times are in the zone of the person and say it, with UTC beside them; --utc shows that alone', async () => {
  const cli = await worldWith('order-1');
  const get = async (zone: string, ...args: string[]) =>
    (await cli.run(['events', 'get', 'order-1', ...args], { env: { TZ: zone } })).stdout;
  expect(await get('Asia/Kolkata')).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \+05:30 \(\d\d:\d\d:\d\dZ\)/);
  expect(await get('America/New_York')).toMatch(/ -0[45]:00 \(/);
  expect(await get('Asia/Kolkata', '--utc')).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/);
  expect(await get('Asia/Kolkata', '--utc')).not.toContain('+05:30');
  cli.world.stop();
});
