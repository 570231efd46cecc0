/** `holdfast runbook`: the page of an alarm, for the environment that a person is on. */
import { expect, it } from 'vitest';
import { CliWorld } from './cli-world.ts';

const cli = new CliWorld();
/** It reads files, and so does not wait for the virtual clock. */
const REAL = { realTime: true } as const;

it('prints the page of an alarm by its whole name, with the environment filled in', async () => {
  const { code, stdout } = await cli.run(['runbook', 'holdfast-prod-process-new-dead-letters', '--env', 'prod'], REAL);
  expect(code).toBe(0);
  expect(stdout).toContain('# Events have died');
  expect(stdout).toContain('`holdfast dlq ls --env prod`');
  expect(stdout).not.toMatch(/\$ENV|^ENV=|npm run holdfast/m);
});

it.each([
  'process-queue-age-page',
  'ingest-signature-failures-stripe',
  'ingest-table-throttled-payloads',
  'events-wait',
  'docs/runbooks/events-wait.md',
])('takes %s, too', async name => {
  const { code, stdout } = await cli.run(['runbook', name], REAL);
  expect([code, stdout.startsWith('# ')]).toEqual([0, true]);
});

it('calls a step of the repair what it is, in each table of what to do', async () => {
  const { stdout } = await cli.run(['runbook', 'dead-letters'], REAL);
  expect(stdout).toContain('| a retry cannot help | repair 1 |');
  expect(stdout).toContain('| deploy that again, then repair 2 |');
  const all = await cli.run(['runbook'], REAL);
  const pages = all.stdout
    .trim()
    .split('\n')
    .map(line => line.split(':')[0] ?? '');
  for (const page of pages) {
    const printed = (await cli.run(['runbook', page], REAL)).stdout;
    const [, table = ''] = /\n## Decide\n([\s\S]*?)\n## /.exec(printed) ?? [];
    expect(table, page).not.toMatch(/(?<!repair)(?:^|[|,;:] | then | or )[1-9](?=[ ,;:|])/m);
  }
});

it('prints any page that a message names', async () => {
  const { stdout } = await cli.run(['runbook', 'docs/operate/alarms.md'], REAL);
  expect(stdout).toMatch(/^# /);
});

it('lists all pages with their titles', async () => {
  const { stdout } = await cli.run(['runbook'], REAL);
  expect(stdout).toContain('dead-letters: Events have died');
  expect(stdout.split('\n').length).toBeGreaterThan(20);
  expect(stdout).not.toContain('README');
});

it.each([
  ['dead-letter', /Did you mean .*dead-letters/],
  ['../secrets', /There is no page/],
  ['docs/../../package.md', /There is no page/],
  ['zzz', /holdfast runbook, which lists all/],
])('says of %s what may be meant', async (name, says) => {
  const { code, stderr } = await cli.run(['runbook', name], REAL);
  expect(code).toBe(3);
  expect(stderr).toMatch(says);
});
