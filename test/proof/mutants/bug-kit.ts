/** What the texts of deliberate bugs may use, and which of them is on. Loaded with the product that has the bugs in it. */
import type { Condition } from '#core/condition.ts';

let on: string | undefined;
let isLoaded = false;

/** From here on the product has this bug only; `undefined`: it is as it is. */
export function turnOn(bug: string | undefined): void {
  isLoaded = true;
  on = bug;
}

/** Asked at each call of a function that has bugs. */
export function bugOn(): string | undefined {
  if (!isLoaded)
    throw new Error('A function with a bug is called while the product loads: its bug would change nothing there');
  return on;
}

/** The same object with one method of another's making. */
export function also<T extends object>(target: T, name: keyof T, call: unknown): T {
  return new Proxy(target, {
    get: (from, key) => {
      if (key === name) return call;
      const value: unknown = Reflect.get(from, key, from);
      return typeof value === 'function' ? value.bind(from) : value;
    },
  });
}

/** The condition with another one in the place of what it says of an attribute; without `to`, nothing is said of it. */
export function changeLeaf(condition: Condition, attribute: string, to?: Condition): Condition {
  const change = (parts: readonly Condition[]): Condition[] =>
    parts.flatMap(part => {
      if ('all' in part || 'any' in part) return [changeLeaf(part, attribute, to)];
      return part.attribute !== attribute ? [part] : to === undefined ? [] : [to];
    });
  if ('all' in condition) return { all: change(condition.all) };
  if ('any' in condition) return { any: change(condition.any) };
  return condition;
}
