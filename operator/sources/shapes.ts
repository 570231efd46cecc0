/** What is known of the structure of a source's events, by type, and when it changed (docs/receive/changed-payloads.md). */
import type { EpochMs } from '#core/glossary.ts';
import { pathsOf } from '#core/inbound/drift/shape.ts';
import { readShapes } from '#core/inbound/drift/shape-watch.ts';
import type { ShapeChange } from '#core/inbound/drift/stored-shape.ts';
import type { Operator } from '#operator/operator.ts';

export interface ShapeView {
  readonly type: string;
  /** Until then differences are learned without a word. */
  readonly learnUntil: EpochMs;
  /** Newest first. */
  readonly changes: readonly ShapeChange[];
  readonly paths: readonly { readonly path: string; readonly types: string; readonly optional: boolean }[];
}

/** Types that changed come first, the newest change on top; then the others by name. */
export async function listShapes(operator: Operator, name: string): Promise<readonly ShapeView[]> {
  const { id } = operator.source(name);
  const { control } = await operator.gateway();
  const known = await readShapes(control, id);
  return known
    .flatMap(({ eventType: type, stored }) => {
      if (stored === undefined) return [];
      const paths = pathsOf(stored.shape).map(([path, types, optional]) => ({ path, types, optional }));
      return [{ type, learnUntil: stored.learnUntil, changes: stored.changes ?? [], paths }];
    })
    .sort((a, b) => (b.changes[0]?.at ?? 0) - (a.changes[0]?.at ?? 0) || (a.type < b.type ? -1 : 1));
}
