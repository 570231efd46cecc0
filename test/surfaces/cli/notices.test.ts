/** Alarms that nobody has to act on, on the screens of on-call and in the exit codes of pipelines. */
import { expect, it } from 'vitest';
import { CliWorld } from './cli-world.ts';

it('a notice is shown, and nothing is wrong for it: a pipeline asks doctor right after its deploy', async () => {
  const cli = new CliWorld();
  cli.world.start();
  await cli.happen(['good-1']);
  const description = (severity: string) =>
    `${severity}: A deploy has begun.\nFirst: aws …\nRunbook: docs/runbooks/events-overdue.md`;
  const alarm = { name: 'holdfast-local-deploying', state: 'ALARM', since: cli.world.clock.now(), reason: '' } as const;
  cli.alarms = [{ ...alarm, description: description('notice') }];
  expect(await cli.run(['status'])).toMatchObject({ code: 0, stdout: expect.stringContaining(alarm.name) });
  expect(await cli.run(['doctor'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/warning +alarm/) });
  cli.alarms = [{ ...alarm, description: description('ticket') }];
  expect(await cli.run(['status'])).toMatchObject({ code: 1 });
  expect(await cli.run(['doctor'])).toMatchObject({ code: 1, stdout: expect.stringMatching(/WRONG +alarm/) });
  cli.world.stop();
});
