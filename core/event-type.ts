/** Patterns of event types, as handlers, routes and subscriptions write them. */

/** A longer pattern is more exact; one without `*` is the most exact of all. */
export const exactness = (type: string): number => (type.endsWith('*') ? type.length - 1 : 10_000);

/** True when the pattern (a final `*` matches any rest) covers the type. */
export function matches(pattern: string, eventType: string): boolean {
  return pattern.endsWith('*') ? eventType.startsWith(pattern.slice(0, -1)) : pattern === eventType;
}
