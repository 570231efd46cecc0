/** How an event looks in a list and on a screen of its own. */

import { splitEventPk, toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import type { TimelineStep } from '#core/inbound/search/event-report.ts';
import { shortIdOf } from '#operator/events/short-id.ts';
import type { RefusedRequest } from '#operator/refused/refused.ts';
import type { Output, Style } from './output.ts';
import type { Cell } from './table.ts';

export const EVENT_HEADINGS = ['RECEIVED', 'SOURCE', 'TYPE', 'STATUS', 'TRIES', 'EVENT', 'NOTE'];

export function eventCells(item: EventItem, out: Output): readonly Cell[] {
  const failed = !isTerminal(item.status) || item.status === 'dead_letter';
  const note = failed ? (item.lastError ?? item.actionTaken) : item.actionTaken;
  return [
    out.ago(item.receivedAt),
    splitEventPk(item.pk).sourceId,
    item.eventType,
    out.paint(styleOf(item.status), item.status),
    String(item.attempts),
    { long: toEventId(item.pk), short: shortIdOf(item.pk) },
    out.paint('dim', note ?? ''),
  ];
}

/** A line of its own in a stream. */
export function eventLine(item: EventItem, out: Output): string {
  const [, source = '', type = '', status = '', , , note = ''] = eventCells(item, out).map(String);
  const [id, time] = [toEventId(item.pk), out.clock(item.updatedAt)];
  return `${out.paint('dim', time)}  ${source.padEnd(12)} ${type.padEnd(28)} ${status}  ${id}  ${note}`.trimEnd();
}

/** A refused request in the same stream. */
export function refusedLine({ id, source, cause, at, likely }: RefusedRequest, out: Output): string {
  const time = out.clock(at);
  const what = `${source.padEnd(12)} ${cause.padEnd(28)} ${out.paint('red', 'refused')}`;
  return `${out.paint('dim', time)}  ${what}  ${id}  ${out.paint('dim', likely)}`;
}

const SHOWN_FIRST = ['id', 'source', 'event_type', 'status', 'cause', 'last_error', 'action_taken', 'attempts'];
const SHOWN_AFTER = ['generation', 'parked', 'size_bytes', 'body_sha256'];

export function eventScreen(
  report: Readonly<Record<string, unknown>> & { readonly timeline: readonly TimelineStep[] },
  out: Output,
): readonly string[] {
  const field = (name: string): string[] => {
    const value = report[name];
    if (value === undefined) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [`${out.paint('dim', name.padEnd(14))} ${name === 'status' ? out.paint(styleOf(text), text) : text}`];
  };
  const result = report['result'];
  const started = Date.parse(report.timeline[0]?.at ?? '');
  return [
    ...SHOWN_FIRST.flatMap(field),
    ...(result === undefined ? [] : [`${out.paint('dim', 'result'.padEnd(14))} ${JSON.stringify(result)}`]),
    ...SHOWN_AFTER.flatMap(field),
    '',
    ...report.timeline.map(({ at, step, note = '' }) => {
      const after = out.paint('dim', elapsed(Date.parse(at) - started).padStart(10));
      return `  ${out.time(Date.parse(at))}  ${after}  ${out.paint(styleOf(step), step.padEnd(14))} ${out.paint('dim', note)}`.trimEnd();
    }),
  ];
}

function elapsed(ms: number): string {
  return ms < 10_000 ? `+${ms} ms` : `+${Math.round(ms / 1_000)} s`;
}

function styleOf(status: string): Style {
  if (status === 'completed' || status === 'accepted') return 'green';
  if (status === 'dead_letter') return 'red';
  return status === 'failed' || status === 'rejected' || status === 'replayed' ? 'yellow' : 'cyan';
}
