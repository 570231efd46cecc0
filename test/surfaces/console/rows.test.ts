/** A row of the console says of an alarm what a person looks for first: which runbook. */
import { expect, it } from 'vitest';
import { alarmRow } from '#console/server/rows.ts';

const alarm = { name: 'holdfast-prod-process-queue-age-page', state: 'ALARM', since: 5, reason: 'because' } as const;

it.each([
  ['page: late\nRunbook: npm run holdfast -- runbook process-queue-age --env prod', 'process-queue-age'],
  ['page: late\nFirst: npm run holdfast -- status\nRunbook: docs/runbooks/process-queue-age.md', 'process-queue-age'],
  ['page: late\nRunbook: https://git.example.com/x/docs/runbooks/process-queue-age.md', 'process-queue-age'],
  // An alarm of the person's own: its name without the environment is the best guess.
  ['something is late', 'process-queue-age-page'],
])('described as %j it leads to %s', (description, runbook) => {
  expect(alarmRow({ ...alarm, description } as never, 'prod')).toMatchObject({ runbook, name: alarm.name, since: 5 });
});
