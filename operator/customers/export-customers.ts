/** Customers as the delivery API shows them: no secret, and values of headers masked. */
import { allOf, type Shown } from '#operator/delivery-api.ts';
import type { Operator } from '#operator/operator.ts';
import { listEventTypes } from './event-types.ts';

type ExportedApplication = Shown & { readonly endpoints: readonly Shown[]; readonly contacts?: readonly Shown[] };
export interface ExportedCustomers {
  readonly event_types: readonly unknown[];
  readonly applications: readonly ExportedApplication[];
}

export async function exportCustomers(
  operator: Operator,
  progress?: (done: number, total: number) => void,
): Promise<ExportedCustomers> {
  const { deployment, ...gateway } = await operator.gateway();
  const api = await gateway.delivery();
  const found = await allOf(api, ['apps']);
  const applications: ExportedApplication[] = [];
  for (const application of found) {
    const path = ['apps', application.id];
    const endpoints = await allOf(api, [...path, 'endpoints']);
    const contacts = deployment.config.outbound?.contacts && { contacts: await allOf(api, [...path, 'contacts']) };
    applications.push({ ...application, endpoints, ...contacts });
    progress?.(applications.length, found.length);
  }
  return { event_types: await listEventTypes(operator), applications };
}
