/** What the functions logged of a source or of one event: lines of the log, as they were written. */
import { type EpochMs, eventIdToPk } from '#core/glossary.ts';
import type { LogLine } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { parseJson } from '#operator/parse-json.ts';

export interface LogFilter {
  readonly source?: string | undefined;
  /** Our id of one event. */
  readonly eventId?: string | undefined;
  readonly since: EpochMs;
  readonly until?: EpochMs | undefined;
  /** One function, e.g. `drain-fast`, or `requests`. */
  readonly of?: string | undefined;
  /** Only errors and warnings. */
  readonly errors?: boolean;
  /** Only lines with these values, by the name of the field. */
  readonly where?: Readonly<Record<string, string>>;
}

export interface LogEntry extends LogLine {
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Lambda's own lines of an invocation that is not broken; one that is says so as its status. */
const OF_EACH_RUN = /^(?:INIT_START|START|END|REPORT) (?!.*Status: (?:error|timeout))/;

/** Oldest first. Metrics alone are left out: a line of the log says what happened (`stage`), or is of Lambda itself. */
export async function readLogs(operator: Operator, filter: LogFilter): Promise<readonly LogEntry[]> {
  const { logs } = await operator.gateway();
  if (logs === undefined) throw new OperatorError('There are no logs to read here: a gateway in memory keeps none');
  const lines = await logs.read(filter.since, patternOf(filter), filter.of, filter.until);
  return lines.flatMap(line => {
    if (OF_EACH_RUN.test(line.text)) return [];
    const fields = parse(line.text);
    return isMeant(fields, filter) ? [{ ...line, fields }] : [];
  });
}

const SHOWN_APART = ['timestamp', 'level', 'stage', 'stack', '_aws'];

/** What a line says beside its time, level and stack, in its order; metrics, which begin with a capital, are left out. */
export function wordsOf({ fields }: LogEntry): readonly (readonly [name: string, text: string])[] {
  return Object.entries(fields)
    .filter(([name]) => !SHOWN_APART.includes(name) && !/^[A-Z]/.test(name))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const);
}

/** As CloudWatch filters; what it lets through is looked at again. */
function patternOf({ source, eventId, where = {} }: LogFilter): string {
  const conditions = Object.entries(where).map(([field, value]) => `$.${field} = ${JSON.stringify(value)}`);
  if (eventId !== undefined)
    conditions.push(`$.event_id = ${JSON.stringify(eventId)} || $.pk = ${JSON.stringify(eventIdToPk(eventId) ?? '')}`);
  else if (source !== undefined)
    conditions.push(`$.source = ${JSON.stringify(source)} || $.pk = ${JSON.stringify(`${source}#*`)}`);
  if (conditions.length < 2) return conditions.length === 0 ? '' : `{ ${conditions[0]} }`;
  return `{ ${conditions.map(it => `(${it})`).join(' && ')} }`;
}

function isMeant(fields: Readonly<Record<string, unknown>>, filter: LogFilter): boolean {
  const { source, eventId, errors, where = {} } = filter;
  const { stage, level, pk } = fields;
  const isWrong = level === 'ERROR' || level === 'WARN';
  if (errors === true && !isWrong) return false;
  if (Object.entries(where).some(([field, value]) => String(fields[field]) !== value)) return false;
  if (eventId !== undefined) return fields['event_id'] === eventId || (pk !== undefined && pk === eventIdToPk(eventId));
  if (source !== undefined && fields['source'] !== source && !String(pk).startsWith(`${source}#`)) return false;
  return stage !== undefined || isWrong || filter.of === 'requests';
}

/** A line that is no JSON is Lambda's own. */
function parse(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  return { level: 'ERROR', message: text.trim() };
}
