/** What a screen of the console shows, asked of its server. */
import { type Loaded, useLoading } from '../../../ui/load.ts';
import { ask } from './api.ts';

export function useLoad<T>(path: string | undefined, everyMs?: number): Loaded<T> {
  return useLoading<T>(path, ask, everyMs);
}
