/** Applications, as a person limits and erases them: through the delivery API, nothing beside it. */

import type { Operator } from '#operator/operator.ts';
import { type Application, ask } from './deliveries.ts';

/** Absent: the default of docs/send/publish.md. */
export interface ApplicationLimits {
  readonly endpoints?: number;
  readonly publish_per_second?: number;
  readonly payload_bytes?: number;
  readonly retention_days?: number;
}
export interface ApplicationView extends Application {
  readonly limits: ApplicationLimits;
  readonly created_at: string;
}

/** `app` is an id or `uid:<uid>`. Throws OperatorError (not_found). */
export function showApplication(operator: Operator, app: string): Promise<ApplicationView> {
  return ask(operator, { method: 'GET', path: ['apps', app] });
}

/** Changes the limits that are named, null takes one away; the others stay. Answers the application as it is then. */
export async function changeLimits(
  operator: Operator,
  app: string,
  change: { readonly [Name in keyof ApplicationLimits]?: number | null },
): Promise<ApplicationView> {
  const { id, limits } = await showApplication(operator, app);
  const all = Object.entries({ ...limits, ...change }).filter(([, value]) => value !== null);
  return ask(operator, { method: 'PATCH', path: ['apps', id], body: { limits: Object.fromEntries(all) } });
}

/** How far an erasure or its dry run is; at the end the report, which is kept. */
export interface ErasureView {
  readonly application: string;
  readonly dry_run: boolean;
  readonly state: 'erasing' | 'erased' | 'counting' | 'counted';
  readonly phase: string;
  readonly by: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  /** By kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** What no erasure reaches, and until when. */
  readonly stays: readonly { readonly what: string; readonly until: string | null }[];
}

const queryOf = (dryRun: boolean) => (dryRun ? { dry_run: 'true' } : {});

/** Begins to erase an application, or with `dryRun` to count what that would remove. `tend` does it. */
export function eraseApplication(operator: Operator, app: string, { dryRun }: { readonly dryRun: boolean }) {
  const query = { erase: 'true', ...queryOf(dryRun) };
  return ask<ErasureView>(operator, { method: 'DELETE', path: ['apps', app], query });
}

/** By the id also when the application is gone. Throws OperatorError (not_found) where none was asked for. */
export function readErasureOf(operator: Operator, app: string, { dryRun }: { readonly dryRun: boolean }) {
  return ask<ErasureView>(operator, { method: 'GET', path: ['apps', app, 'erasure'], query: queryOf(dryRun) });
}
