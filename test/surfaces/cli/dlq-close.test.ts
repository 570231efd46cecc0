/** Closing dead letters: a decision of a person that stays visible, and ends the case for everybody else. */
import { expect, it } from 'vitest';
import { PermanentError } from '#core/handler/handler-contract.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';
import { CliWorld } from './cli-world.ts';

/** 3,000 in the long run. */
const DEATHS = isLongRun() ? 3_000 : 300;

/** What two alarms count: open records, and messages in the DLQ. */
const alarmed = ({ world }: CliWorld) => ({
  open: world.telemetry.measures.findLast(it => it.metric === 'OpenDeadLetters')?.value,
  messages: world.dead.dump().length,
});

it(`${DEATHS} dead letters of two causes: one is replayed, the other closed, and nothing is open any more`, async () => {
  let fixed = false;
  const cli: CliWorld = new CliWorld({
    retry: { attempts: 5, baseSeconds: 1, capSeconds: 1 },
    handlers: handlerThat(({ id }) => {
      if (id.startsWith('trial')) return Promise.reject(new PermanentError('a test order', { label: 'test_order' }));
      return fixed ? undefined : Promise.reject(new PermanentError('the schema has changed', { label: 'schema' }));
    }),
  });
  cli.world.start();
  for (let n = 0; n < DEATHS / 2; n++) {
    await cli.world.post({ id: `order-${n}`, source: 'shop', type: 'order.paid' });
    await cli.world.post({ id: `trial-${n}`, source: 'shop', type: 'order.test' });
  }
  await cli.world.clock.advanceBy(5 * MINUTE_MS);
  expect(alarmed(cli).open).toBe(DEATHS);
  expect(alarmed(cli).messages).toBeGreaterThanOrEqual(DEATHS);
  expect(await cli.run(['status'])).toMatchObject({ code: 1 });

  fixed = true;
  await cli.run(['replay', '--cause', 'schema', '--since', '24h', '--why', 'schema fixed in v42', '--yes']);
  const why = 'orders of the trial shop, nothing to book';
  const closing = await cli.json(['dlq', 'close', '--cause', 'test_order', '--why', why, '--yes']);
  expect(closing).toMatchObject({ code: 0, value: { closed: DEATHS / 2, left: 0 } });

  // At once.
  expect((await cli.run(['dlq', 'ls'])).stderr).toContain('No open dead letters.');
  // The sweeper's next runs.
  await cli.world.clock.advanceBy(5 * MINUTE_MS);
  expect(alarmed(cli)).toEqual({ open: 0, messages: 0 });
  expect(await cli.run(['status'])).toMatchObject({ code: 0 });

  const { value } = await cli.json(['dlq', 'ls', '--closed']);
  expect(value).toMatchObject({
    groups: [
      {
        source: 'shop',
        event_type: 'order.test',
        cause: 'test_order',
        count: DEATHS / 2,
        closed_by: 'ada',
        closed_why: why,
      },
    ],
  });
  expect((await cli.json(['events', 'get', 'trial-0'])).value).toMatchObject({
    status: 'closed',
    cause: 'test_order',
    closed_by: 'ada',
    closed_why: why,
  });
  expect((await cli.json(['events', 'get', 'order-0'])).value).toMatchObject({ status: 'completed' });
  // A replay of the cause means open deaths only.
  const again = await cli.json(['replay', '--cause', 'test_order', '--since', '24h', '--dry-run']);
  expect(again.value).toMatchObject({ count: 0 });
  cli.world.stop();
}, 120_000);

async function withDeath(): Promise<CliWorld> {
  const cli = new CliWorld();
  cli.world.start();
  await cli.happen(['bad-1', 'bad-2']);
  return cli;
}

it('a closed death cannot be redriven, and its message is removed', async () => {
  const cli = await withDeath();
  await cli.run(['dlq', 'close', 'bad-1', '--why', 'booked by hand', '--yes']);
  expect((await cli.json(['dlq', 'redrive', '--dry-run'])).value).toEqual({ would_be_moved: 1, kept: 1 });
  // Also when the whole queue is moved by the console of AWS.
  cli.world.dead.startMessageMoveTask(cli.world.main);
  await cli.world.clock.advanceBy(5 * MINUTE_MS);
  expect(cli.world.item('bad-1', 'shop')).toMatchObject({ status: 'closed', attempts: 1 });
  expect(cli.world.dead.dump()).toHaveLength(1);
  cli.world.stop();
});

it('a replay reopens a closed death, and the history says both', async () => {
  const cli = await withDeath();
  await cli.run(['dlq', 'close', 'bad-1', '--why', 'booked by hand', '--yes']);
  expect((await cli.run(['events', 'get', 'bad-1'])).stdout).toContain('closed         by ada: booked by hand');
  cli.fixed = true;
  await cli.run(['replay', 'bad-1', '--why', 'it was not booked', '--yes']);
  await cli.world.settle();
  const item = cli.world.item('bad-1', 'shop');
  expect(item).toMatchObject({ status: 'completed' });
  for (const gone of ['closing', 'attentionSource', 'deadId', 'cause']) expect(item).not.toHaveProperty(gone);
  const { stdout } = await cli.run(['events', 'get', 'bad-1']);
  expect(stdout).toMatch(/closed +by ada: booked by hand\n.*replayed +generation 2, by ada: it was not booked/);
  expect((await cli.run(['dlq', 'ls', '--closed'])).stderr).toContain('No closed dead letters.');
  cli.world.stop();
});

it('lives as long as the death would have', async () => {
  const cli = await withDeath();
  const before = cli.world.item('bad-1', 'shop');
  cli.world.stop();
  await cli.world.clock.advanceBy(20 * DAY_MS);
  await cli.run(['dlq', 'close', 'bad-1', '--why', 'booked by hand', '--yes']);
  const after = cli.world.item('bad-1', 'shop');
  expect(Math.abs(Number(after?.expiresAt) - Number(before?.expiresAt))).toBeLessThan(60);
  expect(after).not.toHaveProperty('watchAt');
});

it('asks, wants a reason and a filter, and names what is not dead', async () => {
  const cli = await withDeath();
  await cli.happen(['fine']);
  const close = (...args: string[]) => cli.run(['dlq', 'close', ...args]);
  expect(await close('--why', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('--cause') });
  expect(await close('bad-1')).toMatchObject({ code: 2, stderr: expect.stringContaining('No reason (--why)') });
  expect(await close('bad-1', '--why', 'booked')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(await close('fine', '--why', 'x', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('evt_shop.fine is completed'),
  });
  const dry = await close('--cause', 'permanent', '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: '2 dead letters match\n        2  shop order.paid (permanent)\n' });
  const otherError = await close('--error', 'an error that nothing died of', '--dry-run');
  expect(otherError.stdout).toBe('0 dead letters match; nothing to close\n');
  const { lastError = '' } = cli.world.item('bad-1', 'shop') ?? {};
  expect((await close('--error', String(lastError), '--dry-run')).stdout).toContain('dead letters match\n');
  expect(cli.world.item('bad-1', 'shop')).toMatchObject({ status: 'dead_letter' });
  cli.world.stop();
});

it('purge says which events it leaves open', async () => {
  const cli = await withDeath();
  const purged = await cli.run(['dlq', 'purge', '--yes']);
  expect(purged.stdout).toBe('0 messages deleted, 2 kept\n');
  expect(purged.stderr).toContain(
    'No record was changed: 2 dead letters are still open, and so are status and the alarm.',
  );
  expect(purged.stderr).toContain('holdfast dlq close --cause … --why "…"');
  cli.world.stop();
});

it('closes an event once that is named twice', async () => {
  const cli = await withDeath();
  const twice = ['dlq', 'close', 'bad-1', 'evt_shop.bad-1', '--why', 'booked by hand'];
  expect((await cli.json([...twice, '--dry-run'])).value).toMatchObject({ count: 1 });
  expect(await cli.json([...twice, '--yes'])).toMatchObject({ code: 0, value: { closed: 1, left: 0 } });
  cli.world.stop();
});
