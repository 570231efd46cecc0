/** What a benchmark answers, and how it is shown. */

/** One figure with what it is measured against. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  /** What it is compared with, measured or counted in the same run. */
  readonly reference: string;
  /** In brackets behind it, what was hoped for at best. */
  readonly target?: string;
  /** Does the value reach the target? Absent where there is none. */
  readonly reached?: boolean;
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A benchmark's part of bench/RESULTS.md. */
export interface Section {
  /** One letter, the name of the subcommand. */
  readonly id: string;
  readonly title: string;
  /** At most sixty words: how it is measured, and what it does not say. */
  readonly method: string;
  readonly figures: readonly Figure[];
  readonly tables?: readonly Table[];
  /** At most three, which change how a number is read. */
  readonly notes?: readonly string[];
  /** Data the product reads: path in the repository to value, written as JSON with the page. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Numbers for the other benchmarks and for the chart, by name. */
  readonly numbers?: Readonly<Record<string, number>>;
}

/** All sections' numbers of the last run that was written, by section. */
export type KnownNumbers = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface BenchOptions {
  /** Fewer rounds, the same methods. */
  readonly quick: boolean;
  /** Told what is going on; not part of the result. */
  readonly say: (line: string) => void;
  /** `numbers` of the sections that ran before, in this run or the committed one. */
  readonly known: (section: string) => Readonly<Record<string, number>> | undefined;
}

/** Every benchmark is one function. */
export type Bench = (options: BenchOptions) => Promise<Section>;

export function toMarkdown({ title, method, figures, tables = [], notes = [] }: Section): string {
  const rows = figures.map(it => [it.name, it.value, it.reference, verdictOf(it)]);
  const parts = [
    `## ${title}`,
    method,
    ...(rows.length > 0 ? [tableText(['', 'now', 'beside, in the same run', 'target'], rows)] : []),
    ...tables.flatMap(each => [`**${each.title}**`, tableText(each.head, each.rows)]),
    ...(notes.length > 0 ? [notes.map(note => `- ${note}`).join('\n')] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A target and whether it is reached, in one cell. */
export function verdictOf({ target, reached }: Pick<Figure, 'target' | 'reached'>): string {
  if (target === undefined) return '';
  return `${target}: ${reached ? 'reached' : '**not reached**'}`;
}

export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
