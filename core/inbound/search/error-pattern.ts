/** What stays the same when one failure hits many events: ids, hashes and numbers are replaced. The pattern of a pattern is itself. */
export function errorPattern(error: string): string {
  return cleaned(error)
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '…')
    .replace(/\b(?=[\w-]{0,200}\d)[\w-]{1,200}\b/g, '…')
    .replace(/…(?:[.:,/]…)+/g, '…');
}

const cleaned = (error: string): string =>
  error
    .slice(0, 400)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ');

const TOLD = 3;

/** What the errors of one pattern say, word by word: a code that all of them have is what tells their failure from others. */
export class CommonError {
  readonly #pattern: readonly string[];
  readonly #seen: readonly Set<string>[];

  constructor(pattern: string) {
    this.#pattern = pattern.split(' ');
    this.#seen = this.#pattern.map(() => new Set());
  }

  add(error: string): void {
    for (const [n, word] of cleaned(error).split(' ').entries()) {
      const seen = this.#seen[n];
      if (seen !== undefined && seen.size <= TOLD) seen.add(word);
    }
  }

  /** `it answered 503 or 504 for …`: a word of up to three kinds is told, of more it stays `…`. */
  get text(): string {
    return this.#pattern
      .map((word, n) => {
        const seen = [...(this.#seen[n] ?? [])];
        return seen.length === 0 || seen.length > TOLD ? word : seen.toSorted().join(' or ');
      })
      .join(' ');
  }
}
