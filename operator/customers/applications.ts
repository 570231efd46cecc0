/** Applications, as a person limits and erases them: through the delivery API, nothing beside it. */

import type { ApplicationView } from '#core/outbound/api/applications-api.ts';
import type { ErasureView } from '#core/outbound/api/erasure-api.ts';
import type { LimitsBody } from '#core/outbound/api/fields.ts';
import type { Operator } from '#operator/operator.ts';
import { applicationOf, ask } from './deliveries.ts';

/** Changes the limits that are named, null takes one away; the others stay. Answers the application as it is then. */
export async function changeLimits(
  operator: Operator,
  app: string,
  change: { readonly [Name in keyof LimitsBody]?: number | null },
): Promise<ApplicationView> {
  const { id, limits } = await applicationOf(operator, app);
  const all = Object.entries({ ...limits, ...change }).filter(([, value]) => value !== null);
  return ask(operator, { method: 'PATCH', path: ['apps', id], body: { limits: Object.fromEntries(all) } });
}

const queryOf = (dryRun: boolean) => (dryRun ? { dry_run: 'true' } : {});

/** Begins to erase an application, or with `dryRun` to count what that would remove. `tend` does it. */
export function eraseApplication(operator: Operator, app: string, { dryRun }: { readonly dryRun: boolean }) {
  const query = { erase: 'true', ...queryOf(dryRun) };
  return ask<ErasureView>(operator, { method: 'DELETE', path: ['apps', app], query });
}

/** How far an erasure or its dry run is; at the end the report, which is kept. By the id also when the application is gone. Throws OperatorError (not_found) where none was asked for. */
export function readErasureOf(operator: Operator, app: string, { dryRun }: { readonly dryRun: boolean }) {
  return ask<ErasureView>(operator, { method: 'GET', path: ['apps', app, 'erasure'], query: queryOf(dryRun) });
}
