/** Loads what writes concerns down with the first one: most copies of ingest never meet such an event. */

import { once } from '#adapters/once.ts';
import type { ConcernBoard } from '#core/inbound/protocol/concerns.ts';

export function lazyConcerns(make: () => Promise<ConcernBoard>): Pick<ConcernBoard, 'note'> {
  const board = once(make);
  return { note: async (...concern) => (await board()).note(...concern) };
}
