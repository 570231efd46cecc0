/** Calls that wait side by side, under one limit. */

/** Calls of one worker that may wait at a time: enough to be done soon, and few beside what a table takes. */
export const CALLS_AT_ONCE = 25;

/** Does the work for each, `atOnce` at a time; the answers are in the order of the items. */
export async function sideBySide<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  atOnce = CALLS_AT_ONCE,
): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < items.length; at += atOnce)
    done.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))));
  return done;
}
