import { splitEventPk, toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { paint, type Style } from '#local/shell/progress.ts';
import type { RefusedRequest } from '#operator/refused/refused.ts';

/** An event's way through the gateway, one line per step, with the time since it arrived. */
export function describeTimeline(item: EventItem): readonly string[] {
  const steps: readonly (readonly [string, number | undefined, string])[] = [
    ['accepted', item.receivedAt, 'signature verified, recorded'],
    ['pending', item.enqueuedAt ?? item.receivedAt, 'in the queue'],
    ['processing', item.startedAt, `attempt ${item.attempts}`],
    [item.status, item.completedAt ?? item.deadAt ?? item.updatedAt, item.actionTaken ?? item.lastError ?? ''],
  ];
  return steps.flatMap(([status, at, note]) => {
    if (at === undefined) return [];
    const after = `+${Math.max(0, at - item.receivedAt)} ms`;
    return [`    ${paint(styleOf(status), status.padEnd(11))}${after.padStart(10)}   ${paint('dim', note)}`];
  });
}

/** One line about an event that changed. */
export function describeChange(item: EventItem): string {
  const { sourceId } = splitEventPk(item.pk);
  const time = new Date(item.updatedAt).toISOString().slice(11, 19);
  const took = item.completedAt === undefined ? `attempt ${item.attempts}` : `${item.completedAt - item.receivedAt} ms`;
  const note = item.status === 'completed' ? (item.actionTaken ?? '') : (item.lastError ?? item.actionTaken ?? '');
  const status = paint(styleOf(item.status), item.status.padEnd(11));
  return `  ${paint('dim', time)}  ${sourceId.padEnd(18)} ${item.eventType.padEnd(28)} ${status} ${took.padEnd(10)} ${paint('dim', `${toEventId(item.pk)} ${note}`)}`;
}

/** One line about a request that was refused: whose, why, what is likely wrong. */
export function describeRefused({ source, cause, at, likely }: RefusedRequest): string {
  const time = new Date(at).toISOString().slice(11, 19);
  return `  ${paint('dim', time)}  ${source.padEnd(18)} ${cause.padEnd(28)} ${paint('red', 'refused')}     ${paint('dim', likely)}`;
}

function styleOf(status: string): Style {
  if (status === 'completed' || status === 'accepted') return 'green';
  if (status === 'dead_letter') return 'red';
  return status === 'failed' || status === 'rejected' ? 'yellow' : 'cyan';
}
