import { setTimeout as wait } from 'node:timers/promises';
import { UserError } from '#local/shell/user-error.ts';
import type { LocalAws } from './emulator.ts';
import { readHealth } from './running-aws.ts';

const LOOK_MS = 1_000;
const WHY = {
  started: 'Its last words are in emulator.log, in .holdfast/. Start again: npm start',
  shared: 'It belonged to another npm start. For one of your own: npm start',
  given: 'AWS_ENDPOINT_URL names it: start it, then npm start',
} as const;

/** True when nothing answers there any more, or another local AWS does. One that is only busy has not ended. */
export async function hasEnded({ endpoint, instanceId, origin }: LocalAws): Promise<boolean> {
  const health = await readHealth(endpoint);
  if (health) return origin !== 'given' && health.edition !== instanceId;
  return await fetch(endpoint, { signal: AbortSignal.timeout(2_000) }).then(
    () => false,
    error => ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED',
  );
}

/** Throws UserError when the local AWS has ended. */
export async function assertRunning(aws: LocalAws): Promise<void> {
  if (await hasEnded(aws)) throw new UserError(`The local AWS at ${aws.endpoint} has ended. ${WHY[aws.origin]}`);
}

/** Until aborted. Throws as `assertRunning`. */
export async function watchEnd(aws: LocalAws, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await assertRunning(aws);
  }
}
