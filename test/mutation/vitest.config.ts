/** The suites of one room, as Stryker runs them: `MUTATION_ROOM` says which. */
import { env } from 'node:process';
import { defineConfig } from 'vitest/config';
import { ROOMS } from './rooms.ts';

const room = ROOMS[env['MUTATION_ROOM'] ?? ''];
if (room === undefined) throw new Error(`MUTATION_ROOM is one of: ${Object.keys(ROOMS).join(', ')}`);

export default defineConfig({
  test: { include: [...room.tests], exclude: [...(room.without ?? [])], testTimeout: 20_000 },
});
