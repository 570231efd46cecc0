/** Loads what writes concerns down with the first one: most copies of ingest never meet such an event. */
import type { ConcernBoard } from '#core/inbound/protocol/concerns.ts';

export function lazyConcerns(make: () => Promise<ConcernBoard>): Pick<ConcernBoard, 'note'> {
  let made: Promise<ConcernBoard> | undefined;
  return {
    note: async (...concern) => {
      made ??= make();
      await (await made).note(...concern);
    },
  };
}
