/** Claim: a deliberate bug finds its function by name, however that is written, and says so when there is none. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { all, eq, lt } from '#core/condition.ts';
import { breakFunction } from './break-function.ts';
import { also, changeLeaf } from './bug-kit.ts';
import { MUTANTS } from './mutants.ts';
import { OUTBOUND_MUTANTS } from './outbound-mutants.ts';
import { SHIPPED_MUTANTS } from './shipped-mutants.ts';

const textOf = (file: string): string => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');

it('every bug finds its function', () => {
  const bugs = [...MUTANTS, ...OUTBOUND_MUTANTS, ...SHIPPED_MUTANTS].flatMap(({ also, ...bug }) =>
    also ? [bug, also] : [bug],
  );
  expect(bugs.length).toBeGreaterThan(70);
  for (const bug of bugs) expect(breakFunction(textOf(bug.file), bug)).toContain(`${bug.of}$real`);
});

it('how the function is written does not matter', () => {
  const bug = { file: 'a.ts', of: 'isCharged', bug: 'real => !real()' };
  const plain = breakFunction('export function isCharged(): boolean {\n  return !free();\n}\n', bug);
  expect(plain).toContain('\nfunction isCharged$real(): boolean {\n  return !free();');
  expect(plain).toContain(
    '\nexport function isCharged(...args) { return (real => !real())(isCharged$real, ...args); }',
  );
  const other = breakFunction('export const isCharged = () => free() === false;\n', bug);
  expect(other).toContain('\nconst isCharged$real = () => free() === false;');
  const method = breakFunction('class A {\n  async #end(): Promise<void> {\n    this.#end();\n  }\n}\n', {
    ...bug,
    of: '#end',
  });
  expect(method).toContain(
    '  async #end(...args) { return (real => !real())((...real) => this.#end$real(...real), ...args); }',
  );
  expect(method).toContain('  async #end$real(): Promise<void> {\n    this.#end();');
});

it('a function that is gone, or there twice, is said', () => {
  const bug = { file: 'a.ts', of: 'gone', bug: 'real => real()' };
  expect(() => breakFunction('function other() {}\n', bug)).toThrow('0 functions of a.ts are called gone');
  expect(() => breakFunction('function gone() {}\nfunction gone() {}\n', bug)).toThrow('2 functions of a.ts');
});

it('the kit of the bugs changes one method, or what a condition says of one attribute', () => {
  class Queue {
    #sent = 0;
    send(): number {
      return ++this.#sent;
    }
    size(): number {
      return this.#sent;
    }
  }
  const queue = new Queue();
  expect([also(queue, 'size', () => 7).send(), also(queue, 'send', () => 7).send(), queue.size()]).toEqual([1, 7, 1]);
  const condition = all(eq('gen', 1), lt('leaseUntil', 5));
  expect(changeLeaf(condition, 'gen')).toEqual(all(lt('leaseUntil', 5)));
  expect(changeLeaf(condition, 'gen', eq('gen', 2))).toEqual(all(eq('gen', 2), lt('leaseUntil', 5)));
});
