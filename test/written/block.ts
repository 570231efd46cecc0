/** Parts of a file that are made from code, between two marks, in a file that people write. */

/**
 * The text with its block `name` replaced. A block lies between `written:name` and `/written` in comments of the file
 * (`<!-- -->` in Markdown, `//` lines in TypeScript). Throws when the text has no such block, or has it twice.
 */
export function withBlock(text: string, name: string, content: string): string {
  const marks = [
    new RegExp(`(<!-- written:${name} -->)[^]*?(<!-- /written -->)`, 'g'),
    new RegExp(`(// written:${name}\\b.*\\n)[^]*?(// /written)`, 'g'),
  ];
  const found = marks.flatMap(mark => [...text.matchAll(mark)]);
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(
      `There are ${found.length} blocks "written:${name}": mark one place with written:${name} and /written`,
    );
  const [whole, open = '', close = ''] = block;
  return `${text.slice(0, block.index)}${open}${content}${close}${text.slice(block.index + whole.length)}`;
}
