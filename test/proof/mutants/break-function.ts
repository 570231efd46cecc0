/** Puts deliberate bugs into a source text: finds a function by its name, and lets the wrong ones stand before it. */
import type { NamedBug } from './mutants.ts';

const KIT = "import { also, bugOn, changeLeaf } from '#test/proof/mutants/bug-kit.ts';";

/** The text of a file with all its bugs, each turned off: the functions do what they did. */
export function breakFunctions(source: string, bugs: readonly NamedBug[]): string {
  const byFunction = Map.groupBy(bugs, ({ of }) => of);
  return [...byFunction.values()].reduce(breakFunction, `${KIT}\n${source}`);
}

/** Throws unless exactly one function, constant or private method of the text has the name. How it is written says nothing. */
function breakFunction(source: string, bugs: readonly NamedBug[]): string {
  const [{ file, of } = { file: '', of: '' }] = bugs;
  const isMethod = of.startsWith('#');
  const kind = isMethod ? '  (?<isAsync>async )?' : '(?<exported>export )?(?<isAsync>async )?(?:function|const) ';
  const [found, ...more] = source.matchAll(new RegExp(`^${kind}(?<named>${of})\\b`, 'gmd'));
  const at = found?.indices?.groups?.['named'];
  if (found?.groups === undefined || at === undefined || more.length > 0)
    throw new Error(`${found ? 1 + more.length : 0} functions of ${file} are called ${of}, not one: name another`);
  const { exported = '', isAsync = '' } = found.groups;
  const renamed = `${source.slice(0, at[0])}${of}$real${source.slice(at[1])}`;
  const [before, after] = [renamed.slice(0, found.index), renamed.slice(found.index + exported.length)];
  const real = isMethod ? `(...real) => this.${of}$real(...real)` : `${of}$real`;
  const cases = bugs.map(({ name, bug }) => `case ${JSON.stringify(name)}: return (${bug})(${real}, ...args);`);
  const body = `{ switch (bugOn()) { ${cases.join('\n')}\ndefault: return (${real})(...args); } }`;
  return isMethod
    ? `${before}  ${isAsync}${of}(...args) ${body}\n${after}`
    : `${before}${after}\n${exported}${isAsync}function ${of}(...args) ${body}\n`;
}
