/** `holdfast alarms test`: a person sees that an alarm reaches whom it should, and that it goes back. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { AlarmView } from '#operator/gateway.ts';
import { PROVIDERS } from '#providers/index.ts';
import { CliWorld } from './cli-world.ts';

const config = defineGateway({
  sources: { shop: { provider: 'generic' } },
  environments: { prod: { alarmTargets: { page: [{ pagerDuty: 'oncall' }], ticket: [{ slack: 'team' }] } } },
});
const PROD = { readDeployment: (name: string) => resolveDeployment(config, name, PROVIDERS) };

let cli: CliWorld;
const alarm = (name: string, severity: string, more: Partial<AlarmView> = {}): AlarmView => ({
  name: `holdfast-prod-${name}`,
  description: `${severity}: It means something.`,
  ...{ state: 'OK', since: 0, reason: '' },
  ...more,
});
beforeEach(() => {
  cli = new CliWorld();
  cli.world.start();
  cli.alarms = [
    alarm('broken', 'page', { watches: ['holdfast-prod-a-part'] }),
    alarm('a-part', 'page'),
    alarm('an-alarm', 'page'),
    alarm('process-queue-deep-page', 'page'),
    alarm('process-queue-deep', 'ticket'),
    alarm('odd', 'notice'),
  ];
  return () => cli.world.stop();
});
const test = (...args: string[]) => cli.run(['alarms', 'test', ...args, '--env', 'prod'], PROD);

it.each([
  ['page', 'holdfast-prod-process-queue-deep-page', 'It wakes PagerDuty (oncall).'],
  ['ticket', 'holdfast-prod-process-queue-deep', 'It tells, for the next working day, Slack (team).'],
  ['notice', 'holdfast-prod-odd', 'It is only shown: nobody has to do anything.'],
  ['an-alarm', 'holdfast-prod-an-alarm', 'It wakes PagerDuty (oncall).'],
  ['holdfast-prod-an-alarm', 'holdfast-prod-an-alarm', 'It wakes PagerDuty (oncall).'],
])('%s rings one alarm that tells, says whom before it asks, and when it went back', async (asked, name, told) => {
  const { code, stdout, stderr } = await test(asked, '--yes');
  expect([code, stderr]).toEqual([0, expect.stringContaining(told)]);
  expect(stdout).toContain(`${name} rang, and went back after 40 s: two messages`);
  expect(cli.rung).toEqual([`${name}: A test by ada (holdfast alarms test)`]);
});

it('is JSON for scripts', async () => {
  const { value } = await cli.json(['alarms', 'test', 'page', '--yes', '--env', 'prod'], PROD);
  expect(value).toEqual({
    ...{ alarm: 'holdfast-prod-process-queue-deep-page', severity: 'page', told: 'It wakes PagerDuty (oncall).' },
    ...{ rang_at: expect.stringMatching(/Z$/), ended_at: expect.stringMatching(/Z$/) },
  });
});

it('takes another alarm of the severity while its first rings', async () => {
  cli.alarms = cli.alarms.map(it => (it.name.endsWith('deep-page') ? { ...it, state: 'ALARM' } : it));
  expect((await test('page', '--yes')).stdout).toContain('holdfast-prod-an-alarm rang');
});

it('says after ten minutes that it has not gone back, and what to look at', async () => {
  cli.alarmLastsMs = 30 * MINUTE_MS;
  const { code, stdout, stderr } = await test('an-alarm', '--yes');
  expect([code, stdout]).toEqual([5, expect.stringContaining('holdfast-prod-an-alarm is in alarm since')]);
  expect(stderr).toContain('holdfast status --env prod');
});

it('does not wait where nobody wants to', async () => {
  const before = cli.world.clock.now();
  expect(await test('an-alarm', '--yes', '--no-wait')).toMatchObject({ code: 0 });
  expect(cli.world.clock.now() - before).toBeLessThan(MINUTE_MS);
});

describe('rings nothing', () => {
  afterEach(() => expect(cli.rung).toEqual([]));

  it('without a yes', async () => {
    expect(await cli.run(['alarms', 'test', 'page', '--env', 'prod'], { ...PROD, answers: ['n'] })).toMatchObject({
      code: 1,
    });
    expect(await test('page')).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
  });

  it.each([
    [
      'process-queue-deap',
      2,
      /is no alarm of prod\n.*allowed: +page, ticket, notice, or the name of an alarm\n.*did you mean process-queue-deep\?/,
    ],
    ['broken', 2, /only combines others[\s\S]*holdfast alarms test page --env prod/],
  ])('for %s', async (asked, code, says) => {
    expect(await test(asked, '--yes')).toMatchObject({ code, stderr: expect.stringMatching(says) });
  });

  it('that rings already, or is muted: nobody would be told', async () => {
    cli.alarms = cli.alarms.map(it => (it.name.endsWith('an-alarm') ? { ...it, state: 'ALARM' } : it));
    const ringing = await test('an-alarm', '--yes');
    expect([ringing.code, ringing.stderr]).toEqual([
      1,
      expect.stringMatching(/in alarm since .*tell nobody[\s\S]*runbook an-alarm/),
    ]);
    await cli.run(['mute', '2h', '--why', 'a move', '--yes', '--env', 'prod'], PROD);
    await cli.world.clock.complete(cli.world.clock.sleep(2 * MINUTE_MS));
    const muted = await test('ticket', '--yes');
    expect([muted.code, muted.stderr]).toEqual([
      1,
      expect.stringMatching(/muted until .*a move[\s\S]*holdfast unmute/),
    ]);
  });
});
