/** The one way in which a rule meets a service that may be away: the failure is counted, logged, and a value. */
import { DependencyError } from './errors.ts';
import type { Telemetry } from './ports.ts';

/** `ok: false`: nobody knows whether the work was done, unless `error.outcome` says `not_applied`. */
export type Answered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: DependencyError };

/** Who asks. `stage` and `fields` go into the log line: never a body, a secret or an address. */
export interface Asker {
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
  readonly stage: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * Does a piece of work that others do not wait for. Whatever it throws costs this piece: a `DependencyError` is counted and
 * logged as `ask` does, anything else is logged as an error. Undefined: it was not done.
 */
export async function askOrSkip<T>(asker: Asker, work: () => Promise<T>): Promise<T | undefined> {
  try {
    const asked = await ask(asker, work);
    return asked.ok ? asked.value : undefined;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    asker.telemetry.log('error', { stage: asker.stage, ...asker.fields, error: text });
    return undefined;
  }
}

/** Does the work. A `DependencyError` becomes an answer; any other error is a bug and is thrown on. */
export async function ask<T>({ telemetry, stage, fields }: Asker, work: () => Promise<T>): Promise<Answered<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    telemetry.count('DependencyError', { dependency: error.dependency });
    telemetry.log('warn', { stage, ...fields, dependency: error.dependency, error: error.message });
    return { ok: false, error };
  }
}
