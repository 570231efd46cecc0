/** `HOLDFAST_SEED=<the seed that a failure printed> npx vitest run <file>` draws again what failed. */
import { env } from 'node:process';
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(env['HOLDFAST_SEED']) });
