/** A row of the console says what a person looks for first: of an alarm its runbook, of a source what it does. */
import { expect, it } from 'vitest';
import { readSources } from '#console/server/describe-now.ts';
import { alarmRow } from '#console/server/rows.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

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

it.each([
  ['paired', undefined, 'receiving'],
  ['waiting for its provider', JSON.stringify({ pairingUntil: Date.now() + 900_000 }), 'pairing'],
  ['not paired in time', JSON.stringify({ pairingUntil: Date.now() - 1 }), 'no secret'],
])('a source that is %s', async (_, secret, state) => {
  const gateway = new ConsoleGateway();
  gateway.secret = secret;
  gateway.add({ source: 'stripe', key: 'evt_1', type: 'a', status: 'completed', receivedAt: Date.now() - 5_000 });
  const { rows } = await readSources(gateway.operator());
  expect(rows.find(it => it.id === 'stripe')).toMatchObject({ state });
});
