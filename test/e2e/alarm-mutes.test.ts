/** Mutes against the local AWS: what is asked of CloudWatch, what it refuses, and when held messages come. */
import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CloudWatchClient,
  ListAlarmMuteRulesCommand,
  PutAlarmMuteRuleCommand,
  type PutAlarmMuteRuleCommandInput,
  PutMetricAlarmCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import { CreateTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS, toIso } from '#core/time.ts';
import { Pager } from '#local/alarms/pager.ts';
import { createAwsClients } from '#local/emulator/aws-clients.ts';
import { type LocalAws, openLocalAws } from '#local/emulator/emulator.ts';
import { findPython } from '#local/emulator/python.ts';
import { AlarmMutes } from '#operator/aws/alarm-mutes.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { reportMissingPython } from './needs-python.ts';

const python = await findPython();
reportMissingPython(python);

const nextMinute = (): number => Math.ceil((Date.now() + 1) / MINUTE_MS) * MINUTE_MS;
const nameOf = (n: number): string => `holdfast-prod-a${n}`;

describe.skipIf(!python)('mutes on the local AWS', () => {
  let aws: LocalAws;
  let client: CloudWatchClient;
  let mutes: AlarmMutes;
  let pager: Pager;
  const ended = new AbortController();

  beforeAll(async () => {
    aws = await openLocalAws(await freePort(), {});
    const settings = { endpoint: aws.endpoint, region: aws.region, credentials: aws.credentials };
    client = new CloudWatchClient(settings);
    const { TopicArn = '' } = await new SNSClient(settings).send(new CreateTopicCommand({ Name: 'page' }));
    pager = await Pager.open(aws, createAwsClients(aws), [TopicArn]);
    void pager.listen(ended.signal);
    for (let n = 0; n < 101; n += 1)
      await client.send(
        new PutMetricAlarmCommand({
          ...{ AlarmName: nameOf(n), AlarmActions: [TopicArn], Namespace: 'ours', MetricName: 'm', Statistic: 'Sum' },
          ...{ Period: 60, EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' },
        }),
      );
    mutes = new AlarmMutes(client, 'holdfast-prod-');
  });
  afterAll(async () => {
    ended.abort();
    await aws.stop();
    await rm(aws.directory, { recursive: true, force: true });
  });

  const become = (n: number, StateValue: 'ALARM' | 'OK') =>
    client.send(new SetAlarmStateCommand({ AlarmName: nameOf(n), StateValue, StateReason: 'a test' }));
  const toldOf = (n: number): boolean => pager.pages.some(page => page.alarm === nameOf(n));

  it('a mute of more than a hundred alarms is read back as one, and ended as one; strangers stay', async () => {
    const theirs = { Name: 'holdfast-prod-mute-by-hand', MuteTargets: { AlarmNames: [nameOf(0)] } };
    const schedule = { Expression: `at(${toIso(nextMinute()).slice(0, 16)})`, Duration: 'P1D' };
    await client.send(new PutAlarmMuteRuleCommand({ ...theirs, Rule: { Schedule: schedule } }));
    const from = nextMinute() + MINUTE_MS;
    const alarms = Array.from({ length: 101 }, (_, n) => nameOf(n));
    const mute = { id: '0a1b2c3d', by: 'ada', why: 'two lines\nof a reason', from, until: from + 7 * DAY_MS, alarms };
    await mutes.begin(mute);
    expect(await mutes.list()).toEqual([mute]);
    await mutes.end(mute);
    expect(await mutes.list()).toEqual([]);
    const { AlarmMuteRuleSummaries: left = [] } = await client.send(new ListAlarmMuteRulesCommand({}));
    expect(left.map(rule => rule.AlarmMuteRuleArn?.split(':').at(-1))).toEqual(['holdfast-prod-mute-by-hand']);
  });

  it('of a mute that cannot be made whole nothing stays', async () => {
    const from = nextMinute() + MINUTE_MS;
    const alarms = [...Array.from({ length: 100 }, (_, n) => nameOf(n)), 'holdfast-prod-gone'];
    const mute = { id: '00000001', by: 'ada', why: 'w', from, until: from + MINUTE_MS, alarms };
    await expect(mutes.begin(mute)).rejects.toThrow('holdfast-prod-gone is no alarm here');
    expect(await mutes.list()).toEqual([]);
  });

  const good = (): PutAlarmMuteRuleCommandInput => ({
    Name: 'rule',
    Rule: { Schedule: { Expression: `at(${toIso(nextMinute()).slice(0, 16)})`, Duration: 'PT1M' } },
    MuteTargets: { AlarmNames: [nameOf(1)] },
  });
  const scheduled = (Expression: string, Duration: string) => ({ Rule: { Schedule: { Expression, Duration } } });
  const soon = `at(${toIso(Date.now() + DAY_MS).slice(0, 16)})`;

  it.each([
    ['a length of no time', scheduled(soon, 'PT0M'), 'from PT1M to P15D'],
    ['more than 15 days', scheduled(soon, 'P15DT1M'), 'from PT1M to P15D'],
    ['a length in words', scheduled(soon, '2h'), 'from PT1M to P15D'],
    ['a time with seconds', scheduled('at(2030-01-01T00:00:00)', 'PT1M'), 'at(yyyy-MM-ddThh:mm)'],
    ['a time that is past', scheduled('at(2020-01-01T00:00)', 'PT1M'), 'is past'],
    ['101 alarms', { MuteTargets: { AlarmNames: Array.from({ length: 101 }, (_, n) => nameOf(n)) } }, '1 to 100 names'],
    ['an alarm that is not there', { MuteTargets: { AlarmNames: ['nobody'] } }, 'nobody is no alarm here'],
    ['a name over 255', { Name: 'x'.repeat(256) }, '1 to 255 characters'],
    ['a reason over 1,024', { Description: 'x'.repeat(1_025) }, '0 to 1024 characters'],
  ])('CloudWatch refuses %s', async (_, wrong, words) => {
    await expect(client.send(new PutAlarmMuteRuleCommand({ ...good(), ...wrong }))).rejects.toThrow(words);
  });

  it('holds messages back from the minute it begins, and sends them at its end if they are still true', {
    timeout: 240_000,
  }, async () => {
    const from = nextMinute();
    const alarms = [1, 2, 3].map(nameOf);
    const mute = { id: '00000002', by: 'ada', why: 'w', from, until: from + MINUTE_MS, alarms };
    const long = { ...mute, id: '00000003', until: from + DAY_MS, alarms: [nameOf(5)] };
    await mutes.begin(mute);
    await mutes.begin(long);
    await become(1, 'ALARM');
    await expect.poll(() => toldOf(1), { timeout: 10_000, message: 'it has not begun' }).toBe(true);
    await wait(from - Date.now() + 500);
    for (const n of [2, 3, 4, 5]) await become(n, 'ALARM');
    await become(3, 'OK');
    await expect.poll(() => toldOf(4), { timeout: 10_000, message: 'nobody mutes it' }).toBe(true);
    expect([toldOf(2), toldOf(3), toldOf(5)]).toEqual([false, false, false]);
    // Ended before its time, it tells at once.
    await mutes.end(long);
    await expect.poll(() => toldOf(5), { timeout: 10_000 }).toBe(true);
    expect(toldOf(2)).toBe(false);
    await wait(mute.until - Date.now());
    await expect.poll(() => toldOf(2), { timeout: 10_000 }).toBe(true);
    expect(toldOf(3)).toBe(false);
    expect(await mutes.list()).toEqual([]);
  });
});
