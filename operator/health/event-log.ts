/**
 * What the functions logged of one event or of one attempt of it, read when somebody asks; and where its handler threw, the
 * lines of that file as this checkout has it.
 */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { type EpochMs, toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { DAY_MS, MINUTE_MS, toIso } from '#core/time.ts';
import { PROJECT_ROOT } from '#local/shell/workspace.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';
import { ago } from '#operator/span.ts';
import { type LogEntry, readLogs } from './read-logs.ts';

export interface EventLog {
  /** Oldest first. */
  readonly lines: readonly LogEntry[];
  /** Why there are none, and what helps. */
  readonly none?: string;
  readonly code?: Code;
}

/** Around the place where the handler threw. */
interface Code {
  /** As the log names it, e.g. `handlers/record-payment.ts`. */
  readonly file: string;
  readonly line: number;
  readonly lines: readonly { readonly n: number; readonly text: string }[];
}

/** A line may be written late, and clocks differ a little. */
const BEFORE_MS = 1_000;
const AFTER_MS = 15_000;
/** CloudWatch shows a line some seconds after it was written. */
const FRESH_MS = 2 * MINUTE_MS;
const LINES_AROUND = 3;

/** `at`: when the attempt began; undefined: all that was logged since the event arrived. Throws OperatorError. */
export async function readEventLog(
  operator: Operator,
  item: EventItem,
  at?: EpochMs,
  root = PROJECT_ROOT,
): Promise<EventLog> {
  const attempt = at === undefined ? undefined : attemptAt(item, at);
  const since = (at ?? item.receivedAt) - BEFORE_MS;
  const until = attempt === undefined ? undefined : attempt.at + attempt.ms + AFTER_MS;
  const found = await readLogs(operator, { eventId: toEventId(item.pk), since, until }).catch(
    (error: unknown): never => {
      throw withRights(error, operator);
    },
  );
  // Lines of ingest and of the sweeper name no attempt; those of a neighbouring attempt name theirs.
  const lines = found.filter(
    ({ fields }) => attempt === undefined || [undefined, attempt.n].includes(numberIn(fields)),
  );
  if (lines.length === 0) return { lines, none: whyNone(operator, at ?? item.updatedAt) };
  const code = codeOf(lines, root);
  return code === undefined ? { lines } : { lines, code };
}

const numberIn = ({ attempt }: LogEntry['fields']): number | undefined =>
  typeof attempt === 'number' ? attempt : undefined;

interface KeptAttempt {
  readonly n: number;
  readonly at: EpochMs;
  readonly ms: number;
}

/** The attempts that the record still has, oldest first. */
export function keptAttempts({
  recentAttempts = [],
  startedAt,
  attempts,
  updatedAt,
}: EventItem): readonly KeptAttempt[] {
  if (startedAt === undefined || recentAttempts.some(({ at }) => at === startedAt)) return recentAttempts;
  return [...recentAttempts, { n: attempts, at: startedAt, ms: Math.max(0, updatedAt - startedAt) }];
}

function attemptAt(item: EventItem, at: EpochMs): KeptAttempt {
  const kept = keptAttempts(item);
  const found = kept.find(it => it.at === at);
  if (found !== undefined) return found;
  const allowed = kept.map(it => `${it.at} (attempt ${it.n})`).join(', ') || 'none: it has not been tried';
  throw usageError(`at: ${at}`, allowed, 'take one of these, or leave it out for the whole log of the event');
}

function whyNone({ deployment, environment, clock }: Operator, at: EpochMs): string {
  const days = deployment.logRetentionDays;
  const now = clock.now();
  if (now - at > days * DAY_MS)
    return `${environment} keeps its logs for ${days} days (logRetentionDays), and this was ${ago(at, now)}.`;
  if (now - at < FRESH_MS) return 'No line yet: CloudWatch shows a line some seconds after it was written. Look again.';
  const { logLevel } = deployment.config;
  const more =
    logLevel === 'warn' || logLevel === 'error' ? `; ${environment} logs only from ${logLevel} on (logLevel)` : '';
  return `No function wrote a line about it around ${toIso(at).slice(0, 19)}Z${more}.`;
}

function withRights(error: unknown, { environment }: Operator): unknown {
  const isRefused = error instanceof Error && /^AccessDenied|NotAuthorized/.test(error.name);
  if (!isRefused) return error;
  return new OperatorError(
    `You may not read the logs of ${environment}: that needs logs:FilterLogEvents on its log groups, and cloudformation:ListStackResources to find them (${error.message})`,
    'credentials',
    { cause: error },
  );
}

/** Undefined: no line names a place in a file of the project, or this checkout does not have it. */
function codeOf(lines: readonly LogEntry[], root: string): Code | undefined {
  const places = lines.flatMap(({ fields }) => (Array.isArray(fields['stack']) ? fields['stack'].map(String) : []));
  const own = places.find(place => !/^(?:holdfast:|node_modules\/)/.test(place));
  const [, file, at] = /^([\w./@-]{1,300}\.[cm]?[jt]sx?):(\d{1,6}):\d{1,6}$/.exec(own ?? '') ?? [];
  if (file === undefined) return undefined;
  const path = resolve(root, file);
  if (relative(root, path).startsWith('..')) return undefined;
  try {
    const written = readFileSync(path, 'utf8').split('\n');
    const line = Number(at);
    const from = Math.max(0, line - 1 - LINES_AROUND);
    const around = written.slice(from, line + LINES_AROUND).map((text, n) => ({ n: from + n + 1, text }));
    return around.some(({ n }) => n === line) ? { file, line, lines: around } : undefined;
  } catch {
    return undefined;
  }
}
