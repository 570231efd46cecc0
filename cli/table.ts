/**
 * A table for a terminal of a given width. Ids, URLs and errors are never cut: first ids take their short form, then long
 * texts wrap between words under their column, then whole columns move to lines of their own below the row.
 */

/** A cell; an id may have a short form that every command takes as well. */
export type Cell = string | { readonly long: string; readonly short: string };

const GAP = 2;
/** A column this narrow is not wrapped. */
const KEPT_WHOLE = 16;
const INDENT = '  ';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one
const CODES = /\u001b\[\d+m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const PAINTED = /^((?:\u001b\[\d+m)*)([^\u001b]*)((?:\u001b\[\d+m)*)$/;

/** The lines of a table, its headings first. `width`: columns of the terminal; undefined: not a terminal, nothing wraps. */
export function layOut(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: number | undefined,
): readonly string[] {
  const long = [headings, ...rows.map(row => row.map(cell => textOf(cell, 'long')))];
  if (width === undefined || fits(long, width)) return long.map(cells => inColumns(cells, naturalWidths(long)));
  const short = [headings, ...rows.map(row => row.map(cell => textOf(cell, 'short')))];
  if (fits(short, width)) return short.map(cells => inColumns(cells, naturalWidths(short)));
  return wrapped(short, width);
}

function wrapped(table: readonly (readonly string[])[], width: number): readonly string[] {
  const below: number[] = [];
  const all = (table[0] ?? []).map((_, at) => at);
  const least = leastWidths(table);
  let beside = all;
  while (beside.length > 1 && total(beside.map(at => least[at] ?? 0)) > width) {
    const widest = beside.reduce((a, b) => ((least[b] ?? 0) >= (least[a] ?? 0) ? b : a));
    below.push(widest);
    beside = beside.filter(at => at !== widest);
  }
  below.sort((a, b) => a - b);
  const columns = table.map(cells => beside.map(at => cells[at] ?? ''));
  const widths = share(
    naturalWidths(columns),
    beside.map(at => least[at] ?? 0),
    width,
  );
  return table.flatMap((cells, row) => {
    const pieces = beside.map((at, n) => wrapCell(cells[at] ?? '', widths[n] ?? 0));
    const height = Math.max(...pieces.map(lines => lines.length));
    const main = Array.from({ length: height }, (_, n) =>
      inColumns(
        pieces.map(lines => lines[n] ?? ''),
        widths,
      ),
    );
    if (row === 0) return main;
    const under = below.filter(at => plain(cells[at] ?? '') !== '');
    return [...main, ...under.flatMap(at => ownLines(table[0]?.[at] ?? '', cells[at] ?? '', width))];
  });
}

function ownLines(heading: string, cell: string, width: number): readonly string[] {
  const label = `${INDENT}${heading.toLowerCase()}  `;
  const lines = wrapCell(cell, width - label.length);
  return lines.map((line, n) => `${n === 0 ? label : ' '.repeat(label.length)}${line}`);
}

/** Each column gets what it needs at least; what is left goes to the last ones first: they hold the texts. */
function share(natural: readonly number[], least: readonly number[], width: number): readonly number[] {
  const widths = [...least];
  let left = width - total(least);
  for (let at = widths.length - 1; at >= 0; at--) {
    const more = Math.max(0, Math.min(left, (natural[at] ?? 0) - (widths[at] ?? 0)));
    widths[at] = (widths[at] ?? 0) + more;
    left -= more;
  }
  return widths;
}

function fits(table: readonly (readonly string[])[], width: number): boolean {
  return total(naturalWidths(table)) <= width;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, it) => sum + it, 0) + GAP * (widths.length - 1);
}

function naturalWidths(table: readonly (readonly string[])[]): readonly number[] {
  return (table[0] ?? []).map((_, at) => Math.max(...table.map(cells => plain(cells[at] ?? '').length)));
}

function leastWidths(table: readonly (readonly string[])[]): readonly number[] {
  const words = table.map(cells =>
    cells.map(cell =>
      Math.max(
        ...plain(cell)
          .split(' ')
          .map(word => word.length),
      ),
    ),
  );
  return naturalWidths(table).map((natural, at) =>
    natural <= KEPT_WHOLE ? natural : Math.max(...words.map(row => row[at] ?? 0)),
  );
}

function inColumns(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - plain(cell).length)))
    .join(' '.repeat(GAP))
    .trimEnd();
}

/** Between words only; each line keeps the cell's colour. */
function wrapCell(cell: string, width: number): readonly string[] {
  const [, before = '', text = plain(cell), after = ''] = PAINTED.exec(cell) ?? [];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width || line === '') line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map(it => (it === '' ? '' : `${before}${it}${after}`));
}

function textOf(cell: Cell, form: 'long' | 'short'): string {
  return typeof cell === 'string' ? cell : cell[form];
}

/** Without colours. */
function plain(cell: string): string {
  return cell.replace(CODES, '');
}
