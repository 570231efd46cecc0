/** What mutes ask of CloudWatch, and in which order: one that is over costs nobody the one that begins. */
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { AlarmMutes } from '#operator/aws/alarm-mutes.ts';

const AT = Date.parse('2026-11-28T02:00:00Z');
const MUTE = { id: '0a1b2c3d', by: 'ada', why: 'upgrade', from: AT, until: AT + HOUR_MS, alarms: ['holdfast-prod-a'] };

const nameOf = (id: string): string => `holdfast-prod-mute-${id}-0`;
const failed = (name: string) => Object.assign(new Error(name), { name });

/** A CloudWatch that lists rules of these ids, and answers what is asked by the function for it. */
function cloudWatch(ids: readonly string[], answers: Readonly<Record<string, (name: string) => unknown>>) {
  const asked: string[] = [];
  const send = async (command: { readonly constructor: { readonly name: string }; readonly input: object }) => {
    const { name: kind } = command.constructor;
    const { Name, AlarmMuteRuleName = Name } = command.input as Readonly<Record<string, string>>;
    asked.push(kind.replace(/AlarmMuteRules?Command$/, ''));
    if (kind.startsWith('List'))
      return { AlarmMuteRuleSummaries: ids.map(id => ({ AlarmMuteRuleArn: `arn:aws:x:rule:${nameOf(id)}` })) };
    return answers[kind.split('Alarm')[0] ?? '']?.(AlarmMuteRuleName ?? '') ?? {};
  };
  return { asked, mutes: new AlarmMutes({ send } as unknown as CloudWatchClient, 'holdfast-prod-') };
}

const ruleOf = (Duration: string, ExpireDate: Date) => ({
  Rule: { Schedule: { Expression: 'at(2026-11-28T02:00)', Duration } },
  MuteTargets: { AlarmNames: MUTE.alarms },
  Description: 'upgrade\nby ada',
  ExpireDate,
});

it('what is over is deleted behind the rules that begin, and its failure is not theirs', async () => {
  const Delete = () => {
    throw failed('AccessDenied');
  };
  const { asked, mutes } = cloudWatch(['00000001'], { Delete });
  await mutes.begin(MUTE);
  expect(asked).toEqual(['Put', 'List', 'Delete']);
});

it('ends when the rule expires, in whatever words its length stands there', async () => {
  const until = AT + 90 * MINUTE_MS;
  const { mutes } = cloudWatch([MUTE.id], { Get: () => ruleOf('PT1H30M', new Date(until)) });
  expect(await mutes.list()).toEqual([{ ...MUTE, until }]);
});

it('a rule that somebody ends between the list and the look is left out; another failure is told', async () => {
  const Get = (name: string) => {
    if (name === nameOf('00000001')) throw failed('ResourceNotFoundException');
    return ruleOf('PT60M', new Date(MUTE.until));
  };
  expect(await cloudWatch(['00000001', MUTE.id], { Get }).mutes.list()).toEqual([MUTE]);
  const denied = () => {
    throw failed('AccessDenied');
  };
  await expect(cloudWatch([MUTE.id], { Get: denied }).mutes.list()).rejects.toThrow('AccessDenied');
});
