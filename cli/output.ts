/** Where words go: data to stdout, everything else to stderr; colours and moving lines only at a terminal. */
import { styleText } from 'node:util';
import { ago } from '#operator/span.ts';
import type { Io } from './io.ts';

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

export interface Progress {
  update(done: number, total: number | undefined, note?: string): void;
  end(): void;
}

const BAR_WIDTH = 24;
/** Without a terminal, progress is a line now and then. */
const QUIET_LINE_EVERY_MS = 5_000;

export class Output {
  readonly json: boolean;
  readonly #io: Io;
  readonly #now: () => number;

  constructor(io: Io, options: { readonly json: boolean; readonly now: () => number }) {
    this.#io = io;
    this.json = options.json;
    this.#now = options.now;
  }

  /** The command's answer: JSON with `--json`, else the lines. */
  result(value: unknown, lines: () => readonly string[]): void {
    if (this.json) this.#io.stdout.write(`${toJson(value, this.#io.stdout.isTTY ? 2 : 0)}\n`);
    else for (const line of lines()) this.#io.stdout.write(`${withoutControls(line)}\n`);
  }

  /** One of many answers: a JSON line with `--json`, else a line. */
  row(value: unknown, line: () => string): void {
    this.#io.stdout.write(`${this.json ? toJson(value, 0) : withoutControls(line())}\n`);
  }

  /** For the person, not for the script. */
  note(text = ''): void {
    this.#io.stderr.write(`${withoutControls(text)}\n`);
  }

  /** The next useful command, where a person reads along. */
  next(command: string, about: string): void {
    if (!this.json) this.note(`${this.paintNote('dim', 'Next:')} ${command}  ${this.paintNote('dim', about)}`);
  }

  /** Colours a text of stdout. */
  paint(style: Style, text: string): string {
    return this.#colours(this.#io.stdout.isTTY) ? styleText(style, text, { validateStream: false }) : text;
  }

  paintNote(style: Style, text: string): string {
    return this.#colours(this.#io.stderr.isTTY) ? styleText(style, text, { validateStream: false }) : text;
  }

  #colours(isTTY: boolean): boolean {
    const { NO_COLOR, TERM } = this.#io.env;
    return isTTY && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb';
  }

  /** Columns as wide as their longest cell; the last one takes what is left of the terminal. */
  table(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
    const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map(row => plain(row[at]).length)));
    const line = (cells: readonly string[]): string => {
      const padded = cells.map((cell, at) =>
        at === cells.length - 1 ? cell : cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - plain(cell).length)),
      );
      return cut(padded.join('  ').trimEnd(), this.#io.stdout.isTTY ? this.#io.stdout.columns : 400);
    };
    return rows.length === 0 ? [] : [this.paint('dim', line(headings)), ...rows.map(line)];
  }

  progress(title: string): Progress {
    const live = this.#io.stderr.isTTY;
    let saidAt = this.#now();
    let last = '';
    return {
      update: (done, total, note = '') => {
        const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total);
        const filled = Math.round((share ?? 0) * BAR_WIDTH);
        const bar = share === undefined ? '' : `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] `;
        last = `${title} ${bar}${done}${total === undefined ? '' : `/${total}`} ${note}`.trimEnd();
        if (live) this.#io.stderr.write(`\r\u001b[2K${last}`);
        else if (this.#now() - saidAt >= QUIET_LINE_EVERY_MS) {
          saidAt = this.#now();
          this.note(last);
        }
      },
      end: () => {
        if (live && last !== '') this.#io.stderr.write('\r\u001b[2K');
        else if (last !== '' && !this.json) this.note(last);
      },
    };
  }

  /** `3 min ago`, `in 20 s`. */
  ago(ms: number): string {
    return ago(ms, this.#now());
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
const CONTROLS = /(\u001b\[(?:[12]|22|3[12369])m)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A text as a terminal may have it: our own colours pass, but nothing that a stranger wrote moves the cursor or the title. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, (found, colour?: string) => colour ?? `\\x${codeOf(found)}`);
}

/** JSON escapes the controls below a blank by itself; terminals know others. */
function toJson(value: unknown, indent: number): string {
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f]/g, found => `\\u00${codeOf(found)}`);
}

function codeOf(control: string): string {
  return control.charCodeAt(0).toString(16).padStart(2, '0');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one
const CODES = /\u001b\[\d+m/g;

function plain(cell: string | undefined): string {
  return (cell ?? '').replace(CODES, '');
}

function cut(line: string, width: number): string {
  if (plain(line).length <= width) return line;
  // A cut through colour codes would leave the terminal coloured.
  return `${plain(line).slice(0, width - 1)}…`;
}
