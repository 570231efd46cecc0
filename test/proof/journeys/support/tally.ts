/** Counts, over many runs, in how many each invariant was checked and in how many it was broken. */
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import type { Verdict } from './crash-run.ts';

/** Judged at the end of every run. */
const AT_REST = ['I2', 'I3', 'I6', 'I12', 'I13'];

export class Tally {
  runs = 0;
  readonly #checked = new Map<string, number>();
  readonly #broken = new Map<string, number>();
  /** Complaints with the runs that raised them, a few of each. */
  readonly complaints = new Map<string, string[]>();

  add({ complaints, stage }: Verdict, run: string): void {
    this.runs += 1;
    for (const invariant of [...stage.witness.checks.keys(), ...AT_REST]) bump(this.#checked, invariant);
    for (const invariant of new Set(complaints.map(it => it.split(' ')[0] ?? ''))) bump(this.#broken, invariant);
    for (const complaint of complaints) {
      const runs = this.complaints.get(complaint) ?? [];
      this.complaints.set(complaint, runs.length < 3 ? [...runs, run] : runs);
    }
  }

  record(suite: string): void {
    for (const [invariant, runs] of this.#checked)
      recordRun([invariant], suite, runs, this.#broken.get(invariant) ?? 0);
  }
}

function bump(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
