/**
 * Tables of verdicts for the conditional writes of sending: what each write may find, and whether it goes on. Each leaf of
 * each condition is taken away in turn; a verdict must change, or nothing would notice that it is missing.
 */
import { describe, expect, test } from 'vitest';
import { type Condition, holds } from '#core/condition.ts';
import type { Item } from '#core/outbound/ports.ts';

/** What is there, and whether the write goes on. */
export type Row = readonly [Item | undefined, boolean];
export interface WriteVerdicts {
  /** Begins with the write's number. */
  readonly name: string;
  readonly write: { readonly condition?: Condition };
  readonly rows: readonly Row[];
}

/** The builders of a module of writes, and the names of those that were called. */
export function noting<T extends object>(builders: T): { readonly writes: T; readonly called: ReadonlySet<string> } {
  const called = new Set<string>();
  const get = (from: T, name: string): unknown => {
    called.add(name);
    return from[name as keyof T];
  };
  return { writes: new Proxy({ ...builders }, { get } as ProxyHandler<T>), called };
}

/** Declares the tests of a table that was made with `noted`; `plain`: its builders whose writes have no condition. */
export function checkWrites<T extends object>(
  table: readonly WriteVerdicts[],
  { writes, called }: ReturnType<typeof noting<T>>,
  plain: readonly (keyof T & string)[] = [],
): void {
  const calledByTable = [...called];
  test('every write with a condition is in the table', () => {
    const builders = Object.entries(writes).flatMap(([name, build]) => (typeof build === 'function' ? [name] : []));
    const missed = builders.filter(name => !calledByTable.includes(name) && !plain.some(each => each === name));
    expect(missed).toEqual([]);
  });

  describe.each(table)('$name', ({ write, rows }) => {
    const { condition } = write;
    if (condition === undefined) throw new Error('the write has no condition');
    test('finds what the table says', () => {
      for (const [item, wanted] of rows) expect(verdict(condition, item), JSON.stringify(item)).toBe(wanted);
    });
    test.each(Array.from({ length: leaves(condition) }, (_, n) => n))('a verdict changes without condition %i', n => {
      const less = without(condition, { left: n });
      expect(rows.some(([item, wanted]) => verdict(less, item) !== wanted)).toBe(true);
    });
  });
}

/** The condition without its leaf number `n`, counted from 0; undefined: nothing is left, so everything passes. */
function without(condition: Condition, n: { left: number }): Condition | undefined {
  if ('all' in condition || 'any' in condition) {
    const parts = ('all' in condition ? condition.all : condition.any)
      .map(part => without(part, n))
      .filter(part => part !== undefined);
    if (parts.length === 0) return undefined;
    return 'all' in condition ? { all: parts } : { any: parts };
  }
  return n.left-- === 0 ? undefined : condition;
}
const leaves = (condition: Condition): number =>
  'all' in condition
    ? condition.all.reduce((sum, part) => sum + leaves(part), 0)
    : 'any' in condition
      ? condition.any.reduce((sum, part) => sum + leaves(part), 0)
      : 1;
const verdict = (condition: Condition | undefined, item: Item | undefined): boolean =>
  condition === undefined || holds(condition, item);
