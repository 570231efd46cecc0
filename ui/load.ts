/** What a screen shows: loaded, refreshed, and kept when the next load fails. */
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf } from './problem.ts';

export interface Loaded<T> {
  readonly data: T | undefined;
  /** Why the last load failed; the data before it stays. */
  readonly problem: Problem | undefined;
  readonly loadedAt: number | undefined;
  readonly busy: boolean;
  reload(): void;
}

/** `path`: what it is about; undefined: nothing yet. `ask` stays the same from call to call. */
export function useLoading<T>(
  path: string | undefined,
  ask: (path: string, init: { signal: AbortSignal }) => Promise<T>,
  everyMs?: number,
): Loaded<T> {
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
    ask(path, { signal: controller.signal }).then(
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
  }, [path, ask]);
  // Not after the next frame: the answer may be there already.
  useLayoutEffect(() => {
    load();
    const timer = everyMs === undefined ? undefined : setInterval(load, everyMs);
    return () => {
      clearInterval(timer);
      running.current?.abort();
    };
  }, [load, everyMs]);
  return { ...state, reload: load };
}

/** Begins what a button does. `problem`: why it failed the last time. */
export function useAct(): { readonly problem: Problem | undefined; act(work: () => Promise<void>): void } {
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const act = (work: () => Promise<void>): void => {
    setProblem(undefined);
    work().catch((error: unknown) => setProblem(problemOf(error)));
  };
  return { problem, act };
}
