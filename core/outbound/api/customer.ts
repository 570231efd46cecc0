/** A customer who calls with a portal token, as the use cases of the API see it. */
import type { ApplicationItem } from '#core/outbound/protocol/items.ts';

/** Absent from a call: the producer asks. */
export interface Customer {
  /** The only one that there is for them; read with this call. */
  readonly application: ApplicationItem;
  readonly capabilities: readonly string[];
}

/** How logs and jobs name a customer; an ARN never begins so. */
const BY = 'portal:';
export const customerName = (subject: string | undefined): string => `${BY}${subject ?? 'a customer'}`;
export const isByCustomer = (by: string): boolean => by.startsWith(BY);

/** In the place of a value that was given and is not shown. */
export const MASKED = '…';

/** The fields of a body that whoever calls may give. */
export function fieldsFor<F extends object>(customer: Customer | undefined, fields: F, allowed: readonly string[]): F {
  if (customer === undefined) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => allowed.includes(name))) as F;
}
