import { createTestEvent, runHandler } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { countSignup } from '#handlers/examples/count-signups.ts';

const signup = (data: object) =>
  createTestEvent({ body: { event_id: 'evt_1', created_at: '2026-11-21T09:00:00Z', data } });
const options = { env: { SIGNUPS_TABLE: 'signups' }, tables: { signups: { key: 'day' } } };

it('counts a signup on its day', async () => {
  const run = await runHandler(countSignup, signup({ email: 'a@example.com' }), options);
  expect(run.status).toBe('completed');
  expect(run.tables['signups']).toEqual([{ day: '2026-11-21', signups: 1, last: 'evt_generic.evt_1' }]);
});

it('refuses one without an address', async () => {
  const run = await runHandler(countSignup, signup({}), options);
  expect(run).toMatchObject({ status: 'rejected', effects: [] });
});
