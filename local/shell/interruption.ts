/** Ctrl-C of a program: what was begun is told to end, and whoever waits hears of it. */
import process from 'node:process';
import { UserError } from './user-error.ts';

export function untilInterrupted(): { readonly ended: AbortController; readonly interrupted: Promise<never> } {
  const ended = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => ended.abort());
  const interrupted = new Promise<never>((_, reject) => {
    ended.signal.addEventListener('abort', () => reject(new UserError('Interrupted.', 130)), { once: true });
  });
  interrupted.catch(() => undefined);
  return { ended, interrupted };
}
