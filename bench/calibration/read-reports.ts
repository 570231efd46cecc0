/** What Lambda says of an invocation, as its log has it in JSON (`platform.report`). */
import { given } from '#core/given.ts';

export interface Report {
  readonly billedMs: number;
  /** Only of a cold start. */
  readonly initMs?: number;
}

interface PlatformReport {
  readonly type?: unknown;
  readonly record?: { readonly metrics?: { readonly billedDurationMs?: number; readonly initDurationMs?: number } };
}

/** The report in a log line, or undefined for any other line. */
export function readReport(line: string): Report | undefined {
  if (!line.includes('"platform.report"')) return undefined;
  try {
    const { type, record } = JSON.parse(line) as PlatformReport;
    const { billedDurationMs: billedMs, initDurationMs: initMs } = record?.metrics ?? {};
    return type === 'platform.report' && billedMs !== undefined ? { billedMs, ...given({ initMs }) } : undefined;
  } catch {
    return undefined;
  }
}
