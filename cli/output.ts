/** Where words go: data to stdout, everything else to stderr; colours and moving lines only at a terminal. */
import { styleText } from 'node:util';
import { MINUTE_MS, toIso } from '#core/time.ts';
import { ago } from '#operator/span.ts';
import { OperatorError } from './cli-error.ts';
import { type Io, isStopped } from './io.ts';
import { type Cell, layOut } from './table.ts';

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
  readonly #utc: boolean;

  constructor(io: Io, options: { readonly json: boolean; readonly utc?: boolean; readonly now: () => number }) {
    this.#io = io;
    this.json = options.json;
    this.#now = options.now;
    this.#utc = options.utc === true;
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

  /** Nothing is cut: see table.ts. `none`: what is said where there are no rows. */
  table(headings: readonly string[], rows: readonly (readonly Cell[])[], none?: string): readonly string[] {
    if (rows.length === 0) return none === undefined ? [] : [none];
    const [head = '', ...lines] = layOut(headings, rows, this.#io.stdout.isTTY ? this.#io.stdout.columns : undefined);
    return [this.paint('dim', head), ...lines];
  }

  /** `2026-11-21 04:17:00.000 +01:00` in the person's zone, with UTC beside it; `2026-11-21T03:17:00.000Z` with --utc. */
  time(ms: number): string {
    const offset = this.#offsetMs(ms);
    if (offset === 0) return toIso(ms);
    const local = toIso(ms + offset)
      .slice(0, -1)
      .replace('T', ' ');
    return `${local} ${offsetText(offset)} (${toIso(ms).slice(11, 19)}Z)`;
  }

  /** `04:17:00+01:00`, for lines of a stream. */
  clock(ms: number): string {
    const offset = this.#offsetMs(ms);
    return `${toIso(ms + offset).slice(11, 19)}${offset === 0 ? 'Z' : offsetText(offset)}`;
  }

  #offsetMs(ms: number): number {
    return this.#utc ? 0 : offsetOf(ms, this.#io.env['TZ']);
  }

  /** `stopped`: after Ctrl-C the next update throws OperatorError (interrupted), which says this: how to go on. */
  progress(title: string, stopped?: string): Progress {
    const live = this.#io.stderr.isTTY;
    let saidAt = this.#now();
    let last = '';
    return {
      update: (done, total, note = '') => {
        const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total);
        const filled = Math.round((share ?? 0) * BAR_WIDTH);
        const bar = share === undefined ? '' : `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] `;
        const far = `${done}${total === undefined ? '' : `/${total}`} ${note}`.trimEnd();
        last = `${title} ${bar}${far}`;
        if (stopped !== undefined && isStopped(this.#io)) {
          if (live) this.#io.stderr.write('\r\u001b[2K');
          throw new OperatorError(`Stopped after ${far}. ${stopped}`, 'interrupted');
        }
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

/** How far a zone (default: this machine's) is ahead of UTC at that moment, in milliseconds. A zone that nobody knows is UTC. */
function offsetOf(ms: number, zone: string | undefined): number {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZoneName: 'longOffset', ...(zone ? { timeZone: zone } : {}) });
    const name = format.formatToParts(ms).find(part => part.type === 'timeZoneName')?.value ?? '';
    const found = /([+-])(\d\d):(\d\d)/.exec(name);
    if (!found) return 0;
    const minutes = Number(found[2]) * 60 + Number(found[3]);
    return (found[1] === '-' ? -minutes : minutes) * MINUTE_MS;
  } catch {
    return 0;
  }
}

function offsetText(offset: number): string {
  const minutes = Math.abs(offset) / MINUTE_MS;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
