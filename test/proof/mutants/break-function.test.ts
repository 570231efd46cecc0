/** Claim: a deliberate bug finds its function by name, however that is written, and says so when there is none. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { all, eq, lt } from '#core/condition.ts';
import { breakFunctions } from './break-function.ts';
import { also, changeLeaf, turnOn } from './bug-kit.ts';
import { bugsOf, MUTANTS } from './mutants.ts';
import { OUTBOUND_MUTANTS } from './outbound-mutants.ts';
import { SHIPPED_MUTANTS } from './shipped-mutants.ts';

const textOf = (file: string): string => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');

it('every bug finds its function, and no two of one function have the same name', () => {
  const bugs = [...MUTANTS, ...OUTBOUND_MUTANTS, ...SHIPPED_MUTANTS].flatMap(bugsOf);
  expect(bugs.length).toBeGreaterThan(70);
  expect(new Set(bugs.map(({ file, of, name }) => `${file} ${of} ${name}`)).size).toBe(bugs.length);
  for (const [file, own] of Map.groupBy(bugs, ({ file }) => file)) {
    const broken = breakFunctions(textOf(file), own);
    for (const { of, name } of own) {
      expect(broken).toContain(`${of}$real`);
      expect(broken).toContain(`case ${JSON.stringify(name)}: return (`);
    }
  }
});

const bug = { name: 'one', file: 'a.ts', of: 'isCharged', bug: 'real => !real()' };

it('how the function is written does not matter', () => {
  const plain = breakFunctions('export function isCharged(): boolean {\n  return !free();\n}\n', [bug]);
  expect(plain).toContain('\nfunction isCharged$real(): boolean {\n  return !free();');
  expect(plain).toContain(
    '\nexport function isCharged(...args) { switch (bugOn()) { case "one": return (real => !real())(isCharged$real, ...args);',
  );
  const other = breakFunctions('export const isCharged = () => free() === false;\n', [bug]);
  expect(other).toContain('\nconst isCharged$real = () => free() === false;');
  const method = breakFunctions('class A {\n  async #end(): Promise<void> {\n    this.#end();\n  }\n}\n', [
    { ...bug, of: '#end' },
  ]);
  expect(method).toContain(
    '  async #end(...args) { switch (bugOn()) { case "one": return (real => !real())((...real) =>',
  );
  expect(method).toContain('  async #end$real(): Promise<void> {\n    this.#end();');
});

it('several bugs of a function, and of a file, stand in one text: what is on is asked at each call', async () => {
  const others = [
    { ...bug, name: 'two', bug: '(real, free) => real(free) && free > 1' },
    { ...bug, name: 'two', of: 'limit', bug: '() => 7' },
  ];
  const source = 'const limit = (n) => n;\nexport function isCharged(free) { return limit(free) > 0; }\n';
  const url = `data:text/javascript,${encodeURIComponent(
    breakFunctions(source, [bug, ...others]).replace('#test/', pathToFileURL(`${import.meta.dirname}/../../`).href),
  )}`;
  const { isCharged } = await import(url);
  const answers = (on: string | undefined): readonly boolean[] => {
    turnOn(on);
    return [isCharged(0), isCharged(1), isCharged(2)];
  };
  expect(() => isCharged(0)).toThrow('while the product loads');
  expect(answers('one')).toEqual([true, true, true]);
  expect(answers('two')).toEqual([false, false, true]);
  expect(answers(undefined)).toEqual([false, true, true]);
});

it('a function that is gone, or there twice, is said', () => {
  const gone = { ...bug, of: 'gone' };
  expect(() => breakFunctions('function other() {}\n', [gone])).toThrow('0 functions of a.ts are called gone');
  expect(() => breakFunctions('function gone() {}\nfunction gone() {}\n', [gone])).toThrow('2 functions of a.ts');
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
