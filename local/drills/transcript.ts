/** What a drill showed, as a page for the docs: the same from run to run, but for its times. */
import { paint } from '#local/shell/progress.ts';

/** Texts that differ from run to run, and what replaces them. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/rj-[0-9]{8}t[0-9]{6}-[0-9a-f]+/g, 'rj-<job>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/\b[0-9a-f]{64}\b/g, '<sha256>'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:4566'],
  [/execute-api\/[0-9a-f]+/g, 'execute-api/<api>'],
  [/drill-[0-9a-z]{4}-/g, 'drill-'],
  [/--cursor [\w-]+/g, '--cursor <cursor>'],
  [/\bby root\b|\bby [a-z_][\w-]*(?= ago|:|$)/gm, 'by <you>'],
];

export class Transcript {
  readonly #lines: string[] = [];
  #startedAt: number | undefined;

  constructor(title: string, about: string) {
    this.#lines.push(`# Drill: ${title}`, '', about, '');
  }

  /** A step of the story. */
  step(text: string): void {
    this.#startedAt ??= Date.now();
    const after = `+${Math.round((Date.now() - this.#startedAt) / 1_000)} s`;
    console.log(`\n${paint('bold', text)} ${paint('dim', after)}`);
    this.#lines.push('', `**${after}** ${text}`, '');
  }

  /** What was printed or received, word for word. */
  block(text: string, kind = 'text'): void {
    // Progress without a terminal says the same again and again.
    const lines = text.trimEnd().split('\n');
    const shown = lines.filter((line, n) => line !== lines[n - 1] || line === '').join('\n');
    console.log(
      shown
        .split('\n')
        .map(line => `  ${paint('dim', line)}`)
        .join('\n'),
    );
    this.#lines.push(`\`\`\`${kind}`, mask(shown), '```');
  }

  /** As Markdown, with the differences between runs masked. */
  toMarkdown(): string {
    const text = this.#lines.join('\n').replace(/\n{3,}/g, '\n\n');
    return `${text.trimEnd()}\n`;
  }
}

function mask(text: string): string {
  return MASKS.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), text);
}
