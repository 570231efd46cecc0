/** Customers as the delivery API shows them: no secret, and values of headers masked. */
import { askDelivery, type DeliveryApi } from '#operator/delivery-api.ts';
import type { Operator } from '#operator/operator.ts';
import { listEventTypes } from './event-types.ts';

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };
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

/** Every page of a list of the API. */
export async function allOf(api: DeliveryApi, path: readonly string[]): Promise<readonly Shown[]> {
  const found: Shown[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: '250', cursor };
    const page = await askDelivery<{ data: Shown[]; cursor: string | null }>(api, { method: 'GET', path, query });
    found.push(...page.data);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}
