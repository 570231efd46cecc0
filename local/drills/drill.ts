import type { DrillStage } from './drill-stage.ts';

/** An incident that is reproduced, noticed and fixed as on-call would. */
export interface Drill {
  /** Its name on the command line, and its recording in test/watch/drills/. */
  readonly title: string;
  readonly about: string;
  /** Throws UserError with what did not show. */
  play(stage: DrillStage): Promise<void>;
}
