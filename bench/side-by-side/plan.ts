/** How much of each thing a side-by-side run does. */
export interface Plan {
  readonly perSecond: number;
  readonly duplicates: number;
  /** Windows of ten seconds, at most. */
  readonly warmUps: number;
  readonly restSeconds: number;
  readonly rounds: number;
  /** Rounds in which an event was refused are repeated, at most as often for each system. */
  readonly repeats: number;
  readonly roundSeconds: number;
  readonly kills: number;
  readonly killSeconds: number;
}
