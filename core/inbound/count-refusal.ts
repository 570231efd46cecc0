import type { Telemetry } from '../ports.ts';
import type { ResolvedSource } from '../resolved-config.ts';

/** Counts a refusal with its cause, and logs it without any content. `hint`: the check's own word for what was wrong. */
export function countRefusal(source: ResolvedSource, cause: string, telemetry: Telemetry, hint?: string): void {
  telemetry.count('RequestRejected', { source: source.id, cause });
  telemetry.log('info', { stage: 'refused', source: source.id, cause, ...(hint === undefined ? {} : { hint }) });
}
