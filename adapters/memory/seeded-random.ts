import type { Ids, Random } from '#core/ports.ts';

/** A small generator (sfc32) whose whole sequence follows from its seed. Not for secrets. */
export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = 0x9e3779b9;
    for (let round = 0; round < 15; round++) this.next();
  }

  next(): number {
    const mixed = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + mixed;
    return (mixed >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `below - 1`. */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** True with a probability. */
  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  /** One of the given values. */
  pick<T>(values: readonly T[]): T {
    return values[this.int(values.length)] as T;
  }

  /** An independent generator, so that one part's draws do not shift another's. */
  fork(): SeededRandom {
    return new SeededRandom(this.int(2 ** 32) + this.int(2 ** 20) * 2 ** 32);
  }
}

/** UUIDs (version 4 in form) that follow from a seed. */
export class SeededIds implements Ids {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  uuid(): string {
    let hex = '';
    for (let part = 0; part < 4; part++)
      hex += this.#random
        .int(2 ** 32)
        .toString(16)
        .padStart(8, '0');
    const variant = (8 + (Number.parseInt(hex.charAt(16), 16) & 3)).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
