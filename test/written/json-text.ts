/** JSON as the formatter leaves it: an object or a list that fits on a line stands on it. */
const WIDTH = 120;

export const jsonText = (value: unknown): string => `${textOf(value, 0, 0)}\n`;

/** `taken`: characters of its line that are not its own. */
function textOf(value: unknown, depth: number, taken: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = Object.entries(value).filter(([, each]) => each !== undefined);
  const named = (text: string, name: string): string => (isList ? text : `${JSON.stringify(name)}: ${text}`);
  const [open, close, space] = isList ? ['[', ']', ''] : ['{', '}', ' '];
  if (parts.length === 0) return open + close;
  const flat = parts.map(([name, each]) => named(textOf(each, 0, Number.NEGATIVE_INFINITY), name)).join(', ');
  if (taken + flat.length + 2 * (1 + space.length) <= WIDTH) return open + space + flat + space + close;
  const indent = '  '.repeat(depth + 1);
  const lines = parts.map(([name, each], at) => {
    const comma = at === parts.length - 1 ? 0 : 1;
    return indent + named(textOf(each, depth + 1, indent.length + named('', name).length + comma), name);
  });
  return `${open}\n${lines.join(',\n')}\n${indent.slice(2)}${close}`;
}
