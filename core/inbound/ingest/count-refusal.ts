import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import type { Telemetry } from '#core/ports.ts';
import type { Cause } from './refusals.ts';

/** Counts a refusal with its cause, and logs it without any content. `hint`: the check's own word for what was wrong. */
export function countRefusal(source: ResolvedSource, cause: Cause, telemetry: Telemetry, hint?: string): void {
  telemetry.count('RequestRefused', { source: source.id, cause });
  telemetry.log('info', { stage: 'refused', source: source.id, cause, ...given({ hint }) });
}
