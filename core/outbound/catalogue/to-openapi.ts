/**
 * The catalogue as an OpenAPI document: a webhook for each version of each type, in the envelope `standard`, or with the
 * data alone as the format `raw` sends it. What OpenAPI has no word for is in `x-holdfast`. Source: spec.openapis.org/oas/v3.1.1 (webhooks).
 */
import type { CatalogueType } from './catalogue-type.ts';
import { type Json, mapRefs } from './schema-parts.ts';

/** What the body of a request is. */
export type ExportFormat = 'standard' | 'raw';
const PUBLISHED_AT = '2026-01-01T00:00:00.000Z';

/** `title`: of the document. The same catalogue gives the same document. */
export function toOpenApi(types: readonly CatalogueType[], title: string, format: ExportFormat = 'standard'): Json {
  const schemas: Record<string, unknown> = {};
  const webhooks: Record<string, unknown> = {};
  for (const type of [...types].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    webhooks[type.name] = { post: operationOf(type, type, schemas, format) };
    for (const each of type.earlier ?? [])
      webhooks[`${type.name}@${each.version}`] = { post: operationOf(type, each, schemas, format) };
  }
  const groups = [...new Set(types.flatMap(({ group }) => (group === undefined ? [] : [group])))].sort();
  return {
    openapi: '3.1.1',
    info: { title, version: '1' },
    ...(groups.length > 0 && { tags: groups.map(name => ({ name })) }),
    webhooks,
    ...(Object.keys(schemas).length > 0 && { components: { schemas } }),
  };
}

type Form = NonNullable<CatalogueType['earlier']>[number];
function operationOf(type: CatalogueType, form: Form, schemas: Record<string, unknown>, format: ExportFormat): Json {
  const { name, description, group, validate, ends_at, replacement } = type;
  const { version, schema, example, deprecated } = form;
  const isNewest = form === type;
  const versioned = version === undefined ? {} : { api_version: version };
  const data = schema === undefined ? {} : { $ref: `#/components/schemas/${placeSchema(name, form, schemas)}` };
  const properties = {
    id: { type: 'string' },
    type: { const: name },
    timestamp: { type: 'string', format: 'date-time' },
    ...(version !== undefined && { api_version: { const: version } }),
    data,
  };
  const envelope = { id: 'msg_example', type: name, timestamp: PUBLISHED_AT, ...versioned, data: example };
  const required = ['id', 'type', 'timestamp', ...(isNewest ? [] : ['api_version']), 'data'];
  const own = isNewest ? { validate, version, ends_at, replacement } : { event_type: name, version, earlier: true };
  const body = format === 'raw' ? 'data' : undefined;
  const told = Object.fromEntries(Object.entries({ ...own, body }).filter(([, value]) => value !== undefined));
  return {
    ...(description ? { description } : {}),
    ...(group === undefined ? {} : { tags: [group] }),
    ...(deprecated === true && { deprecated }),
    ...(Object.keys(told).length > 0 && { 'x-holdfast': told }),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: format === 'raw' ? data : { type: 'object', required, properties },
          ...(example === undefined ? {} : { example: format === 'raw' ? example : envelope }),
        },
      },
    },
    responses: { '2XX': { description: 'Taken.' } },
  };
}

/** Under a name that is free; what the schema refers to inside itself, it finds there. */
function placeSchema(name: string, { version, schema }: Form, schemas: Record<string, unknown>): string {
  const wanted = version === undefined ? name : `${name}_${version}`;
  let key = wanted;
  for (let n = 2; Object.hasOwn(schemas, key); n++) key = `${wanted}_${n}`;
  schemas[key] = mapRefs(schema, ref => `#/components/schemas/${key}${ref.slice(1)}`);
  return key;
}
