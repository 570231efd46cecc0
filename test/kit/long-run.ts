import { env } from 'node:process';

/** `npm run test:long`: go as far as the suite can, not only as far as a quick run may. */
export function isLongRun(): boolean {
  return env['HOLDFAST_LONG'] === '1';
}
