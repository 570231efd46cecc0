import type { AlarmView } from '#operator/gateway.ts';

/** An alarm that shows, and that nobody has to act on: a deploy, a changed schema. Its text begins with its severity. */
export function isNotice({ description }: Pick<AlarmView, 'description'>): boolean {
  return description.startsWith('notice: ');
}
