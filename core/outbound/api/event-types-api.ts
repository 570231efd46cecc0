/** The catalogue of event types: what a producer publishes and customers choose from. */
import type { EventTypeItem, TypeVersion } from '#core/outbound/protocol/items.ts';
import { eventTypeKey } from '#core/outbound/protocol/keys.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { toIso } from '#core/time.ts';
import { type ApiCall, listed, PAGE_QUERY, pageOf, queryOf } from './api-call.ts';

const showVersion = ({ version: name, schema, example: shown, deprecated }: TypeVersion) => ({
  version: name ?? null,
  schema: schema ?? null,
  example: shown ?? null,
  deprecated: deprecated ?? false,
});
/** As the API shows it. */
export function showType(item: EventTypeItem) {
  const { name, description, validate, endsAt } = item;
  return {
    ...{ name, description, group: item.group ?? null, validate },
    ...showVersion(item),
    ends_at: endsAt === undefined ? null : toIso(endsAt),
    replacement: item.replacement ?? null,
    earlier: (item.earlier ?? []).map(showVersion),
  };
}

/** Of the path. Throws `Refused` (400) for a name that no type can have. */
export const typeKeyOf = ({ rules, path }: ApiCall) => {
  const name = path['name'] ?? '';
  if (!/^[A-Za-z0-9_.-]{1,100}$/.test(name))
    return refuse(
      400,
      'invalid_request',
      `"${name.slice(0, 80)}" is not an event type: a type has 1 to 100 letters, digits, _ . and -`,
    );
  return { name, key: eventTypeKey(rules.environment, name) };
};

export async function listTypes(call: ApiCall): Promise<Reply> {
  queryOf(call, PAGE_QUERY);
  const partition = `T#${call.rules.environment}`;
  const page = await call.ports.store.query<EventTypeItem>({ table: 'registry', partition, ...pageOf(call) });
  return listed(call, page.items.map(showType), page.cursor);
}

export async function showOneType(call: ApiCall): Promise<Reply> {
  const { name, key } = typeKeyOf(call);
  const found = await call.ports.store.get(key, 'consistent');
  return found
    ? json(200, showType(found))
    : refuse(404, 'unknown_type', `there is no event type ${name}: GET /v1/event-types lists them`);
}

export async function deleteType(call: ApiCall): Promise<Reply> {
  await call.ports.store.delete(typeKeyOf(call).key);
  return { status: 204, headers: {}, body: '' };
}
