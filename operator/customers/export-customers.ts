/** Customers as the delivery API shows them: no secret, and values of headers masked. */
import { askDelivery, type DeliveryApi } from '#operator/delivery-api.ts';
import type { Operator } from '#operator/operator.ts';
import { listEventTypes } from './event-types.ts';

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };
export interface ExportedCustomers {
  readonly event_types: readonly unknown[];
  readonly applications: readonly (Shown & { readonly endpoints: readonly Shown[] })[];
}

export async function exportCustomers(
  operator: Operator,
  progress?: (done: number, total: number) => void,
): Promise<ExportedCustomers> {
  const api = await (await operator.gateway()).delivery();
  const found = await allOf(api, ['apps']);
  const applications: (Shown & { endpoints: readonly Shown[] })[] = [];
  for (const application of found) {
    applications.push({ ...application, endpoints: await allOf(api, ['apps', application.id, 'endpoints']) });
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
