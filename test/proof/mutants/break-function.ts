/** Puts a deliberate bug into a source text: finds the function by its name, and lets a wrong one stand before it. */
import type { Bug } from './mutants.ts';

const KIT = "import { also, changeLeaf } from '#test/proof/mutants/bug-kit.ts';";

/** Throws unless exactly one function, constant or private method of the text has the name. How it is written says nothing. */
export function breakFunction(source: string, { file, of, bug }: Bug): string {
  const kind = of.startsWith('#')
    ? '  (?<isAsync>async )?'
    : '(?<exported>export )?(?<isAsync>async )?(?:function|const) ';
  const [found, ...more] = source.matchAll(new RegExp(`^${kind}(?<named>${of})\\b`, 'gmd'));
  const at = found?.indices?.groups?.['named'];
  if (found?.groups === undefined || at === undefined || more.length > 0)
    throw new Error(`${found ? 1 + more.length : 0} functions of ${file} are called ${of}, not one: name another`);
  const { exported = '', isAsync = '' } = found.groups;
  const renamed = `${source.slice(0, at[0])}${of}$real${source.slice(at[1])}`;
  const [before, after] = [renamed.slice(0, found.index), renamed.slice(found.index + exported.length)];
  if (of.startsWith('#'))
    return `${KIT}\n${before}  ${isAsync}${of}(...args) { return (${bug})((...real) => this.${of}$real(...real), ...args); }\n${after}`;
  return `${KIT}\n${before}${after}\n${exported}${isAsync}function ${of}(...args) { return (${bug})(${of}$real, ...args); }\n`;
}
