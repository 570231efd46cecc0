/** What a screen shows: loaded, refreshed, and kept when the next load fails. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../../wire.ts';
import { ApiProblem, ask } from './api.ts';

export interface Loaded<T> {
  readonly data: T | undefined;
  /** Why the last load failed; the data before it stays. */
  readonly problem: Problem | undefined;
  readonly loadedAt: number | undefined;
  readonly busy: boolean;
  reload(): void;
}

export function useLoad<T>(path: string | undefined, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'> & { path?: string }>({
    data: undefined,
    problem: undefined,
    loadedAt: undefined,
    busy: true,
  });
  const running = useRef<AbortController | undefined>(undefined);
  const load = useCallback(() => {
    if (path === undefined) return;
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState(before => ({ ...before, busy: true }));
    ask<T>(path, { signal: controller.signal }).then(
      data => {
        if (!controller.signal.aborted) setState({ data, problem: undefined, loadedAt: Date.now(), busy: false, path });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        const problem = problemOf(error);
        // What belongs to another address is not this one's old state.
        setState(before => ({
          ...(before.path === path ? before : { data: undefined, loadedAt: undefined }),
          problem,
          busy: false,
          path,
        }));
      },
    );
  }, [path]);
  useEffect(() => {
    load();
    const timer = everyMs === undefined ? undefined : setInterval(load, everyMs);
    return () => {
      clearInterval(timer);
      running.current?.abort();
    };
  }, [load, everyMs]);
  return { ...state, reload: load };
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ApiProblem) return error.problem;
  return { problem: error instanceof Error ? error.message : String(error) };
}
