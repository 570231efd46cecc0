/** Records of the gateway as rows of the page. */
import { given } from '#core/given.ts';
import { splitEventPk, toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import type { ReplayJob } from '#core/inbound/replay/replay-job.ts';
import { beginning, doneOf } from '#operator/events/replay.ts';
import type { AlarmView } from '#operator/gateway.ts';
import { isNotice, runbookOf } from '#operator/health/alarm-words.ts';
import type { AlarmRow, EventRow, JobRow } from '../wire.ts';

export function rowOf(item: EventItem): EventRow {
  const { sourceId, eventKey } = splitEventPk(item.pk);
  const endedAt = item.completedAt ?? item.deadAt;
  const begunAt = item.replayedAt ?? item.receivedAt;
  return {
    id: toEventId(item.pk),
    key: eventKey,
    source: sourceId,
    type: item.eventType,
    status: item.status,
    attempts: item.attempts,
    receivedAt: item.receivedAt,
    ...(endedAt === undefined ? {} : { tookMs: Math.max(0, endedAt - begunAt) }),
    ...given({ cause: item.cause, error: item.lastError }),
  };
}

export function jobRow(job: ReplayJob, now: number): JobRow {
  const { replayed, ...others } = job.counts;
  const { sources, statuses, type, cause, error } = job.filter;
  return {
    id: job.id,
    state: job.state,
    by: job.by,
    why: job.why,
    createdAt: job.createdAt,
    ...given({ finishedAt: job.finishedAt }),
    ratePerSecond: job.ratePerSecond,
    ...given({ expected: job.expected }),
    done: doneOf(job),
    beginning: beginning(job, now),
    replayed,
    others: Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0)),
    meant: [sources.join(', '), statuses?.join(', '), type, cause, error].filter(it => it !== undefined).join(' · '),
  };
}

export function alarmRow(alarm: AlarmView, environment: string): AlarmRow {
  const { name, state, since, reason, description, watches } = alarm;
  const [meaning = ''] = description.replace(/^\w+: /, '').split('\n');
  const row = { name, state, since, reason, description, meaning, ...given({ watches }) };
  return { ...row, notice: isNotice(alarm), runbook: runbookOf(alarm, environment) };
}
