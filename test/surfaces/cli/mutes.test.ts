/** Mutes as a person on call meets them: an end and a reason always, and nobody overlooks one. */
import { beforeEach, expect, it } from 'vitest';
import { describeNow } from '#console/server/describe-now.ts';
import { HOUR_MS, MINUTE_MS, toIso } from '#core/time.ts';
import type { Mute } from '#operator/gateway.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';
import { CliWorld } from './cli-world.ts';

let cli: CliWorld;
beforeEach(async () => {
  cli = new CliWorld();
  cli.world.start();
  await cli.happen(['good-1']);
  const alarm = { state: 'OK', since: cli.world.clock.now(), reason: '', description: 'page: x' } as const;
  cli.alarms = ['holdfast-local-a', 'holdfast-local-b'].map(name => ({ ...alarm, name }));
  return () => cli.world.stop();
});

const mutesOf = async (...args: string[]) =>
  ((await cli.json(args)).value as { readonly mutes: readonly Record<string, unknown>[] }).mutes;
const mute = (...args: string[]) => cli.run(['mute', ...args, '--yes']);
const WHY = ['--why', 'restore rehearsal'];

it('begins at a full minute, has its reason and its end in status, doctor and the console, and nothing is wrong for it', async () => {
  expect(await mute('2h', ...WHY)).toMatchObject({ code: 0, stdout: expect.stringContaining('2 alarms are muted') });
  const [made] = await mutesOf('mute', 'ls');
  const from = Math.ceil((cli.world.clock.now() + 10_000) / MINUTE_MS) * MINUTE_MS;
  expect(made).toMatchObject({
    ...{ active: false, from: toIso(from), until: toIso(from + 2 * HOUR_MS), why: 'restore rehearsal' },
    alarms: ['holdfast-local-a', 'holdfast-local-b'],
  });
  expect(await mutesOf('status')).toEqual([made]);
  const text = `until ${toIso(from + 2 * HOUR_MS)} (in 2 h): restore rehearsal, by `;
  expect(await cli.run(['status'])).toMatchObject({ code: 0, stdout: expect.stringContaining(text) });
  expect(await cli.run(['doctor'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/warning +muted .*rehearsal/),
  });
});

it('who thinks for minutes before the answer mutes from then on, for as long as was said', async () => {
  const asked = cli.world.clock.now();
  const thought = { answers: ['y'], thinksMs: 5 * MINUTE_MS };
  const { code, stdout } = await cli.run(['mute', '2h', ...WHY], thought);
  const [made] = await mutesOf('mute', 'ls');
  const from = Math.ceil((asked + 5 * MINUTE_MS + 10_000) / MINUTE_MS) * MINUTE_MS;
  expect(made).toMatchObject({ active: false, from: toIso(from), until: toIso(from + 2 * HOUR_MS) });
  expect([code, stdout]).toEqual([0, expect.stringContaining(`until ${toIso(from + 2 * HOUR_MS)}`)]);
});

it('a planned beginning that passed before the answer is refused, and nothing is muted', async () => {
  const from = Math.ceil((cli.world.clock.now() + 1) / MINUTE_MS) * MINUTE_MS;
  const thought = { answers: ['y'], thinksMs: 5 * MINUTE_MS };
  const { code, stderr } = await cli.run(['mute', '2h', '--from', toIso(from), ...WHY], thought);
  expect([code, stderr]).toEqual([2, expect.stringContaining('leave --from out to begin now')]);
  expect(await mutesOf('mute', 'ls')).toEqual([]);
});

it('an alarm that is muted and in ALARM needs a person all the same', async () => {
  await mute('2h', ...WHY);
  cli.alarms = cli.alarms.map(alarm => ({ ...alarm, state: 'ALARM' }));
  expect(await cli.run(['status'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('holdfast-local-a since'),
  });
});

it('is over at its end, and before it by unmute', async () => {
  await mute('30m', ...WHY, '--alarm', 'a', 'holdfast-local-a');
  const { stdout } = await cli.run(['mute', 'ls']);
  expect(stdout).toContain('holdfast-local-a is muted');
  expect(await cli.run(['unmute', stdout.slice(0, 8)])).toMatchObject({ stdout: expect.stringContaining('is over') });
  expect((await cli.run(['mute', 'ls'])).stdout).toBe('nothing is muted\n');
  await mute('30m', ...WHY);
  await cli.world.clock.advanceTo(cli.world.clock.now() + 32 * MINUTE_MS);
  expect((await cli.run(['mute', 'ls'])).stdout).toBe('nothing is muted\n');
});

it('a window of maintenance may be planned', async () => {
  const from = Math.ceil((cli.world.clock.now() + HOUR_MS) / HOUR_MS) * HOUR_MS;
  const { stdout } = await mute('4h', '--from', toIso(from), ...WHY);
  expect(stdout).toContain(`muted from ${toIso(from)} (in `);
});

it.each([
  ['no reason', ['2h'], 2, '--why'],
  ['no length', [...WHY], 2, 'how-long'],
  ['a length of nothing', ['0m', ...WHY], 2, 'from 1m to 7d'],
  ['more than 7 days', ['169h', ...WHY], 2, 'from 1m to 7d'],
  ['seconds', ['90s', ...WHY], 2, 'from 1m to 7d'],
  ['for ever', ['forever', ...WHY], 2, 'from 1m to 7d'],
  ['a beginning that is past', ['2h', '--from', '2020-01-01T00:00Z', ...WHY], 2, 'next 30 days'],
  ['a beginning within a minute', ['2h', '--from', '2026-12-01T00:00:30Z', ...WHY], 2, 'a full minute'],
  ['an alarm that is not there', ['2h', '--alarm', 'c', ...WHY], 2, 'an alarm of this environment'],
] as const)('%s is refused, and nothing is muted', async (_, args, code, words) => {
  expect(await mute(...args)).toMatchObject({ code, stderr: expect.stringContaining(words) });
  expect((await cli.run(['mute', 'ls'])).stdout).toBe('nothing is muted\n');
});

it('an environment without alarms has nothing to mute', async () => {
  cli.alarms = [];
  expect(await mute('2h', ...WHY)).toMatchObject({ code: 3, stderr: expect.stringContaining('no alarms') });
});

it('who may not read mutes is told so, and what is well stays well', async () => {
  const denied = Object.assign(new Error('ada may not perform cloudwatch:ListAlarmMuteRules'), {
    name: 'AccessDenied',
  });
  const mutes = { ...cli.gateway.mutes, list: () => Promise.reject(denied) };
  const gateway = { mutes };
  expect(await cli.run(['status'], { gateway })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('ListAlarmMuteRules'),
  });
  expect(await cli.run(['doctor'], { gateway })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/warning +mutes /),
  });
});

it('the first screen of the console says what is muted', async () => {
  const console = new ConsoleGateway();
  const now = Date.now();
  const muted: Mute = { id: '0a1b2c3d', by: 'ada', why: 'upgrade', from: now - 1, until: now + HOUR_MS, alarms: ['x'] };
  console.mutes = [muted];
  const { needs } = await describeNow(console.operator());
  expect(needs).toContainEqual(
    expect.objectContaining({ isNotice: true, text: expect.stringContaining('upgrade, by ada') }),
  );
});
