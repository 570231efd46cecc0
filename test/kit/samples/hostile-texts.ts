/**
 * Texts that make a regular expression slow, if any can: its own characters, repeated, behind what leads to each place of
 * it, and with an end that does not match.
 */

interface Atom {
  /** Some texts the atom matches. */
  readonly examples: readonly string[];
  readonly repeats: boolean;
}

const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: ['1'],
  w: ['a', '1'],
  s: [' '],
  D: ['a', ' '],
  W: [' '],
  S: ['a'],
  n: ['\n'],
  r: ['\r'],
  t: ['\t'],
};
const ENDS = ['', '\u0001', '\n!'];

/** Hostile texts of about this length. */
export function hostileTexts(pattern: string, flags: string, length: number): readonly string[] {
  const atoms = new Reader(pattern, flags).sequence();
  // By their parts: to compare long texts takes longer than to run over them.
  const texts = new Map<string, string>();
  let prefix = '';
  for (const [index, { examples, repeats }] of atoms.entries()) {
    const next = atoms[index + 1]?.examples[0] ?? '';
    const pumps = [...examples, `${examples[0] ?? ''}${next}`].filter(pump => pump !== '');
    for (const pump of repeats || index === 0 ? pumps : pumps.slice(0, 1)) {
      const pumped = pump.repeat(Math.ceil(length / pump.length));
      for (const before of new Set([prefix, '']))
        for (const end of ENDS) texts.set(JSON.stringify([before, pump, end]), `${before}${pumped}${end}`);
    }
    prefix += examples[0] ?? '';
  }
  return [...texts.values()];
}

/** As much of the syntax as it takes to find examples: groups are one atom and their parts, too. */
class Reader {
  readonly #pattern: string;
  readonly #flags: string;
  #at = 0;

  constructor(pattern: string, flags: string) {
    this.#pattern = pattern;
    this.#flags = flags.replace(/[gy]/g, '');
  }

  /** Atoms up to the end of the pattern or group; those of groups are inlined before the group itself. */
  sequence(): Atom[] {
    const atoms: Atom[] = [];
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== ')') {
      const char = this.#pattern[this.#at++] ?? '';
      if (char === '|' || char === '^' || char === '$') continue;
      if (char === '(') {
        const inner = this.#group();
        const repeats = this.#quantifier();
        atoms.push(...inner);
        if (repeats) {
          const whole = inner.map(atom => atom.examples[0] ?? '').join('');
          atoms.push({ examples: [whole, ...inner.flatMap(atom => atom.examples)], repeats });
        }
        continue;
      }
      const examples = char === '[' ? this.#set() : char === '\\' ? this.#escape() : [char === '.' ? 'x' : char];
      atoms.push({ examples, repeats: this.#quantifier() });
    }
    return atoms;
  }

  #group(): Atom[] {
    const opening = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(this.#pattern.slice(this.#at))?.[0] ?? '';
    this.#at += opening.length;
    const inner = this.sequence();
    this.#at += 1;
    return opening.includes('!') ? [] : inner;
  }

  #quantifier(): boolean {
    const text = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(this.#pattern.slice(this.#at))?.[0] ?? '';
    this.#at += text.length;
    return text !== '' && !text.startsWith('?');
  }

  #escape(): readonly string[] {
    const char = this.#pattern[this.#at++] ?? '';
    const code = /^(?:x[\da-f]{2}|u[\da-f]{4})/i.exec(char + this.#pattern.slice(this.#at))?.[0];
    if (code !== undefined) {
      this.#at += code.length - 1;
      return [String.fromCharCode(Number.parseInt(code.slice(1), 16))];
    }
    return char === 'b' || char === 'B' ? [''] : (CLASSES[char] ?? [char]);
  }

  #set(): readonly string[] {
    const from = this.#at;
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== ']') {
      this.#at += this.#pattern[this.#at] === '\\' ? 2 : 1;
    }
    const inside = new RegExp(`[${this.#pattern.slice(from, this.#at)}]`, this.#flags);
    this.#at += 1;
    const candidates = ['a', 'A', '1', ' ', '-', '.', '/', '=', '_', '"', '\\', '%', '\n', '\u0001', '[', '{', 'é'];
    return candidates.filter(candidate => inside.test(candidate)).slice(0, 4);
  }
}
