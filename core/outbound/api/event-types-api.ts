/** The catalogue of event types: what a producer publishes and customers choose from. */
import type { EventTypeItem } from '#core/outbound/protocol/items.ts';
import { eventTypeKey } from '#core/outbound/protocol/keys.ts';
import { boolean, type Check, oneOf, show, text } from '#core/problem.ts';
import { json, type Reply } from '#core/reply.ts';
import { type ApiCall, anyText, bodyOf, limitCheck, limitOf, openCursor, queryOf, sealCursor } from './api-call.ts';
import { refuse } from './problem-reply.ts';

const SCHEMA_CHARACTERS = 32_768;
const schema: Check = (value, path, report) => {
  const fits = typeof value === 'object' && value !== null && JSON.stringify(value).length <= SCHEMA_CHARACTERS;
  if (!fits) report({ path, given: show(value), allowed: 'a JSON Schema of at most 32 KB', fix: 'leave it out' });
};
const FIELDS = {
  description: text(/^[^\p{Cc}]{0,1000}$/u, 'text of up to 1,000 characters', 'shorten it'),
  schema,
  example: () => undefined,
  group: text(/^[^\p{Cc}]{1,100}$/u, 'text of 1 to 100 characters', 'shorten it'),
  deprecated: boolean,
  validate: oneOf('off', 'warn', 'reject'),
};

function showType(item: EventTypeItem) {
  const { name, description, validate } = item;
  return {
    ...{ name, description, group: item.group ?? null, deprecated: item.deprecated ?? false, validate },
    schema: item.schema ?? null,
    example: item.example ?? null,
  };
}

const keyOf = ({ rules, path }: ApiCall) => {
  const name = path['name'] ?? '';
  if (!/^[A-Za-z0-9_.-]{1,100}$/.test(name))
    return refuse(400, 'invalid_request', 'a type has 1 to 100 letters, digits, _ . and -');
  return { name, key: eventTypeKey(rules.environment, name) };
};

export async function listTypes(call: ApiCall): Promise<Reply> {
  queryOf(call, { limit: limitCheck, cursor: anyText });
  const cursor = openCursor<string>(call);
  const partition = `T#${call.rules.environment}`;
  const at = cursor === undefined ? {} : { cursor };
  const page = await call.ports.store.query<EventTypeItem>({
    table: 'registry',
    partition,
    limit: limitOf(call),
    ...at,
  });
  return json(200, {
    data: page.items.map(showType),
    cursor: page.cursor === undefined ? null : sealCursor(call, page.cursor),
  });
}

export async function showOneType(call: ApiCall): Promise<Reply> {
  const { name, key } = keyOf(call);
  const found = await call.ports.store.get(key, 'consistent');
  return found ? json(200, showType(found)) : refuse(404, 'unknown_type', `there is no type ${name}`);
}

/** Makes or replaces it: safe to repeat. */
export async function putType(call: ApiCall): Promise<Reply> {
  const { name, key } = keyOf(call);
  const body = bodyOf<Partial<Omit<EventTypeItem, 'name'>>>(call, FIELDS);
  const { description = '', validate = 'off', ...rest } = body;
  const item: EventTypeItem = { ...rest, name, description, validate };
  await call.ports.store.put({ kind: 'put', key, item });
  return json(200, showType(item));
}

export async function deleteType(call: ApiCall): Promise<Reply> {
  await call.ports.store.delete(keyOf(call).key);
  return { status: 204, headers: {}, body: '' };
}
