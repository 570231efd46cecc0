/** A type of the catalogue is saved: its schemas and examples are checked first. Loaded when one comes. */
import type { CatalogueType } from '#core/outbound/catalogue/catalogue-type.ts';
import type { EventTypeItem } from '#core/outbound/protocol/items.ts';
import { refuseProblems } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { parseIso } from '#core/time.ts';
import { type ApiCall, bodyOf } from './api-call.ts';
import { showType, typeKeyOf } from './event-types-api.ts';
import { problemsOfType, TYPE_FIELDS } from './type-check.ts';

/** Makes or replaces it: safe to repeat. Every schema and example is judged first. */
export async function putType(call: ApiCall): Promise<Reply> {
  const { name, key } = typeKeyOf(call);
  const body = bodyOf(call, TYPE_FIELDS) as Omit<CatalogueType, 'name'>;
  refuseProblems(await problemsOfType(call.ports.judge, name, body));
  const { description = '', validate = 'off', ends_at: ends, ...rest } = body;
  const endsAt = ends === undefined ? {} : { endsAt: parseIso(ends) as number };
  const item: EventTypeItem = { ...rest, ...endsAt, name, description, validate };
  await call.ports.store.put({ kind: 'put', key, item });
  return json(200, showType(item));
}
