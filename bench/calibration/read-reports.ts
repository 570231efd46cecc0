/** What Lambda says of an invocation, as its log has it: JSON (`platform.report`) or the older text. */
import { given } from '#core/given.ts';

export interface Report {
  readonly durationMs: number;
  readonly billedMs: number;
  readonly memoryMb: number;
  readonly maxMemoryMb: number;
  /** Only of a cold start. */
  readonly initMs?: number;
}

interface PlatformReport {
  readonly type?: unknown;
  readonly record?: {
    readonly metrics?: {
      readonly durationMs?: number;
      readonly billedDurationMs?: number;
      readonly memorySizeMB?: number;
      readonly maxMemoryUsedMB?: number;
      readonly initDurationMs?: number;
    };
  };
}

/** The report in a log line, or undefined for any other line. */
export function readReport(line: string): Report | undefined {
  if (line.startsWith('REPORT ')) return readTextReport(line);
  if (!line.includes('"platform.report"')) return undefined;
  try {
    const { type, record } = JSON.parse(line) as PlatformReport;
    return type === 'platform.report' ? fromMetrics(record?.metrics) : undefined;
  } catch {
    return undefined;
  }
}

function fromMetrics(metrics: NonNullable<PlatformReport['record']>['metrics']): Report | undefined {
  const { durationMs, billedDurationMs, memorySizeMB, maxMemoryUsedMB, initDurationMs } = metrics ?? {};
  if (durationMs === undefined || billedDurationMs === undefined || memorySizeMB === undefined) return undefined;
  return {
    durationMs,
    billedMs: billedDurationMs,
    memoryMb: memorySizeMB,
    maxMemoryMb: maxMemoryUsedMB ?? 0,
    ...given({ initMs: initDurationMs }),
  };
}

function readTextReport(line: string): Report | undefined {
  const number = (name: string): number | undefined => {
    const [, value] = new RegExp(`(?:^|\\t| )${name}: ([\\d.]+) (?:ms|MB)`).exec(line) ?? [];
    return value === undefined ? undefined : Number(value);
  };
  // "Billed Duration" and "Init Duration" hold the word as well: the plain one follows the request's id.
  const [, duration] = /RequestId: \S+\s+Duration: ([\d.]+) ms/.exec(line) ?? [];
  return fromMetrics({
    ...(duration === undefined ? {} : { durationMs: Number(duration) }),
    ...present('billedDurationMs', number('Billed Duration')),
    ...present('memorySizeMB', number('Memory Size')),
    ...present('maxMemoryUsedMB', number('Max Memory Used')),
    ...present('initDurationMs', number('Init Duration')),
  });
}

const present = <Name extends string>(name: Name, value: number | undefined): { [K in Name]?: number } =>
  (value === undefined ? {} : { [name]: value }) as { [K in Name]?: number };
