/** Calls that wait side by side, under one limit. */

/** Calls of one worker that may wait at a time: enough to be done soon, and few beside what a table takes. */
export const CALLS_AT_ONCE = 25;

/** The items in their order, so many at a time. */
export function groupsOf<T>(items: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size));
  return groups;
}

/** Does the work for each, `atOnce` at a time; the answers are in the order of the items. */
export async function sideBySide<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  atOnce = CALLS_AT_ONCE,
): Promise<R[]> {
  const done: R[] = [];
  for (const group of groupsOf(items, atOnce)) done.push(...(await Promise.all(group.map(work))));
  return done;
}
