/** The table of the outbound protocol's writes, from the comments above them. */

const FILE_COMMENT = /\/\*\*\s((?:(?!\*\/)[\s\S])*?)\s\*\//g;
const WRITE = /^(?<id>W\d+): (?<what>[^.]+)\.(?: .*)? @by (?<by>\S+) @if (?<cond>.+?)(?: @else (?<otherwise>.+))?$/;

/** `source`: the text of `delivery-writes.ts`. Throws when a comment that begins with a number lacks a tag, or two have one number. */
export function writesTable(source: string): string {
  const comments = [...source.matchAll(FILE_COMMENT)]
    .map(([, comment = '']) => comment.replaceAll(/\s*\n?\s*\*\s+/g, ' ').trim())
    .filter(it => /^W\d+:/.test(it));
  const rows = comments.map(comment => {
    const { id = '', what, by, cond, otherwise = '' } = WRITE.exec(comment)?.groups ?? {};
    if (id === '')
      throw new Error(`Give this write a sentence, @by, @if and, unless it has no condition, @else: ${comment}`);
    return { id, text: `| **${id}** ${what} | ${by} | ${cond} | ${otherwise} |` };
  });
  const twice = rows.find(({ id }, at) => rows.findIndex(it => it.id === id) !== at);
  if (twice !== undefined) throw new Error(`Two writes are called ${twice.id}`);
  const sorted = rows.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
  return ['', '| write | of | condition | if refused |', '|---|---|---|---|', ...sorted.map(it => it.text), ''].join(
    '\n',
  );
}
