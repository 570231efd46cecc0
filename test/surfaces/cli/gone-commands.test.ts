import { expect, it } from 'vitest';
import { CliWorld } from './cli-world.ts';

it.each([
  [['dlq', 'show', 'evt_1'], 'events get <id>'],
  [['--env', 'prod', 'out', 'retry-dead', 'uid:acme'], 'out retry <app> --dead'],
  [['out', 'probe', 'uid:acme', 'ep_1'], 'out resume <app> <endpoint>'],
  [['dlq', 'purge', '--env', 'prod', '--open', '--yes'], 'dlq close [ids]'],
  [['--json', 'out', 'apps', 'erased', 'app_1'], 'out apps erase <app> --report'],
])('%j names what takes its place', async (args, now) => {
  const { code, stdout, stderr } = await new CliWorld().run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`is gone\n  allowed: ${now}`);
});

it('a reason that sounds like one is a reason', async () => {
  const { stderr } = await new CliWorld().run(['pause', 'shopp', '--why', 'out health ', '--yes']);
  expect(stderr).not.toContain('is gone');
});
