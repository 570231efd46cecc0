import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';

/** What a changed file asks for: a new process function alone, or a deployment of the stacks. */
export type Change = 'handlers' | 'stacks';

const QUIET_MS = 150;
const IGNORED = /(?:^|[/\\])(?:\.|node_modules[/\\])|~$|\.(?:test|spec)\.[cm]?[jt]s$/;

/** `undefined`: nothing that runs depends on it. `path` is relative to the project. */
function changeOf(path: string): Change | undefined {
  if (IGNORED.test(path)) return undefined;
  const name = path.replaceAll('\\', '/');
  if (name === 'handlers/resources.ts' || name === 'gateway.config.ts' || name.startsWith('providers/'))
    return 'stacks';
  return name.startsWith('handlers/') ? 'handlers' : undefined;
}

/** Calls `onChange` once editing pauses, with the larger of what changed; never twice at once. Until aborted. */
export function watchProject(
  project: string,
  onChange: (change: Change, paths: readonly string[]) => Promise<void>,
  signal: AbortSignal,
): void {
  const waiting = new Map<string, Change>();
  let timer: NodeJS.Timeout | undefined;
  let busy = false;
  const run = async (): Promise<void> => {
    if (busy || waiting.size === 0 || signal.aborted) return;
    busy = true;
    const [paths, changes] = [[...waiting.keys()], [...waiting.values()]];
    waiting.clear();
    await onChange(changes.includes('stacks') ? 'stacks' : 'handlers', paths);
    busy = false;
    await run();
  };
  const note = (path: string): void => {
    const change = changeOf(path);
    if (change === undefined) return;
    waiting.set(path, change);
    clearTimeout(timer);
    timer = setTimeout(() => void run(), QUIET_MS);
  };
  for (const folder of ['handlers', 'providers'].filter(each => existsSync(join(project, each))))
    watch(join(project, folder), { recursive: true, signal }, (_, name) => note(join(folder, name ?? '')));
  // The folder, not the file: editors replace it.
  watch(project, { signal }, (_, name) => note(name ?? ''));
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}
