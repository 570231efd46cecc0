/** What travels through the queues of the outbound side. A text of another form or version is nobody's: undefined. */
import type { Job, WakeUp } from '#core/outbound/ports.ts';

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
    return fields?.['v'] === 1 ? fields : undefined;
  } catch {
    return undefined;
  }
}
const isText = (value: unknown, prefix: string): boolean => typeof value === 'string' && value.startsWith(prefix);
const optional = (value: unknown): boolean => value === undefined || typeof value === 'string';

/** A wake-up, or undefined. */
export function parseWakeUp(text: string): WakeUp | undefined {
  const fields = fieldsOf(text);
  if (!fields || !isText(fields['ep'], 'ep_')) return undefined;
  return fields['mode'] === undefined || fields['mode'] === 'end' ? (fields as unknown as WakeUp) : undefined;
}

/** A job of the jobs queue, or undefined. */
export function parseJob(text: string): Job | undefined {
  const fields = fieldsOf(text);
  if (!fields) return undefined;
  if (fields['again'] !== undefined && fields['again'] !== true) return undefined;
  const isFanOut = isText(fields['app'], 'app_') && isText(fields['msg'], 'msg_');
  if (isFanOut && optional(fields['from']) && optional(fields['to'])) return fields as unknown as Job;
  if (isText(fields['walk'], 'msg_') && optional(fields['after'])) return fields as unknown as Job;
  if (isText(fields['replay'], 'job_')) return fields as unknown as Job;
  const op = fields['op'];
  return typeof op === 'object' && op !== null && 'type' in op && 'key' in op ? (fields as unknown as Job) : undefined;
}
